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

namespace sundial {

/// One link of the chain from the rule to the result: in plain words, and as members for programs
/// (names of the API; a value that is not there is null).
struct ExplainedStep {
    using Value = std::variant<std::nullptr_t, std::int64_t, std::string>;
    std::string_view step;  // rule, local, zone, utc, change, attempt, result
    std::string text;
    std::vector<std::pair<std::string_view, Value>> members{};
};

/// What a live event waits for.
struct Wait {
    std::string_view what;         // due, claim, result, retry, endpoint, schedule
    std::string text;              // in plain words
    std::optional<Instant> until;  // when it will be looked at next; empty: when somebody acts
};

struct Explanation {
    Event event;
    std::string summary;  // one sentence
    std::vector<ExplainedStep> steps;
    std::optional<Wait> wait;  // none once it is over
};

/// All that `explain` puts together, of one moment.
struct EventStory {
    Event event;
    std::optional<Schedule> schedule;  // none: a single event, or it is gone
    std::optional<Endpoint> endpoint;
    std::vector<AttemptRecord> attempts;
    Instant now;
};
[[nodiscard]] Explanation explain(const EventStory& story, const TzData& zones);

/// Why an event is due when it is, what has happened to it, and what it waits for.
class ExplainEvent {
public:
    ExplainEvent(Store& store, const TimeZones& zones) : store_(store), zones_(zones) {}
    /// Errors: NotFound.
    [[nodiscard]] Result<Explanation> run(std::string_view id);

private:
    Store& store_;
    const TimeZones& zones_;
};

}  // namespace sundial
