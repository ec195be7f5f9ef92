#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"

namespace sundial {

/// One link of the chain from the rule to the result: in plain words, and as members for programs
/// (names of the API; a missing value is null).
struct ExplainedStep {
    using Value = std::variant<std::nullptr_t, std::int64_t, std::string>;
    std::string_view step;  // rule, local, zone, utc, change, attempt, result
    std::string text;
    std::vector<std::pair<std::string_view, Value>> members{};
};

/// The condition that a live event waits for.
struct Wait {
    std::string_view what;         // due, claim, result, retry, circuit, limit, endpoint, schedule
    std::string text;              // in plain words
    std::optional<Instant> until;  // the next time that it is checked; empty: until a user acts
};

struct Explanation {
    Event event;
    std::string summary;  // one sentence
    std::vector<ExplainedStep> steps;
    std::optional<Wait> wait;  // empty once the event has ended
};

/// The input of `explain`, as of one moment.
struct EventStory {
    Event event;
    std::optional<Schedule> schedule;  // empty: a single event, or the schedule was deleted
    std::optional<Endpoint> endpoint;
    std::vector<AttemptRecord> attempts;
    Instant now;
};
[[nodiscard]] Explanation explain(const EventStory& story, const TzData& zones);

/// Explains why an event is due at its instant, its history, and the condition that it waits for.
class ExplainEvent {
public:
    ExplainEvent(Store& store, const TimeZones& zones) : store_(store), zones_(zones) {}
    /// Errors: NotFound.
    [[nodiscard]] EventResult<Explanation> run(std::string_view id);

private:
    Store& store_;
    const TimeZones& zones_;
};

}  // namespace sundial
