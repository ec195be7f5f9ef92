#pragma once

#include <string>

#include "domain/ids.hpp"

namespace sundial::webhook {

/// W3C trace context of one try: the trace of its event, the same for all tries and instances, and
/// a parent that is this try's alone.
[[nodiscard]] std::string traceparent(const EventId& event, Attempt attempt);

}  // namespace sundial::webhook
