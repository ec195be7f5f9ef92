#pragma once

#include <string>

#include "domain/ids.hpp"

namespace sundial::webhook {

/// W3C trace context of one attempt. The trace id belongs to the event and is the same for all
/// attempts and instances; the parent id belongs to this attempt alone.
[[nodiscard]] std::string traceparent(const EventId& event, Attempt attempt);

}  // namespace sundial::webhook
