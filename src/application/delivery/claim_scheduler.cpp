#include "application/delivery/claim_scheduler.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

constexpr std::array<int, 4> weights{8, 4, 2, 1};

/// Claims of at least this size ask for one event of every priority that had none, to notice when
/// that changes.
constexpr std::uint32_t probing_from = 8;
/// Smaller claims have no slot for this. Every fourth of them assumes again that all priorities
/// have events.
constexpr unsigned small_claims_between_resets = 4;

/// Fruitless claims before a pass gives up on a shard. The rest of 5 ms doubles each time and
/// reaches about 1.3 s by then.
constexpr unsigned max_empty_claims = 8;
constexpr std::chrono::microseconds first_rest = 5ms;
/// Minimum time between reads caused by hints while there are due events to claim.
constexpr std::chrono::microseconds hint_waits = 50ms;

Shares count_by_priority(const Claimed& claimed) {
    Shares counts{};
    for (const ClaimedEvent& one : claimed.events) {
        ++counts[static_cast<std::size_t>(one.event.priority)];
    }
    for (const LineHead& one : claimed.lined_up) ++counts[static_cast<std::size_t>(one.priority)];
    return counts;
}

}  // namespace

Shares PriorityShares::of(std::uint32_t total) {
    Shares shares{};
    const bool probing = total >= probing_from;
    if (!probing && ++small_claims_ % small_claims_between_resets == 0) reset();
    if (drained()) reset();
    std::uint32_t left = total;
    int sum_of_weights = 0;
    for (std::size_t p = 0; p < shares.size(); ++p) {
        if (wants_more_[p]) {
            sum_of_weights += weights[p];
        } else if (probing) {
            shares[p] = 1;
            --left;
        }
    }
    // Smooth weighted round robin: the priority with the most credit gets the next slot.
    for (; left > 0; --left) {
        std::size_t chosen = shares.size();
        for (std::size_t p = 0; p < shares.size(); ++p) {
            if (!wants_more_[p]) continue;
            credit_[p] += weights[p];
            if (chosen == shares.size() || credit_[p] > credit_[chosen]) chosen = p;
        }
        credit_[chosen] -= sum_of_weights;
        ++shares[chosen];
    }
    return shares;
}

void PriorityShares::found(const Shares& asked, const Shares& returned) {
    for (std::size_t p = 0; p < asked.size(); ++p) {
        if (asked[p] > 0) wants_more_[p] = returned[p] >= asked[p];
    }
}

bool PriorityShares::drained() const {
    return std::ranges::none_of(wants_more_, [](bool wants_more) { return wants_more; });
}

ClaimScheduler::ClaimScheduler(std::uint32_t shards, std::uint32_t first,
                               std::chrono::microseconds tick, bool stands_still)
    : shards_(shards), turn_(first % shards), tick_(tick), stands_still_(stands_still) {}

void ClaimScheduler::note_peek(const QueuePeek& peeked, Mono asked_at, Mono now) {
    base::check(peeked.next.size() == shards_.size());
    time_.read(peeked.now, asked_at, now);
    peeked_at_ = now;
    hint_ = never;  // the data just read includes it
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        shards_[i].known = true;
        shards_[i].next = peeked.next[i];
    }
}

void ClaimScheduler::claimed(std::uint32_t shard_number, const Shares& asked,
                             const Claimed& claimed, Mono asked_at, Mono now) {
    const bool clock_stood_still = claimed.now <= time_.last_read();
    time_.read(claimed.now, asked_at, now);
    turn_ = (shard_number + 1) % static_cast<std::uint32_t>(shards_.size());
    Shard& shard = shards_[shard_number];
    const bool in_vain = claimed.events.empty() && claimed.lined_up.empty();
    const bool came_too_early = in_vain && claimed.now < shard.next;
    if (came_too_early) {  // the call was faster than all before; now the estimate includes it
        if (clock_stood_still) shard.rests_until = now + first_rest;
        return;
    }
    shard.shares.found(asked, count_by_priority(claimed));
    if (!in_vain) {
        shard.empty_claims = 0;
        shard.rests_until = {};
    }
    if (!shard.shares.drained()) return;
    shard.shares.reset();
    shard.known = false;
    if (in_vain) {
        shard.rests_until =
            now + std::min(tick_, first_rest * (1 << std::min(shard.empty_claims, 8U)));
        ++shard.empty_claims;
    }
}

void ClaimScheduler::claim_failed(std::uint32_t shard) { shards_[shard].known = false; }

void ClaimScheduler::expect(std::uint32_t shard, Instant due) {
    shards_[shard].next = std::min(shards_[shard].next, due);
}

void ClaimScheduler::hint(Instant due) { hint_ = std::min(hint_, due); }

bool ClaimScheduler::due(const Shard& shard, Mono now) const {
    return shard.known && shard.next <= reached(now);
}

bool ClaimScheduler::ready(const Shard& shard, Mono now) const {
    return due(shard, now) && now >= shard.rests_until;
}

std::optional<ClaimScheduler::Turn> ClaimScheduler::next_claim(std::uint32_t total, Mono now) {
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        const auto number = static_cast<std::uint32_t>((turn_ + i) % shards_.size());
        if (ready(shards_[number], now)) return Turn{number, shards_[number].shares.of(total)};
    }
    return std::nullopt;
}

bool ClaimScheduler::anything_due(Mono now) const {
    return std::ranges::any_of(shards_, [&](const Shard& shard) { return due(shard, now); });
}

bool ClaimScheduler::nothing_claimable(Mono now) const {
    return std::ranges::all_of(shards_, [&](const Shard& shard) {
        return !due(shard, now) || shard.empty_claims >= max_empty_claims;
    });
}

bool ClaimScheduler::must_peek(Mono now) const {
    if (!peeked_at_ || now >= *peeked_at_ + tick_) return true;
    // A test clock may have been moved since it was read.
    if (hint_ != never && (stands_still_ || hint_ <= reached(now))) return true;
    return std::ranges::any_of(shards_, [](const Shard& shard) { return !shard.known; });
}

bool ClaimScheduler::peek_overdue(Mono now) const {
    if (!peeked_at_ || now >= *peeked_at_ + tick_) return true;
    return now >= *peeked_at_ + hint_waits && hint_ <= reached(now);
}

Mono ClaimScheduler::mono_of(Instant due, Mono now) const {
    const Instant today = reached(now);
    if (due <= today) return now;
    if (stands_still_) return Mono::max();
    return now + std::min<std::chrono::microseconds>(due - today, 1h);
}

Mono ClaimScheduler::next_change(Mono now) const {
    if (must_peek(now)) return now;
    Mono next = std::min(*peeked_at_ + tick_, mono_of(hint_, now));
    for (const Shard& shard : shards_) {
        next = std::min(next, std::max(mono_of(shard.next, now), shard.rests_until));
    }
    return next;
}

bool ClaimScheduler::past(Instant then) const {
    return std::ranges::all_of(
        shards_, [&](const Shard& shard) { return shard.known && shard.next > then; });
}

Instant ClaimScheduler::database_now(Mono now) const {
    return stands_still_ ? time_.last_read() : time_.at(now);
}

Instant ClaimScheduler::reached(Mono now) const {
    return stands_still_ ? time_.last_read() : time_.for_a_call(now);
}

}  // namespace sundial
