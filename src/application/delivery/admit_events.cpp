#include "application/delivery/admit_events.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "application/delivery/division.hpp"
#include "application/transactions/in_parts.hpp"
#include "base/check.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

/// The circuits that are not closed. Reads without locks, because most circuits are closed.
template <class Asked>
std::vector<EndpointId> not_closed(Transaction& tx, std::span<const Asked> asked) {
    std::vector<EndpointId> ids;
    for (const Asked& one : asked) ids.push_back(one.endpoint);
    std::vector<EndpointId> found;
    for (const Circuit& circuit : tx.circuits().find_all(ids)) {
        if (circuit.state != CircuitState::closed) found.push_back(circuit.endpoint);
    }
    return found;
}

/// A circuit that is not closed is checked again after this time at the latest, because its probe
/// may have been answered.
constexpr std::chrono::microseconds until_next_probe = 100ms;

/// Delay before the next request for slots that other instances hold.
constexpr std::chrono::microseconds slots_again = 250ms;

bool has_limits(const LimitRules& rules) { return rules.rate || rules.max_in_flight; }

}  // namespace

std::vector<Admission> AdmitEvents::run(InstanceId by, std::span<const AdmissionRequest> asked,
                                        std::chrono::microseconds lease) {
    base::check(std::ranges::is_sorted(asked, {}, &AdmissionRequest::endpoint));
    std::vector<Admission> admissions;
    store_.transact([&](Transaction& tx) {
        admissions.clear();
        const auto open = not_closed(tx, asked);
        for (const AdmissionRequest& one : asked) {
            const bool closed = std::ranges::find(open, one.endpoint) == open.end();
            admissions.push_back(answer(tx, by, one, lease, closed));
        }
        return true;
    });
    return admissions;
}

std::vector<LineAnswer> AdmitEvents::claim_from_lines(EventQueue& queue, InstanceId by,
                                                      std::span<const LineClaim> asked,
                                                      std::chrono::microseconds lease,
                                                      std::chrono::microseconds ahead) {
    base::check(std::ranges::is_sorted(asked, {}, &LineClaim::endpoint));
    std::vector<LineAnswer> answers;
    store_.transact([&](Transaction& tx) {
        answers.clear();
        for (const LineClaim& one : asked) {
            answers.push_back(claim_from_line(tx, queue, one, {by, lease, ahead}));
        }
        return true;
    });
    return answers;
}

LineAnswer AdmitEvents::claim_from_line(Transaction& tx, EventQueue& queue, const LineClaim& asked,
                                        const LineTerms& terms) {
    const Instant now = tx.now();
    LineAnswer answer{.endpoint = asked.endpoint, .now = now, .left = asked.places};
    const auto endpoint = tx.endpoints().find(asked.endpoint);
    // Events of a disabled endpoint need no permit, because they are parked.
    const bool enabled = endpoint && endpoint->enabled;
    if (enabled) answer.rules = {endpoint->rate_limit, endpoint->max_in_flight};
    std::optional<Circuit> circuit;
    if (enabled && !not_closed(tx, std::span{&asked, 1}).empty()) {
        circuit = tx.circuits().lock(asked.endpoint);
        if (circuit->state == CircuitState::closed) circuit.reset();
    }
    const bool probes = circuit && asked.may_probe && may_probe(*circuit, terms.by, now);

    LimitDemand demand{.by = terms.by,
                       .in_flight = asked.in_flight,
                       .waiting = !circuit ? asked.requested
                                  : probes ? std::min(asked.requested, 1U)
                                           : 0U,
                       .lease = terms.lease,
                       .ahead = terms.ahead};
    const bool limited = has_limits(answer.rules);
    const Limits limits =
        limited ? tx.limits().lock(asked.endpoint) : Limits{.endpoint = asked.endpoint};
    const LimitGrant max = share_out(limits, answer.rules, demand, now).grant;
    answer.events = claim_at_most(queue, asked.endpoint, max.admitted, terms, answer.left);
    const auto found = static_cast<std::uint32_t>(answer.events.size());
    // Permits that no event needs stay with the endpoint.
    if (found < max.admitted) demand.waiting = found;
    const auto [shared, grant] = share_out(limits, answer.rules, demand, now);
    if (limited) tx.limits().put(shared);

    answer.starts = grant.starts;
    answer.starts.resize(found, now);
    answer.slots = grant.slots;
    answer.share = grant.share;
    if (circuit) {
        answer.probe = found == 1;
        if (answer.probe) {
            circuit = begin_probe(*circuit, terms.by, now + terms.lease);
            tx.circuits().put(*circuit);
        }
        answer.retry = std::max(circuit->probe_at, now + until_next_probe);
    } else if (grant.next_token) {
        // Halfway through the reserved time, so that several permits arrive together and in time.
        answer.retry = *grant.next_token - terms.ahead / 2;
    } else {
        answer.full = grant.admitted < demand.waiting;
        if (answer.full) answer.retry = now + slots_again;
    }
    return answer;
}

