#include "application/delivery/deliver_event.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "application/audit/recorded_changes.hpp"
#include "application/transactions/in_parts.hpp"
#include "base/check.hpp"
#include "domain/names.hpp"
#include "domain/time/text.hpp"
#include "domain/trace_context.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using Endpoints = std::unordered_map<EndpointId, std::shared_ptr<const Endpoint>>;

/// A tz database that lacks a user's zone is an installation error. With a pause of one minute the
/// operator can repair it without many futile attempts.
constexpr std::chrono::microseconds zone_is_missing_for = 1min;

/// Delay of an event whose successor cannot be planned, because a machine of the database failed.
/// Each attempt to plan it costs a transaction.
constexpr std::chrono::microseconds part_is_away_for = 10s;

/// No call frees events that wait for a handler, so they check again after this time.
constexpr std::chrono::microseconds handler_is_paused_for = 1min;

constexpr const char* zone_unknown = "ZONE_UNKNOWN the zone of its user is not in the tz database";
constexpr const char* not_planned =
    "PLANNING_FAILED a machine of the database that its successor needs did not answer";
constexpr const char* schedule_paused = "SCHEDULE_PAUSED its schedule is paused";
constexpr const char* endpoint_gone = "ENDPOINT_MISSING its endpoint does not exist";
constexpr const char* endpoint_disabled = "ENDPOINT_DISABLED its endpoint is disabled";

Endpoints load_endpoints(Transaction& tx, std::span<const SharedEvent> events) {
    std::vector<EndpointId> ids;
    for (const Event& event : events) {
        if (event.endpoint) ids.push_back(*event.endpoint);
    }
    if (ids.empty()) return {};
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    Endpoints found;
    for (Endpoint& endpoint : tx.endpoints().find_all(ids)) {
        const EndpointId id = endpoint.id;
        found.emplace(id, std::make_shared<const Endpoint>(std::move(endpoint)));
    }
    return found;
}

std::unordered_map<EndpointId, Circuit> load_circuits(Transaction& tx, const Endpoints& endpoints) {
    std::vector<EndpointId> ids;
    for (const auto& [id, endpoint] : endpoints) ids.push_back(id);
    std::unordered_map<EndpointId, Circuit> found;
    if (ids.empty()) return found;
    for (const Circuit& circuit : tx.circuits().find_all(ids)) {
        found.emplace(circuit.endpoint, circuit);
    }
    return found;
}

/// An accepted attempt that its holder settled too late.
bool was_accepted(const AttemptRecord& attempt) {
    return attempt.outcome == AttemptOutcome::late && attempt.error_code.empty() &&
           (!attempt.status_code || judge_status(*attempt.status_code, 0) == Verdict::accepted);
}

std::optional<AttemptRecord> accepted_attempt(Transaction& tx, const Event& event) {
    if (event.retry_count == 0) return std::nullopt;  // no attempt was lost, so none can be late
    const auto attempts = tx.events().attempts_of(event.id);
    const auto found = std::ranges::find_if(attempts, was_accepted);
    return found == attempts.end() ? std::nullopt : std::optional{*found};
}

/// The data read for a batch.
struct Known {
    Endpoints endpoints;
    std::unordered_map<EndpointId, Circuit> circuits;
    std::unordered_map<EventId, AttemptRecord> accepted;
};

/// Whether the event is parked, as a claim that met an obstacle leaves it.
bool is_parked(const Event& event) {
    return status_of(event) == EventStatus::processing && !is_claimed(event) &&
           event.claimable_at == never;
}

/// A program that embeds the engine has fewer types than a server on the same database.
Outcome not_sent_here(const EndpointType& type) {
    Outcome outcome;
    outcome.verdict = Verdict::permanent;
    outcome.error = DeliveryErrorCode::worker;
    outcome.error_text = "this program sends nothing to endpoints of type " + type.value;
    return outcome;
}

}  // namespace

Outcome without_payload() {
    Outcome outcome;
    outcome.verdict = Verdict::permanent;
    outcome.error = DeliveryErrorCode::worker;
    outcome.error_text = "PAYLOAD_TOO_LARGE its schedule's payload has more than " +
                         std::to_string(max_payload_bytes) +
                         " bytes after its template was filled in";
    return outcome;
}

std::vector<Lane> DeliverEvent::lanes() const {
    std::vector<Lane> lanes;
    if (std::ranges::any_of(deliveries_.kinds.all(),
                            [](const auto& kind) { return kind->delivery() != nullptr; })) {
        lanes.push_back(endpoint_lane);
    }
    for (std::string& type : deliveries_.handlers.types()) lanes.emplace_back(std::move(type));
    return lanes;
}

