#include "adapters/postgres/claim_floors.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

/// Before every instant that an event can have.
constexpr Instant beginning = std::chrono::sys_days{std::chrono::year{-4000} / 1 / 1};
/// What is claimable from now on, by transactions that have not committed yet, lies above the floor
/// all the same.
constexpr std::chrono::microseconds margin = 1s;
/// The part of the time that whole looks may take.
constexpr int part = 5;
constexpr std::chrono::microseconds most_saved = 200ms;

constexpr std::size_t priorities = std::tuple_size_v<ClaimFloors::Priorities>;

}  // namespace

ClaimFloors::ClaimFloors(std::uint32_t shards, std::uint64_t limit)
    : shards_{shards}, limit_{limit}, floors_(shards * priorities, beginning) {}

ClaimFloors::Priorities ClaimFloors::of(std::uint32_t shard) const {
    const std::lock_guard lock{mutex_};
    Priorities floors;
    floors.fill(beginning);
    if (!raised_) return floors;
    for (std::size_t i = 0; i < priorities; ++i) floors[i] = floors_[shard * priorities + i];
    return floors;
}

ClaimFloors::Look ClaimFloors::begin(Mono now) {
    const std::lock_guard lock{mutex_};
    const auto since = std::chrono::duration_cast<std::chrono::microseconds>(now - last_);
    allowance_ = std::min(allowance_ + since / part, most_saved);
    last_ = now;
    std::size_t whole = shards_;
    if (raised_ && took_for_a_shard_ > 0us) {
        const auto affordable = std::max<std::int64_t>(allowance_ / took_for_a_shard_, 0);
        whole = std::min(static_cast<std::size_t>(affordable), shards_);
        // One that takes longer than can be saved has its turn when all is saved.
        if (whole == 0 && allowance_ == most_saved) whole = 1;
    }
    Look look{floors_, std::vector<bool>(shards_), now};
    for (; whole > 0; --whole) {
        look.whole[turn_] = true;
        for (std::size_t i = 0; i < priorities; ++i) look.from[turn_ * priorities + i] = beginning;
        turn_ = (turn_ + 1) % shards_;
    }
    return look;
}

void ClaimFloors::end(const Look& look, const Seen& seen, Mono now) {
    base::check(seen.heads.size() == floors_.size());
    const std::lock_guard lock{mutex_};
    for (std::size_t i = 0; i < floors_.size(); ++i) {
        const Instant safe = std::min(seen.heads[i], seen.now) - margin;
        if (look.whole[i / priorities]) {
            floors_[i] = safe;
        } else if (floors_[i] == look.from[i]) {  // no other look has lowered it meanwhile
            floors_[i] = std::max(floors_[i], safe);
        }
    }
    count(look, seen.entries,
          std::chrono::duration_cast<std::chrono::microseconds>(now - look.began));
}

void ClaimFloors::count(const Look& look, std::uint64_t entries, std::chrono::microseconds took) {
    const auto whole = std::ranges::count(look.whole, true);
    if (whole == 0) return;
    took_for_a_shard_ = took / whole;
    allowance_ = raised_ ? allowance_ - took : 0us;
    counted_ += static_cast<std::size_t>(whole);
    entries_ += entries;
    if (counted_ < shards_) return;
    raised_ = entries_ >= limit_;
    counted_ = 0;
    entries_ = 0;
}

}  // namespace sundial::postgres
