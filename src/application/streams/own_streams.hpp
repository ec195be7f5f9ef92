#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "domain/error.hpp"
#include "domain/stream.hpp"

namespace sundial {

/// The types of Sundial's own streams.
namespace own_stream {
inline constexpr const char* user = "User";
inline constexpr const char* schedule = "Schedule";
inline constexpr const char* endpoint = "Endpoint";
inline constexpr const char* api_key = "ApiKey";
inline constexpr std::array<std::string_view, 4> types{user, schedule, endpoint, api_key};
}  // namespace own_stream

/// Only changes of users, schedules, endpoints and API keys write to the streams that record them.
/// If a client appended to, closed or archived such a stream, the next change would fail. Pointers
/// begin with `at`.
[[nodiscard]] std::optional<FieldError> refuse_own_stream(const StreamId& stream,
                                                          const std::string& at = {});

}  // namespace sundial
