#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "application/events/target.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/failures.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/ports/tracer.hpp"
#include "application/requests/event_references.hpp"
#include "application/requests/results.hpp"
#include "application/transactions/group_commit.hpp"
#include "domain/event.hpp"

namespace sundial {

/// A request for a single event.
struct NewEvent {
    std::string event_type{};
    Priority priority = Priority::normal;
    std::optional<std::string> user{};      // id or ext:…
    std::optional<std::string> endpoint{};  // id or ext:…; empty: a handler in the process
    TargetFields target{};
    std::string payload = "{}";  // exact bytes, sent unchanged
    std::optional<std::string> idempotency_key{};
    std::optional<TraceContext> trace{};  // of the request
};

/// Some parts of the storage (Store::parts) failed while many events were stored. The others are
/// done.
class PartlyStored : public Unavailable {
public:
    using Results = std::vector<std::optional<EventResult<Event>>>;
    PartlyStored(const std::string& why, Results those_known, bool unknown)
        : Unavailable(why), known(std::move(those_known)), outcome_unknown(unknown) {}

    Results known;         // of each request; empty: its part failed
    bool outcome_unknown;  // events of those parts may be stored
};

/// Stores single events. A target in the past is due at once.
class ScheduleEvent {
public:
    /// Types among `kinds` may refuse payloads for their endpoints.
    ScheduleEvent(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups,
                  const EndpointKinds& kinds = no_endpoint_kinds, Tracer& tracer = no_tracer);

    /// Stores one event, in one transaction with events that other callers store at the same time,
    /// unless the call is already part of another transaction. Errors: ValidationFailed (pointers
    /// /targetTimestampLocal, /userId, /endpointId, …), DuplicateIdempotencyKey.
    [[nodiscard]] EventResult<Event> run(const NewEvent& requested);
    /// Stores many events, each independently. One result each, in their order, with errors as
    /// above. One transaction for each part of the storage; throws PartlyStored if some fail.
    [[nodiscard]] std::vector<EventResult<Event>> run_each(std::span<const NewEvent> requested);
    /// The same in one transaction: if one of them is refused, nothing is stored, whatever the
    /// other results are.
    [[nodiscard]] std::vector<EventResult<Event>> run_all(std::span<const NewEvent> requested);

private:
    /// A request with the defects found without the database.
    struct Request {
        Request(const NewEvent& requested, std::optional<TraceContext> its_trace, Ids& ids);
        const NewEvent& event;
        IdempotencyKey key;
        EventId id;
        std::optional<TraceContext> trace;  // that the event keeps
        std::vector<FieldError> defects;
    };
    using Requests = std::span<const Request* const>;
    /// Empty: another transaction is changing its user. Nothing was stored; the event has to wait
    /// alone.
    using Answer = std::optional<EventResult<Event>>;
    enum class Keep : std::uint8_t { each, all_or_none };

    [[nodiscard]] std::vector<EventResult<Event>> run_many(std::span<const NewEvent> requested,
                                                           Keep keep);
    [[nodiscard]] EventResult<Event> store_alone(const Request& request);
    /// Each part of the storage in a transaction of its own. Empty: the part failed.
    struct StoredInParts {
        std::vector<Answer> answers;
        std::optional<std::string> failed{};  // why a part did
        bool outcome_unknown = false;
    };
    [[nodiscard]] StoredInParts store_in_parts(Requests requests);
    /// In a transaction of its own, or as part of the open one.
    [[nodiscard]] std::vector<Answer> store(Requests requests, Keep keep,
                                            EventReferences::Sharing sharing);
    [[nodiscard]] static bool is_kept(std::span<const Answer> answers, Keep keep);
    [[nodiscard]] std::vector<Answer> add(Transaction& tx, Requests requests,
                                          EventReferences::Sharing sharing);
    /// Stores the event without reading the clock or anything else before, if it names no user, no
    /// endpoint and no relative time. Empty if it does, or has a defect.
    [[nodiscard]] Answer add_now(Transaction& tx, const Request& request, const TzData& zones);
    [[nodiscard]] EventResult<Event> make(const Request& request, const TargetReader& reader,
                                          const TzData& zones, const EventReferences& references,
                                          Instant now);

    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
    const EndpointKinds& kinds_;
    Tracer& tracer_;
    GroupCommit<Request, Answer> together_;
};

}  // namespace sundial
