#include "application/endpoints/delete_endpoint.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "application/audit/recorded_changes.hpp"
#include "application/events/cancel_event.hpp"
#include "application/operations/operations.hpp"
#include "application/requests/edits.hpp"
#include "application/requests/queries.hpp"
#include "application/streams/append_to_stream.hpp"

namespace sundial {
namespace {

/// Enough examples for a caller to find the rest.
constexpr std::size_t max_named_schedules = 5;

std::vector<std::string> schedules_of(Transaction& tx, EndpointId endpoint) {
    ScheduleQuery query;
    query.endpoint = endpoint;
    query.page.limit = max_named_schedules;
    std::vector<std::string> references;
    for (const Schedule& schedule : tx.schedules().list(query).items) {
        references.push_back(schedule.external_id ? "ext:" + *schedule.external_id
                                                  : to_string(schedule.id));
    }
    return references;
}

/// Another transaction claimed or erased the event after it was listed.
bool was_overtaken(const Error& error) {
    return std::holds_alternative<InvalidStateTransition>(error) ||
           std::holds_alternative<NotFound>(error);
}

struct CancelledOfEndpoint {
    std::size_t count = 0;
    bool may_be_more = false;
};

/// Cancels some events that are not claimed.
EndpointResult<CancelledOfEndpoint> cancel_some_of_endpoint(Transaction& tx, const TzData& zones,
                                                            Ids& ids, EndpointId endpoint,
                                                            Instant& earliest) {
    const auto events = tx.events().unclaimed_of_endpoint(endpoint, batch_size);
    share_owners(tx, events);
    CancelledOfEndpoint done{.may_be_more = events.size() == batch_size};
    for (const Event& event : events) {
        const auto cancelled =
            cancel_in(tx, zones, ids, event.id, std::nullopt, earliest, {}, "endpoint deleted");
        if (cancelled) {
            ++done.count;
        } else if (!was_overtaken(cancelled.error())) {
            return cancelled.error();
        }
    }
    return done;
}

}  // namespace

/// A schedule prevents the deletion even if its events are cancelled, because it would plan the
/// next ones for the endpoint.
EndpointResult<DeleteEndpoint::Step> DeleteEndpoint::remove_if_few_are_left(
    Transaction& tx, const Endpoint& endpoint, EventsOfEndpoint events, const Caller& caller) {
    Step step;
    const auto schedules = schedules_of(tx, endpoint.id);
    const bool cancels = events == EventsOfEndpoint::cancelled;
    if (cancels && schedules.empty()) {
        const auto some =
            cancel_some_of_endpoint(tx, *zones_.current(), ids_, endpoint.id, step.earliest);
        if (!some) return some.error();
        if (some->may_be_more) return step;
        step.cancelled = some->count;
    }
    const auto live = tx.events().count_live_of_endpoint(endpoint.id);
    if (live > 0 || !schedules.empty()) {
        step.in_use = EndpointInUse{endpoint.id, live, schedules, cancels && schedules.empty()};
        return step;
    }
    tx.record(endpoint_deleted(endpoint, {ids_.fresh(), caller}));
    tx.streams().close({own_stream::endpoint, to_string(endpoint.id)});
    tx.endpoints().remove(endpoint.id);
    step.removed = true;
    return step;
}

/// Changes nothing if the endpoint is in use. Otherwise, if the endpoint still exists after the
/// commit, no event is sent to it.
EndpointResult<DeleteEndpoint::Step> DeleteEndpoint::begin(Transaction& tx,
                                                           std::string_view reference,
                                                           EventsOfEndpoint events,
                                                           std::optional<Version> expected,
                                                           const Caller& caller) {
    const auto id = endpoint_id(tx, reference);
    if (!id) return id.error();
    const auto before = tx.endpoints().lock_to_remove(*id);
    if (!before) return NotFound{Noun::endpoint, std::string{reference}};
    if (auto refused = refuse_version(Noun::endpoint, reference, expected, before->version)) {
        return *refused;
    }
    const auto step = remove_if_few_are_left(tx, *before, events, caller);
    if (step && step->in_use) {
        EndpointInUse in_use = *step->in_use;
        in_use.events += step->cancelled;  // which this error undoes
        return in_use;
    }
    if (!step || step->removed || !before->enabled) return step;
    Endpoint after = *before;
    after.enabled = false;
    after.disabled_reason = "is being deleted";
    after.version = base::next(before->version);
    after.updated_at = tx.now();
    if (auto updated = tx.endpoints().update(after); !updated) return updated.error();
    tx.record(endpoint_updated(*before, after, {ids_.fresh(), caller}));
    return step;
}

EndpointResult<void> DeleteEndpoint::run(std::string_view reference, EventsOfEndpoint events,
                                         std::optional<Version> expected, const Caller& caller) {
    auto step = in_transaction(
        store_, [&](Transaction& tx) { return begin(tx, reference, events, expected, caller); });
    while (step && !step->removed && !step->in_use) {
        wakeups_.due_at(step->earliest);
        step = in_transaction(store_, [&](Transaction& tx) -> EndpointResult<Step> {
            const auto id = endpoint_id(tx, reference);
            const auto endpoint = id ? tx.endpoints().lock_to_remove(*id) : std::nullopt;
            if (!endpoint) return Step{.removed = true};  // by another caller
            return remove_if_few_are_left(tx, *endpoint, events, caller);
        });
    }
    if (!step) return step.error();
    wakeups_.due_at(step->earliest);
    if (step->in_use) return *step->in_use;
    return {};
}

}  // namespace sundial
