#include "application/delivery/claim_scheduler.hpp"

#include <algorithm>

namespace sundial {
namespace {

using namespace std::chrono_literals;

constexpr std::array<int, 4> weights{8, 4, 2, 1};

/// Claims of at least this size request one event of every priority that had none, to notice new
/// ones.
constexpr std::uint32_t probing_from = 8;
/// Smaller claims have no slot for this. Every fourth of them assumes again that all priorities
/// have events.
constexpr unsigned small_claims_between_resets = 4;

/// Fruitless claims before a pass gives up on a part. The rest of 5 ms doubles each time and
/// reaches about 1.3 s by then.
constexpr unsigned max_empty_claims = 8;
constexpr std::chrono::microseconds first_rest = 5ms;
/// Minimum times between reads while there are due events to claim: of those caused by parts whose
/// next instant is not known, which take at most a tenth of the time, and of those by hints.
constexpr std::chrono::microseconds unknown_waits = 5ms;
constexpr int peeks_one_in = 10;
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
    const bool probing = total >= probing_from;
    if (!probing && ++small_claims_ % small_claims_between_resets == 0) reset();
    if (drained()) reset();
    return divide(total, wants_more_, probing);
}

Shares PriorityShares::of_few(std::uint32_t total) {
    const bool any = std::ranges::find(recent_, true) != recent_.end();
    return divide(total, any ? recent_ : wants_more_, any);
}

Shares PriorityShares::divide(std::uint32_t total, const Chosen& chosen, bool probing) {
    Shares shares{};
    std::uint32_t left = total;
    int sum_of_weights = 0;
    for (std::size_t p = 0; p < shares.size(); ++p) {
        if (chosen[p]) {
            sum_of_weights += weights[p];
        } else if (probing) {
            shares[p] = 1;
            --left;
        }
    }
    // Smooth weighted round robin: the priority with the most credit gets the next slot.
    for (; left > 0; --left) {
        std::size_t next = shares.size();
        for (std::size_t p = 0; p < shares.size(); ++p) {
            if (!chosen[p]) continue;
            credit_[p] += weights[p];
            if (next == shares.size() || credit_[p] > credit_[next]) next = p;
        }
        credit_[next] -= sum_of_weights;
        ++shares[next];
    }
    return shares;
}

void PriorityShares::found(const Shares& asked, const Shares& returned) {
    for (std::size_t p = 0; p < asked.size(); ++p) {
        if (asked[p] == 0) continue;
        wants_more_[p] = returned[p] >= asked[p];
        recent_[p] = returned[p] > 0;
    }
}

bool PriorityShares::drained() const {
    return std::ranges::none_of(wants_more_, [](bool may_have_more) { return may_have_more; });
}

ClaimScheduler::ClaimScheduler(std::uint32_t parts, std::uint32_t first,
                               std::chrono::microseconds tick, bool stands_still,
                               std::uint32_t max_together)
    : parts_(parts),
      turn_(first % parts),
      tick_(tick),
      stands_still_(stands_still),
      max_together_(max_together) {}

void ClaimScheduler::note_peek(const QueuePeek& peeked, Mono asked_at, Mono now) {
    parts_.resize(peeked.next.size());  // another number of lanes
    time_.read(peeked.now, asked_at, now);
    peeked_at_ = now;
    peek_took_ = std::chrono::duration_cast<std::chrono::microseconds>(now - asked_at);
    reported_ = false;
    hint_ = never;  // the read that just ended includes it
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        parts_[i].known = true;
        parts_[i].next = peeked.next[i];
    }
}

void ClaimScheduler::claimed(std::span<const Turn> turns, std::span<const Claimed> claims,
                             Mono asked_at, Mono now) {
    const bool clock_stood_still = claims.front().now <= time_.last_read();
    for (std::size_t i = 0; i < claims.size(); ++i) {
        time_.read(claims[i].now, asked_at, now);
        note(turns[i], claims[i], clock_stood_still, now);
    }
}

void ClaimScheduler::note(const Turn& turn, const Claimed& claimed, bool clock_stood_still,
                          Mono now) {
    turn_ = (turn.part + 1) % static_cast<std::uint32_t>(parts_.size());
    Part& part = parts_[turn.part];
    const bool in_vain = claimed.events.empty() && claimed.lined_up.empty();
    const bool came_too_early = in_vain && claimed.now < part.next;
    // Another transaction may make an event claimable earlier and commit after the claim has
    // looked. That is no worse than after a peek: `expected` has the settlements and releases of
    // this instance, which may run beside a claim; a hint stays until the next peek; all other
    // changes are found by the peek of the next tick.
    if (claimed.next) {
        part.known = true;
        part.next = std::min(*claimed.next, part.expected);
        reported_ = true;
    }
    if (came_too_early) {  // the fastest call so far has improved the estimate
        if (clock_stood_still) part.rests_until = now + first_rest;
        return;
    }
    part.last = static_cast<std::uint32_t>(claimed.events.size() + claimed.lined_up.size());
    part.shares.found(turn.shares, count_by_priority(claimed));
    const bool none_left = claimed.next && *claimed.next > claimed.now;
    if (!in_vain || none_left) {
        part.empty_claims = 0;
        part.rests_until = {};
    }
    part.drained = part.shares.drained() || none_left;
    if (!part.drained) return;
    part.shares.reset();
    if (!claimed.next) part.known = false;
    if (in_vain && !none_left) {
        part.rests_until =
            now + std::min(tick_, first_rest * (1 << std::min(part.empty_claims, 8U)));
        ++part.empty_claims;
    }
}

