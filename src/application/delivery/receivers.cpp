#include "application/delivery/receivers.hpp"

#include <algorithm>
#include <limits>

namespace sundial {
namespace {

using namespace std::chrono_literals;

/// How long results of one receiver are collected before they are reported: short enough that other
/// instances soon learn of failures, long enough that a healthy receiver causes only an occasional
/// write.
constexpr Mono report_failures_after = 20ms;
constexpr Mono report_successes_after = 5s;

constexpr std::uint32_t renewals_in_a_lease = 3;
/// Slots that were unused for this long are returned.
constexpr Mono spare_for = 1s;
constexpr Mono check_interval = 250ms;

/// One endpoint may use one in four slots of an instance.
constexpr std::size_t bulkhead = 4;
/// An endpoint whose attempts take longer is limited even if no other event is due yet.
constexpr std::chrono::microseconds slow_attempt = 250ms;
/// An endpoint with events in this period is expected to have more.
constexpr Mono recently_seen = 60s;

constexpr int weight_of_past = 7;  // of 8, in the mean

std::chrono::microseconds mean_of(std::chrono::microseconds mean,
                                  std::chrono::microseconds latest) {
    if (mean == 0us) return latest;
    return (mean * weight_of_past + latest) / (weight_of_past + 1);
}

}  // namespace

void Receivers::meet(const Destination& destination, Mono now) {
    const Endpoint& endpoint = *destination.endpoint;
    Receiver& receiver = receivers_[endpoint.id];
    const LimitRules rules{endpoint.rate_limit, endpoint.max_in_flight};
    // Slots granted under other rules are void.
    if (receiver.rules.max_in_flight != rules.max_in_flight) receiver.usable_until = Mono::min();
    receiver.rules = rules;
    receiver.circuit_closed = destination.circuit_closed;
    if (destination.failing) receiver.failing = true;
    receiver.last_met = now;
}

bool Receivers::admits(EndpointId endpoint, std::uint32_t in_flight,
                       std::chrono::microseconds timeout, Mono now) const {
    const Receiver& receiver = at(endpoint);
    if (!receiver.circuit_closed || receiver.rules.rate) return false;
    if (!receiver.rules.max_in_flight) return true;
    return in_flight < std::min(receiver.slots, receiver.share) &&
           now + timeout <= receiver.usable_until;
}

bool Receivers::has_rivals(Mono now) const {
    const auto lately = [now](const auto& one) {
        return now - one.second.last_met < recently_seen;
    };
    return std::ranges::count_if(receivers_, lately) > 1;
}

std::size_t Receivers::room_for(EndpointId endpoint, std::uint32_t bound_for, bool more_due,
                                Mono now) const {
    const auto known = receivers_.find(endpoint);
    const bool slow = known != receivers_.end() && known->second.mean_attempt >= slow_attempt;
    if (!has_rivals(now) || !(more_due || slow)) return std::numeric_limits<std::size_t>::max();
    const auto quarter = std::max<std::size_t>(1, settings_.slots / bulkhead);
    return quarter - std::min<std::size_t>(quarter, bound_for);
}

AdmissionRequest Receivers::question(EndpointId endpoint, std::uint32_t in_flight,
                                     std::uint32_t waiting) const {
    const Receiver& receiver = at(endpoint);
    return {
        .endpoint = endpoint, .rules = receiver.rules, .in_flight = in_flight, .waiting = waiting};
}

void Receivers::admitted(const Admission& admission, std::optional<EventId> probe, Mono asked_at) {
    Receiver& receiver = receivers_.at(admission.endpoint);
    if (probe) receiver.probe = probe;
    keep_slots(receiver, admission.slots, admission.share, asked_at);
}

void Receivers::admitted(const LineAnswer& answer, Mono asked_at) {
    Receiver& receiver = receivers_[answer.endpoint];
    receiver.rules = answer.rules;
    if (answer.probe) receiver.probe = answer.events.front().event.id;
    keep_slots(receiver, answer.slots, answer.share, asked_at);
}

void Receivers::keep_slots(Receiver& receiver, std::uint32_t slots, std::uint32_t share,
                           Mono asked_at) {
    receiver.slots = receiver.rules.max_in_flight ? slots : 0;
    receiver.share = share;
    receiver.usable_until = asked_at + settings_.lease - settings_.margin;
    receiver.spare_since.reset();
    receiver.renew_at = asked_at + settings_.lease / renewals_in_a_lease;
    if (receiver.slots > 0) next_renewal_ = std::min(next_renewal_, asked_at + check_interval);
}

std::optional<EventId> Receivers::probe_of(EndpointId endpoint) const {
    const auto known = receivers_.find(endpoint);
    return known == receivers_.end() ? std::nullopt : known->second.probe;
}

bool Receivers::usable(EndpointId endpoint, std::chrono::microseconds timeout, Mono now) const {
    const Receiver& receiver = at(endpoint);
    return !receiver.rules.max_in_flight || now + timeout <= receiver.usable_until;
}

std::vector<EndpointId> Receivers::to_renew(const InFlight& in_flight, bool spare_now, Mono now) {
    std::vector<EndpointId> found;
    next_renewal_ = Mono::max();
    for (auto& [endpoint, receiver] : receivers_) {
        if (receiver.slots == 0) continue;
        next_renewal_ = now + check_interval;
        if (in_flight(endpoint) >= receiver.slots) {
            receiver.spare_since.reset();
        } else if (!receiver.spare_since) {
            receiver.spare_since = now;
        }
        const bool spare =
            receiver.spare_since && (spare_now || now >= *receiver.spare_since + spare_for);
        if (spare || now >= receiver.renew_at) found.push_back(endpoint);
    }
    return found;
}

void Receivers::saw(EndpointId endpoint, EventId event, CallResult result,
                    std::chrono::microseconds duration, Mono now) {
    Receiver& receiver = receivers_[endpoint];
    receiver.mean_attempt = mean_of(receiver.mean_attempt, duration);
    if (receiver.probe == event) {
        receiver.probe.reset();
        receiver.probe_result = result;
    } else {
        receiver.results.add(result);
    }
    report_by(receiver, now);
    const bool accepted = result == CallResult::accepted;
    if (accepted && receiver.failing) next_report_ = receiver.report_at = now;
    if (result != CallResult::none) receiver.failing = !accepted;
}

void Receivers::report_by(Receiver& receiver, Mono now) {
    if (has_nothing_to_report(receiver)) return;
    const Mono wait = is_urgent(receiver) ? report_failures_after : report_successes_after;
    receiver.report_at = std::min(receiver.report_at, now + wait);
    next_report_ = std::min(next_report_, receiver.report_at);
}

std::vector<ReceiverReport> Receivers::to_report(bool all, std::size_t limit, Mono now) {
    std::vector<ReceiverReport> reports;
    next_report_ = Mono::max();
    for (auto& [endpoint, receiver] : receivers_) {
        if (has_nothing_to_report(receiver)) continue;
        if (reports.size() == limit || (!all && now < receiver.report_at)) {
            next_report_ = std::min(next_report_, receiver.report_at);
            continue;
        }
        reports.push_back({endpoint, receiver.results, receiver.probe_result});
        receiver.results = {};
        receiver.probe_result.reset();
        receiver.report_at = Mono::max();
    }
    return reports;
}

void Receivers::put_back(std::span<const ReceiverReport> reports, Mono now) {
    for (const ReceiverReport& one : reports) {
        Receiver& receiver = receivers_[one.endpoint];
        receiver.results.accepted += one.results.accepted;
        receiver.results.answered += one.results.answered;
        receiver.results.failed += one.results.failed;
        if (!receiver.probe_result) receiver.probe_result = one.probe;
        report_by(receiver, now);
    }
}

bool Receivers::has_reported(bool all) const {
    return std::ranges::none_of(receivers_, [&](const auto& entry) {
        return is_urgent(entry.second) || (all && !has_nothing_to_report(entry.second));
    });
}

bool Receivers::has_slots() const {
    return std::ranges::any_of(receivers_,
                               [](const auto& entry) { return entry.second.slots > 0; });
}

void Receivers::forget_idle(const std::function<bool(EndpointId)>& in_use, Mono now) {
    std::erase_if(receivers_, [&](const auto& entry) {
        const Receiver& receiver = entry.second;
        return receiver.slots == 0 && !receiver.probe && has_nothing_to_report(receiver) &&
               now - receiver.last_met >= recently_seen && !in_use(entry.first);
    });
}

}  // namespace sundial
