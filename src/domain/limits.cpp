#include "domain/limits.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sundial {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();
/// An instance that did not get enough slots repeats its request within this time.
constexpr microseconds lacks_for = 2s;
/// If a demand comes later than this after its token was available, the time beyond is lost.
constexpr microseconds latest_demand = 100ms;
/// No demand reserves tokens further ahead.
constexpr microseconds max_ahead = 1s;

/// Time between two tokens, rounded up.
microseconds interval_of(const RateLimit& rate) {
    return microseconds{(1'000'000 + rate.per_second - 1) / rate.per_second};
}

/// The slots that an instance gets of `limit`, and how many of them it may fill.
struct Slots {
    std::uint32_t held;
    std::uint32_t share;
};
Slots slots_for(const Limits& limits, std::uint32_t limit, const LimitDemand& demand, Instant now) {
    std::uint32_t taken = 0;
    std::uint32_t contenders = 1;
    bool others_lack = false;
    for (const SlotLease& lease : limits.leases) {
        if (lease.by == demand.by) continue;
        taken += lease.slots;
        ++contenders;
        if (lease.lacks_until > now) others_lack = true;
    }
    const std::uint32_t free = limit - std::min(limit, taken);
    const std::uint32_t share = others_lack ? (limit + contenders - 1) / contenders : limit;
    const std::uint32_t needed = std::min(demand.in_flight + demand.waiting, share);
    return {std::min(free, std::max(demand.in_flight, needed)), share};
}

void keep_lease(Limits& limits, const LimitDemand& demand, std::uint32_t slots, Instant now) {
    const bool lacks = demand.in_flight + demand.waiting > slots;
    if (slots == 0 && !lacks) return;
    limits.leases.push_back({.by = demand.by,
                             .slots = slots,
                             .ends = now + demand.lease,
                             .lacks_until = lacks ? now + lacks_for : now});
}

bool is_over(const SlotLease& lease, Instant now) {
    return lease.ends <= now || (lease.slots == 0 && lease.lacks_until <= now);
}

/// Reserves a token for each admitted event. A token is available once the bucket lacks at most all
/// others, so the starts are never closer together than `burst` and the rate allow.
void take_tokens(Limits& limits, const RateLimit& rate, const LimitDemand& demand, Instant now,
                 LimitGrant& grant) {
    const microseconds interval = interval_of(rate);
    const Instant since = std::clamp(demand.since.value_or(now), now - latest_demand, now);
    // It lacks more only after the clock has stepped back or the rate was raised.
    const Instant latest = now + max_ahead + rate.burst * interval;
    Instant full_at = std::clamp(limits.bucket_full_at, since, latest);
    while (grant.starts.size() < grant.admitted) {
        const Instant start = std::max(now, full_at - (rate.burst - 1) * interval);
        if (start > now + demand.ahead) {
            grant.next_token = start;
            break;
        }
        grant.starts.push_back(start);
        full_at += interval;
    }
    grant.admitted = static_cast<std::uint32_t>(grant.starts.size());
    limits.bucket_full_at = full_at;
}

}  // namespace

Shared share_out(Limits limits, const LimitRules& rules, const LimitDemand& demand, Instant now) {
    std::erase_if(limits.leases, [&](const SlotLease& lease) { return is_over(lease, now); });
    LimitGrant grant{.admitted = demand.waiting, .slots = unlimited, .share = unlimited};
    if (rules.max_in_flight) {
        const Slots slots = slots_for(limits, *rules.max_in_flight, demand, now);
        grant.slots = slots.held;
        grant.share = slots.share;
        const std::uint32_t room = slots.held - std::min(slots.held, demand.in_flight);
        grant.admitted = std::min(grant.admitted, room);
    }
    if (rules.rate) take_tokens(limits, *rules.rate, demand, now, grant);
    std::erase_if(limits.leases, [&](const SlotLease& lease) { return lease.by == demand.by; });
    if (rules.max_in_flight) keep_lease(limits, demand, grant.slots, now);
    return {std::move(limits), std::move(grant)};
}

}  // namespace sundial
