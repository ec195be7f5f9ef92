#pragma once

#include <string>

#include "domain/ids.hpp"

namespace sundial {

/// A fact kept in a stream: one change of a user, schedule, endpoint or API key. Row version =
/// stream version.
struct RecordedEvent {
    std::string aggregate_type;  // "User", "Schedule", "Endpoint", "ApiKey"
    Uuid aggregate_id;
    Version version;
    Uuid event_id;
    std::string event_type;  // "UserCreated", …
    std::string data;        // JSON object
    std::string correlation_id;
    std::string actor{};  // who changed it: see Caller
};

}  // namespace sundial
