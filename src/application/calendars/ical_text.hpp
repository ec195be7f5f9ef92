#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "domain/time/types.hpp"

namespace sundial {

/// Lines of iCalendar (RFC 5545): each of at most 75 bytes, longer ones folded, ended by CRLF.
class IcalText {
public:
    /// `content` is a whole line: name, parameters and value.
    IcalText& line(std::string_view content);
    /// A line with a text for people, whose commas, semicolons, backslashes and ends of lines are
    /// escaped.
    IcalText& text(std::string_view name, std::string_view value);

    [[nodiscard]] std::string take() && { return std::move(lines_); }

private:
    std::string lines_;
};

/// `20270104T083000Z`, without the fraction of the second.
[[nodiscard]] std::string ical_utc(Instant instant);

}  // namespace sundial
