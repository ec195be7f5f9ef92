#pragma once

#include <optional>
#include <string>

#include "domain/error.hpp"
#include "domain/stream.hpp"

namespace sundial {

/// Streams that tell of users, schedules, endpoints and API keys are written by changes of theirs
/// only: what anybody else appends, closes or archives there would stand in the way of the next
/// change. Pointers begin with `at`.
[[nodiscard]] std::optional<FieldError> refuse_own_stream(const StreamId& stream,
                                                          const std::string& at = {});

}  // namespace sundial