void ClaimScheduler::claim_failed(std::uint32_t part) { parts_[part].known = false; }

void ClaimScheduler::expect(std::uint32_t part, Instant due) {
    Part& its = parts_[part];
    its.next = std::min(its.next, due);
    its.expected = std::min(its.expected, due);
}

void ClaimScheduler::hint(Instant due) { hint_ = std::min(hint_, due); }

bool ClaimScheduler::due(const Part& part, Mono now) const {
    return part.known && part.next <= reached(now);
}

bool ClaimScheduler::ready(const Part& part, Mono now) const {
    return due(part, now) && now >= part.rests_until && part.room > 0;
}

std::vector<ClaimScheduler::Turn> ClaimScheduler::next_claims(std::uint32_t total, Mono now) {
    const auto enough = [](const Part& part) { return std::max(probing_from, 2 * part.last); };
    std::vector<Turn> turns;
    std::uint32_t left = total;
    for (std::size_t i = 0; i < parts_.size() && turns.size() < max_together_; ++i) {
        const auto number = static_cast<std::uint32_t>((turn_ + i) % parts_.size());
        const Part& part = parts_[number];
        if (!ready(part, now)) continue;
        const bool alone = part.room != unlimited;
        if (!turns.empty() && (alone || enough(part) > left)) break;
        turns.push_back({number, {}});
        left -= std::min(left, enough(part));
        if (alone) break;
    }
    // The claims report the next instants, so that no peek is needed after them. Claims that take
    // only a part of many due events need not look. A hint that has come due needs a peek anyway:
    // parts that were drained wait for it, so that the others cannot put it off for long. Nothing
    // is gained on a test clock, which may be moved at any time.
    const bool look = !stands_still_ && hint_ > reached(now);
    for (Turn& turn : turns) {
        Part& part = parts_[turn.part];
        turn.with_next = look && (turns.size() > 1 || part.drained);
        part.expected = never;
    }
    if (turns.size() == 1) {
        Part& only = parts_[turns.front().part];
        turns.front().shares = only.shares.of(std::min(total, only.room));
        return turns;
    }
    for (Turn& turn : turns) {
        Part& part = parts_[turn.part];
        const auto more = left / static_cast<std::uint32_t>(turns.size());
        turn.shares = part.shares.of_few(enough(part) + more);
    }
    return turns;
}

bool ClaimScheduler::anything_due(Mono now) const {
    return std::ranges::any_of(parts_,
                               [&](const Part& part) { return part.room > 0 && due(part, now); });
}

bool ClaimScheduler::nothing_claimable(Mono now) const {
    return std::ranges::all_of(parts_, [&](const Part& part) {
        return !due(part, now) || part.empty_claims >= max_empty_claims;
    });
}

bool ClaimScheduler::must_peek(Mono now) const {
    if (!peeked_at_ || now >= *peeked_at_ + tick_) return true;
    // A test clock may have been moved since it was read.
    if (hint_ != never && (stands_still_ || hint_ <= reached(now))) return true;
    return any_unknown();
}

bool ClaimScheduler::any_unknown() const {
    return std::ranges::any_of(parts_, [](const Part& part) { return !part.known; });
}

bool ClaimScheduler::peek_overdue(Mono now) const {
    if (!peeked_at_ || now >= *peeked_at_ + tick_) return true;
    // Without reports, all parts become unknown soon, and then there is nothing to claim.
    if (reported_ && any_unknown() &&
        now >= *peeked_at_ + std::max(unknown_waits, peeks_one_in * peek_took_)) {
        return true;
    }
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
    for (const Part& part : parts_) {
        if (part.room == 0) continue;  // until an attempt of its lane ends
        next = std::min(next, std::max(mono_of(part.next, now), part.rests_until));
    }
    return next;
}

bool ClaimScheduler::past(Instant then) const {
    return std::ranges::all_of(parts_,
                               [&](const Part& part) { return part.known && part.next > then; });
}

Instant ClaimScheduler::database_now(Mono now) const {
    return stands_still_ ? time_.last_read() : time_.at(now);
}

Instant ClaimScheduler::reached(Mono now) const {
    return stands_still_ ? time_.last_read() : time_.for_a_call(now);
}

}  // namespace sundial
