#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "application/ports/time_zones.hpp"

/// `sundial next --json`: the batch format of time-semantics 2.
namespace sundial::cli {

/// Maximum length of a line, without its end.
inline constexpr std::size_t longest_line = std::size_t{1} << 20;

/// The response to one line, without a line end. Errors are responses too.
[[nodiscard]] std::string answer_line(std::string_view line, const TimeZones& zones);

/// Answers each non-empty line of `in` with one line, in order. Writes all finished responses
/// before it waits for more input. Memory is bounded for any input.
void answer_lines(std::istream& in, std::ostream& out, const TimeZones& zones);

}  // namespace sundial::cli
