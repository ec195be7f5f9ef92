#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "adapters/http/json.hpp"
#include "adapters/http/message.hpp"
#include "adapters/http/problem.hpp"
#include "domain/error.hpp"
#include "domain/stream.hpp"

namespace sundial::http {

/// The expected version of a stream for an If-Match without a version: no stream can have so many
/// events.
inline constexpr ExpectedVersion version_of_no_stream = ExpectedVersion::exactly(greatest_number);

/// The problem document of each error of a use case. A version mismatch becomes 412, because the
/// version came from If-Match.
[[nodiscard]] Problem problem_of(const Error& error);
/// The problem if the payload `member` of `body` is larger than 256 KiB; otherwise empty.
[[nodiscard]] std::optional<Problem> payload_too_large(const JsonBody& body,
                                                       std::string_view member);
/// The same for the bytes of the member.
[[nodiscard]] std::optional<Problem> payload_too_large(std::optional<std::string_view> payload,
                                                       std::string_view member);
/// For a cursor that belongs to another list.
[[nodiscard]] Problem invalid_cursor();

/// Responses in the format of the seeds' aliases: under /user and /users a problem also contains
/// `{"error":{"code","message","details":[{"field","message"}]}}`. All other responses are
/// unchanged.
[[nodiscard]] Response with_seed_error(Response response, const std::string& path);

}  // namespace sundial::http
