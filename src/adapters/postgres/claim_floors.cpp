#include "adapters/postgres/claim_floors.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

/// Before every instant that an event can have.
constexpr Instant beginning = std::chrono::sys_days{std::chrono::year{-4000} / 1 / 1};
/// Floors stay this far behind the instant before which all writes have been seen, because a caller
/// that writes "now" has read the clock before.
constexpr std::chrono::microseconds margin = 200ms;
/// Maximum distance of a floor behind the clock, even if a transaction is open for longer.
constexpr std::chrono::microseconds max_behind = 1s;
/// A hint lowers the floors by at most this much.
constexpr std::chrono::microseconds recent = 10s;

/// The sweep may take one part in ten of the time, and accumulate at most 100 ms of unused time.
constexpr int part = 10;
constexpr std::chrono::microseconds max_saved = 100ms;
/// Target size of a slice in pages: a millisecond or two.
constexpr std::uint64_t of_a_slice = 1'000;
constexpr int growth = 4, retreat = 16;
constexpr std::chrono::microseconds first_step = 1s, last_step = 24h * 366;

constexpr std::size_t priorities = std::tuple_size_v<ClaimFloors::Priorities>;

}  // namespace

ClaimFloors::ClaimFloors(std::uint32_t shards, std::uint64_t limit)
    : shards_{shards},
      limit_{limit},
      floors_(shards * priorities, beginning),
      witness_{beginning, 0},
      proven_{beginning, 0},
      down_to_{beginning},
      step_{first_step} {}

ClaimFloors::Priorities ClaimFloors::of(std::uint32_t shard) const {
    const std::lock_guard lock{mutex_};
    Priorities floors;
    std::copy_n(&floors_.at(shard * priorities), priorities, floors.begin());
    return floors;
}

bool ClaimFloors::raised() const {
    const std::lock_guard lock{mutex_};
    return raised_;
}

std::vector<Instant> ClaimFloors::all() const {
    const std::lock_guard lock{mutex_};
    return floors_;
}

void ClaimFloors::note_peek(const std::vector<Instant>& from, const Seen& seen, Mono now) {
    base::check(from.size() == floors_.size() && seen.heads.size() == floors_.size());
    const std::lock_guard lock{mutex_};
    if (seen.first_open >= witness_.next) {
        proven_ = witness_;
        witness_ = {seen.now, seen.next};
    }
    if (!raised_ && seen.pages < limit_) return;
    const Instant proven = seen.first_open >= proven_.next ? proven_.at : beginning;
    const Instant safe = std::max(std::min(proven, seen.now) - margin, seen.now - max_behind);
    for (std::size_t i = 0; i < floors_.size(); ++i) {
        if (floors_[i] == from[i]) {  // not changed meanwhile
            floors_[i] = std::max(floors_[i], std::min(seen.heads[i], safe));
        }
        floors_[i] = std::min(floors_[i], seen.now - margin);  // the clock may have been set back
    }
    if (!raised_) begin_to_sweep(now);
}

void ClaimFloors::peek_failed(Instant approximate_now, Mono now) {
    const std::lock_guard lock{mutex_};
    if (raised_) return;
    std::ranges::fill(floors_, approximate_now - max_behind);
    begin_to_sweep(now);
}

void ClaimFloors::lower(Instant due) {
    const std::lock_guard lock{mutex_};
    if (!raised_ || due < *std::ranges::max_element(floors_) - recent) return;
    for (Instant& floor : floors_) floor = std::min(floor, due);
}

void ClaimFloors::lower_to_recent() {
    const std::lock_guard lock{mutex_};
    if (!raised_) return;
    for (Instant& floor : floors_) {
        if (floor != beginning) floor -= recent;
    }
}

std::optional<ClaimFloors::Slice> ClaimFloors::next_slice(Mono now) {
    const std::lock_guard lock{mutex_};
    if (!raised_) return std::nullopt;
    const auto since = std::chrono::duration_cast<std::chrono::microseconds>(now - last_);
    allowance_ = std::min(allowance_ + since / part, max_saved);
    last_ = now;
    if (allowance_ <= 0us) return std::nullopt;
    return Slice{turn_, step_ >= last_step ? beginning : down_to_ - step_, down_to_};
}

void ClaimFloors::swept(const Slice& slice, const Seen& seen, std::chrono::microseconds took) {
    base::check(seen.heads.size() == priorities);
    const std::lock_guard lock{mutex_};
    allowance_ -= took;
    for (std::size_t i = 0; i < priorities; ++i) {
        Instant& floor = floors_[slice.shard * priorities + i];
        floor = std::min(floor, seen.heads[i]);
    }
    if (!raised_ || slice.shard != turn_ || slice.until != down_to_) return;  // another was first
    pages_ += seen.pages;
    down_to_ = slice.from;
    if (seen.pages > of_a_slice) {
        step_ = std::max(step_ / 2, 1us);
    } else if (seen.pages < of_a_slice / growth) {
        step_ *= growth;
    }
    if (down_to_ != beginning) return;
    sweep_from((turn_ + 1) % shards_);
    if (turn_ != 0) return;  // in the middle of a round
    raised_ = pages_ >= limit_;
    pages_ = 0;
    if (!raised_) std::ranges::fill(floors_, beginning);
}

void ClaimFloors::gave_up(const Slice& slice, std::chrono::microseconds took) {
    const std::lock_guard lock{mutex_};
    allowance_ -= took;
    if (slice.shard == turn_ && slice.until == down_to_) step_ = std::max(step_ / retreat, 1us);
}

void ClaimFloors::begin_to_sweep(Mono now) {
    raised_ = true;
    last_ = now;
    allowance_ = 0us;
    pages_ = 0;
    sweep_from(0);
}

Instant ClaimFloors::top_of(std::uint32_t shard) const {
    return *std::max_element(&floors_[shard * priorities],
                             &floors_[shard * priorities] + priorities);
}

void ClaimFloors::sweep_from(std::uint32_t shard) {
    turn_ = shard;
    down_to_ = top_of(shard);
    step_ = first_step;
}

}  // namespace sundial::postgres