std::vector<ClaimedEvent> AdmitEvents::claim_at_most(EventQueue& queue, EndpointId endpoint,
                                                     std::uint32_t limit, const LineTerms& terms,
                                                     LinePlaces& places) {
    std::vector<ClaimedEvent> all;
    std::vector<std::uint32_t> shards;
    for (const auto& [shard, heads] : places) shards.push_back(shard);
    // Instances begin at different shards, and come to each of them.
    const auto first =
        static_cast<std::ptrdiff_t>(random_.unit() * static_cast<double>(shards.size()));
    std::ranges::rotate(shards, shards.begin() + first);
    for (const std::uint32_t shard : shards) {
        Heads& heads = places.at(shard);
        MayHaveMore may_have_more{};
        for (std::size_t p = 0; p < heads.size(); ++p) may_have_more[p] = heads[p] != never;
        while (any(may_have_more) && all.size() < limit) {
            const auto left = limit - static_cast<std::uint32_t>(all.size());
            const Division shares = divided(left, may_have_more, random_);
            Claimed claimed = queue.claim_from_line({.by = terms.by,
                                                     .endpoint = endpoint,
                                                     .shard = shard,
                                                     .shares = shares,
                                                     .lease = terms.lease});
            Division found{};
            for (ClaimedEvent& one : claimed.events) {
                ++found[static_cast<std::size_t>(one.event.priority)];
                all.push_back(std::move(one));
            }
            for (std::size_t p = 0; p < found.size(); ++p) {
                if (found[p] >= shares[p]) continue;
                may_have_more[p] = false;
                heads[p] = never;
            }
        }
        if (!any(may_have_more)) places.erase(shard);
    }
    return all;
}

std::size_t AdmitEvents::release_if_closed(std::span<const BlockedEvent> claims) {
    std::size_t all = 0;
    for_each_part(
        store_, claims, [](const BlockedEvent& claim) { return claim.event; },
        [&](std::span<const BlockedEvent> part) { all += release_part(part); });
    return all;
}

std::size_t AdmitEvents::release_part(std::span<const BlockedEvent> claims) {
    std::size_t released = 0;
    store_.transact([&](Transaction& tx) {
        released = 0;
        const auto open = not_closed(tx, claims);
        for (const BlockedEvent& one : claims) {
            if (std::ranges::find(open, one.endpoint) != open.end()) continue;
            const auto event = tx.events().lock(one.event);
            if (!event || event->version != base::next(one.held)) continue;
            const auto freed = expedite(*event, tx.now());
            if (!freed) continue;  // our lease had expired, and another instance has claimed it
            tx.events().update(*freed);
            ++released;
        }
        return released > 0;
    });
    return released;
}

Admission AdmitEvents::answer(Transaction& tx, InstanceId by, const AdmissionRequest& asked,
                              std::chrono::microseconds lease, bool closed) {
    const Instant now = tx.now();
    std::optional<Circuit> circuit;
    if (!closed) circuit = tx.circuits().lock(asked.endpoint);
    if (circuit && circuit->state == CircuitState::closed) circuit.reset();
    const bool probes =
        circuit && asked.waiting > 0 && asked.may_probe && may_probe(*circuit, by, now);

    LimitDemand demand{.by = by,
                       .in_flight = asked.in_flight,
                       .waiting = !circuit ? asked.waiting
                                  : probes ? 1U
                                           : 0U,
                       .lease = lease};
    // A request without waiting events returns slots, possibly those of a limit that was removed.
    const bool shares = has_limits(asked.rules) || asked.waiting == 0;
    Limits limits{.endpoint = asked.endpoint};
    if (shares) limits = tx.limits().lock(asked.endpoint);
    const auto [shared, grant] = share_out(std::move(limits), asked.rules, demand, now);
    if (shares) tx.limits().put(shared);

    Admission admission{.endpoint = asked.endpoint,
                        .admitted = grant.admitted,
                        .slots = grant.slots,
                        .share = grant.share};
    if (circuit && grant.admitted == 1) {
        admission.probe = true;
        circuit = begin_probe(*circuit, by, now + lease);
        tx.circuits().put(*circuit);
    }
    if (admission.admitted == asked.waiting) return admission;
    if (!circuit) {
        admission.obstacle = Obstacle::limit;
        return admission;
    }
    admission.obstacle = Obstacle::circuit;
    for (std::uint32_t i = admission.admitted; i < asked.waiting; ++i) {
        admission.waits.push_back(wait_for_circuit(*circuit, now, random_.unit()));
    }
    return admission;
}

}  // namespace sundial
