#include "domain/limits.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sundial {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();
/// A place further ahead would outlive the facts it was computed from: an edit of the limit, the
/// other instances.
constexpr microseconds farthest_place = 10min;
/// Assumed duration of a request while none was measured; spaces the events that wait for a slot.
constexpr microseconds usual_attempt = 250ms;
constexpr microseconds shortest_spacing = 1ms;
/// An instance that did not get enough and still needs more asks again within this time.
constexpr microseconds lacks_for = 2s;

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
    const std::uint32_t wanted = std::min(demand.in_flight + demand.waiting, share);
    return {std::min(free, std::max(demand.in_flight, wanted)), share};
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

/// Spaces the returns of waiting events at the rate at which capacity becomes free.
std::vector<Instant> places_for(Limits& limits, std::uint32_t waiting, Instant earliest,
                                microseconds spacing, Instant now) {
    std::vector<Instant> places;
    for (std::uint32_t i = 0; i < waiting; ++i) {
        Instant place = std::max(limits.promised_until + spacing, earliest);
        if (place - now > farthest_place) place = earliest;
        places.push_back(place);
        limits.promised_until = place;
    }
    return places;
}

}  // namespace

std::uint32_t tokens_at(const Limits& limits, const RateLimit& rate, Instant now) {
    const microseconds interval = interval_of(rate);
    const microseconds missing = std::max<microseconds>(limits.bucket_full_at - now, 0us);
    const auto lacking = static_cast<std::uint64_t>((missing + interval - 1us) / interval);
    return lacking >= rate.burst ? 0 : rate.burst - static_cast<std::uint32_t>(lacking);
}

Shared share_out(Limits limits, const LimitRules& rules, const LimitDemand& demand, Instant now) {
    std::erase_if(limits.leases, [&](const SlotLease& lease) { return is_over(lease, now); });
    LimitGrant grant{.admitted = demand.waiting, .slots = unlimited, .share = unlimited};
    Instant earliest = now;
    microseconds spacing = shortest_spacing;
    if (rules.max_in_flight) {
        const Slots slots = slots_for(limits, *rules.max_in_flight, demand, now);
        grant.slots = slots.held;
        grant.share = slots.share;
        const std::uint32_t room = slots.held - std::min(slots.held, demand.in_flight);
        grant.admitted = std::min(grant.admitted, room);
        const microseconds mean = demand.mean_attempt > 0us ? demand.mean_attempt : usual_attempt;
        spacing = std::max(spacing, mean / *rules.max_in_flight);
        earliest = now + spacing;
    }
    if (rules.rate) {
        const microseconds interval = interval_of(*rules.rate);
        grant.admitted = std::min(grant.admitted, tokens_at(limits, *rules.rate, now));
        limits.bucket_full_at = std::max(limits.bucket_full_at, now) + grant.admitted * interval;
        spacing = std::max(spacing, interval);
        // When the bucket gets its next token.
        const Instant next_token = limits.bucket_full_at - (rules.rate->burst - 1) * interval;
        earliest = std::max(earliest, next_token);
    }
    std::erase_if(limits.leases, [&](const SlotLease& lease) { return lease.by == demand.by; });
    if (rules.max_in_flight) keep_lease(limits, demand, grant.slots, now);
    grant.places = places_for(limits, demand.waiting - grant.admitted, earliest, spacing, now);
    return {std::move(limits), std::move(grant)};
}

}  // namespace sundial
