#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "application/ports/time_zones.hpp"

/// `sundial next --json`: the batch format of time-semantics 2.
namespace sundial::cli {

/// The longest line that is read, without its end.
inline constexpr std::size_t longest_line = std::size_t{1} << 20;

/// The answer to one line, without the end of the line. Errors are answers too.
[[nodiscard]] std::string answer_line(std::string_view line, const TimeZones& zones);

/// Answers each line of `in` that is not empty with one line, in order; all that has been asked is
/// on its way before more is waited for. Memory stays bounded whatever comes.
void answer_lines(std::istream& in, std::ostream& out, const TimeZones& zones);

}  // namespace sundial::cli