std::vector<Decision> DeliverEvent::decide(std::span<const SharedEvent> claimed,
                                           const Planning& planning) {
    Known known;
    const auto needs_reading = [](const Event& event) {
        return event.endpoint || event.retry_count > 0;
    };
    if (std::ranges::any_of(claimed, needs_reading)) {
        known = in_read(store_, [&](Transaction& tx) {
            Known found{load_endpoints(tx, claimed), {}, {}};
            found.circuits = load_circuits(tx, found.endpoints);
            for (const Event& event : claimed) {
                if (auto attempt = accepted_attempt(tx, event)) {
                    found.accepted.emplace(event.id, std::move(*attempt));
                }
            }
            return found;
        });
    }
    std::unordered_set<ScheduleId> paused;
    for (const Schedule& schedule : planning.schedules) {
        if (!schedule.enabled) paused.insert(schedule.id);
    }
    const std::unordered_set<EventId> without_zone{planning.without_zone.begin(),
                                                   planning.without_zone.end()};
    const std::unordered_set<EventId> unplanned{planning.unplanned.begin(),
                                                planning.unplanned.end()};

    std::unordered_set<EventId> dropped;
    for (const DroppedEvent& event : planning.dropped) dropped.insert(event.id);

    const auto decide_one = [&](const Event& event) -> decltype(Decision::what) {
        if (dropped.contains(event.id)) return Ended{};
        if (without_zone.contains(event.id)) return Deferral{zone_is_missing_for, zone_unknown};
        if (unplanned.contains(event.id)) return Deferral{part_is_away_for, not_planned};
        if (const auto accepted = known.accepted.find(event.id); accepted != known.accepted.end()) {
            return AcceptedBefore{accepted->second};
        }
        const bool is_paused = event.occurrence && paused.contains(event.occurrence->schedule);
        // Such an event continues as planned.
        const bool was_tried = event.first_attempt_at.has_value();
        if (!event.endpoint) {
            base::check(deliveries_.handlers.find(event.type) != nullptr);
            if (is_paused && !was_tried) return Deferral{handler_is_paused_for, schedule_paused};
            // A handler that runs longer continues under an extended lease.
            const auto limit = deliveries_.handlers.terms(event.type).time_limit;
            return Destination{nullptr, {}, std::min(limit, deliveries_.handler_timeout), {}};
        }
        const auto found = known.endpoints.find(*event.endpoint);
        if (found == known.endpoints.end()) return Deferral{std::nullopt, endpoint_gone};
        if (is_paused && !was_tried) return Deferral{std::nullopt, schedule_paused};
        const Endpoint& endpoint = *found->second;
        if (!endpoint.enabled) return Deferral{std::nullopt, endpoint_disabled};
        Destination destination{found->second, endpoint.retry_policy, endpoint.timeout,
                                target_time(event)};
        if (const auto its = known.circuits.find(endpoint.id); its != known.circuits.end()) {
            destination.circuit_closed = its->second.state == CircuitState::closed;
            destination.failing = its->second.failing_since.has_value();
        }
        return destination;
    };
    std::vector<Decision> decisions;
    decisions.reserve(claimed.size());
    for (const Event& event : claimed) decisions.push_back({event.id, decide_one(event)});
    return decisions;
}

std::string DeliverEvent::target_time(const Event& event) const {
    const auto zone = zones_.find(event.intent.zone);
    // If the zone has left the tz database, show the instant.
    return zone ? format_zoned(event.due, **zone) : format_instant(event.due);
}

void DeliverEvent::start(std::vector<Delivery::Starting> attempts) {
    std::vector<Delivery::Starting> to_handlers;
    to_handlers.reserve(attempts.size());
    for (Delivery::Starting& one : attempts) {
        if (one.request.event->payload.empty()) {
            one.done(without_payload());
        } else if (one.request.endpoint == nullptr) {
            to_handlers.push_back(std::move(one));
        } else {
            send(std::move(one));
        }
    }
    if (!to_handlers.empty()) deliveries_.in_process->start_all(std::move(to_handlers));
}

void DeliverEvent::send(Delivery::Starting one) {
    const Endpoint& endpoint = *one.request.endpoint;
    EndpointKind* kind = deliveries_.kinds.find(endpoint.type);
    Delivery* delivery = kind == nullptr ? nullptr : kind->delivery();
    if (delivery == nullptr) return one.done(not_sent_here(endpoint.type));
    one.request.trace = attempt_context(one.request.event, deliveries_.trace_share);
    try {
        delivery->start(std::move(one.request), one.done);
    } catch (const std::exception& exception) {
        Outcome outcome;
        outcome.error = DeliveryErrorCode::worker;
        outcome.error_text = exception.what();
        one.done(std::move(outcome));
    }
}

void DeliverEvent::abandon(const Event& event) {
    for (const auto& kind : deliveries_.kinds.all()) {
        if (Delivery* delivery = kind->delivery()) delivery->abandon(event);
    }
    if (deliveries_.in_process != nullptr) deliveries_.in_process->abandon(event);
}

std::size_t DeliverEvent::release_if_possible(std::span<const SharedEvent> parked) {
    std::size_t all = 0;
    for_each_part(
        store_, parked, [](const SharedEvent& event) { return event->id; },
        [&](std::span<const SharedEvent> part) { all += release_part(part); });
    return all;
}

std::size_t DeliverEvent::release_part(std::span<const SharedEvent> parked) {
    std::size_t released = 0;
    store_.transact([&](Transaction& tx) {
        released = 0;
        for (const Event& before : parked) {
            if (before.occurrence) {
                const auto schedule = tx.schedules().find(before.occurrence->schedule);
                if (!schedule || !schedule->enabled) continue;
            }
            // Only events with an endpoint are ever parked.
            const auto destination = tx.endpoints().find(before.endpoint.value());
            if (!destination || !destination->enabled) continue;
            const auto event = tx.events().lock(before.id);
            if (!event || !is_parked(*event)) continue;  // another caller was faster
            auto freed = expedite(*event, tx.now());
            base::check(freed.has_value());
            tx.events().update(*freed);
            ++released;
        }
        return released > 0;
    });
    return released;
}

bool DeliverEvent::disable(EndpointId endpoint, const std::string& reason) {
    bool disabled = false;
    store_.transact([&](Transaction& tx) {
        const auto before = tx.endpoints().lock(endpoint);
        disabled = before && before->enabled;
        if (!disabled) return false;
        Endpoint after = *before;
        after.enabled = false;
        after.disabled_reason = reason;
        after.version = base::next(before->version);
        after.updated_at = tx.now();
        disabled = tx.endpoints().update(after).has_value();
        if (disabled) tx.record(endpoint_updated(*before, after, {ids_.fresh(), {}}));
        return disabled;
    });
    return disabled;
}

}  // namespace sundial
