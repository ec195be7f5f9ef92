#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "adapters/http/json.hpp"
#include "adapters/http/problem.hpp"
#include "domain/error.hpp"
#include "domain/stream.hpp"

namespace sundial::http {

/// What an If-Match that names no version asks of a stream: none can have so many events.
inline constexpr ExpectedVersion version_of_no_stream = ExpectedVersion::exactly(greatest_number);

/// What the API says of each error of a use case. A version that did not match was asked for by
/// If-Match: 412.
[[nodiscard]] Problem problem_of(const Error& error);
/// What is wrong with the size of the payload `member` of `body`, if anything: 256 KiB at most.
[[nodiscard]] std::optional<Problem> payload_too_large(const JsonBody& body,
                                                       std::string_view member);
/// The same of the member's bytes.
[[nodiscard]] std::optional<Problem> payload_too_large(std::optional<std::string_view> payload,
                                                       std::string_view member);
/// For a cursor that is not of this list.
[[nodiscard]] Problem invalid_cursor();

}  // namespace sundial::http
