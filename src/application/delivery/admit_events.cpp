#include "application/delivery/admit_events.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace sundial {
namespace {

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

bool has_limits(const LimitRules& rules) { return rules.rate || rules.max_in_flight; }

}  // namespace

std::vector<Admission> AdmitEvents::run(InstanceId by, std::span<const AdmissionAsked> asked,
                                        std::chrono::microseconds lease) {
    base::check(std::ranges::is_sorted(asked, {}, &AdmissionAsked::endpoint));
    std::vector<Admission> admissions;
    store_.transact([&](Transaction& tx) {
        admissions.clear();
        const auto open = not_closed(tx, asked);
        for (const AdmissionAsked& one : asked) {
            const bool closed = std::ranges::find(open, one.endpoint) == open.end();
            admissions.push_back(answer(tx, by, one, lease, closed));
        }
        return true;
    });
    return admissions;
}

std::size_t AdmitEvents::release_if_closed(std::span<const HeldUp> claims) {
    if (claims.empty()) return 0;
    std::size_t released = 0;
    store_.transact([&](Transaction& tx) {
        released = 0;
        const auto open = not_closed(tx, claims);
        for (const HeldUp& one : claims) {
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

Admission AdmitEvents::answer(Transaction& tx, InstanceId by, const AdmissionAsked& asked,
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
                       .mean_attempt = asked.mean_attempt,
                       .lease = lease};
    // A request without waiting events returns slots, perhaps of a limit that was removed.
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
        for (const Instant place : grant.places) admission.waits.push_back(place - now);
        return admission;
    }
    admission.obstacle = Obstacle::circuit;
    for (std::uint32_t i = admission.admitted; i < asked.waiting; ++i) {
        admission.waits.push_back(wait_for_circuit(*circuit, now, random_.unit()));
    }
    return admission;
}

}  // namespace sundial
