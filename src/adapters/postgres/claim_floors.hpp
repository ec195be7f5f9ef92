#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "domain/time/types.hpp"

namespace sundial::postgres {

/// Where claims begin to look. While somebody holds an old snapshot (a report, a backup), nothing
/// that was claimed since can leave the index, and each claim and look would walk past all of it.
/// So once a look has met too much of that, each shard and priority has a floor: an instant below
/// which a look has seen nothing that waits. A hint, held by this instance alone; what others make
/// claimable below it is found by the looks that still begin at the beginning, at shards in turn,
/// so that they take a fifth of the time at most. Thread-safe.
class ClaimFloors {
public:
    using Mono = std::chrono::steady_clock::time_point;
    using Priorities = std::array<Instant, 4>;
    /// So many entries of the index may a look through all shards read before there are floors.
    static constexpr std::uint64_t many = 50'000;
    static constexpr std::uint64_t no_number = std::numeric_limits<std::uint64_t>::max();
    ClaimFloors(std::uint32_t shards, std::uint64_t limit);

    /// Of a claim: where each priority begins.
    [[nodiscard]] Priorities of(std::uint32_t shard) const;

    /// Where a look begins in each shard and priority, in this order.
    struct Look {
        std::vector<Instant> from;
        std::vector<bool> whole;  // by shard
        Mono began;
    };
    [[nodiscard]] Look begin(Mono now);
    /// What it has seen: where in the index of each the first stands that is free or will be soon,
    /// the database's time at the begin, and how many entries it has read.
    struct Seen {
        const std::vector<Instant>& heads;
        Instant now;
        std::uint64_t entries;
    };
    void end(const Look& look, const Seen& seen, Mono now);

private:
    void count(const Look& look, std::uint64_t entries, std::chrono::microseconds took);

    const std::size_t shards_;
    const std::uint64_t limit_;
    mutable std::mutex mutex_;
    std::vector<Instant> floors_;
    bool raised_ = false;
    Mono last_{};
    std::size_t turn_ = 0;                           // the next shard to look through
    std::chrono::microseconds allowance_{0};         // time for that
    std::chrono::microseconds took_for_a_shard_{0};  // the last time
    std::size_t counted_ = 0;                        // shards of this round
    std::uint64_t entries_ = 0;                      // read in it
};

}  // namespace sundial::postgres
