#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "domain/time/types.hpp"

namespace sundial::postgres {

/// Where claims begin to look (ADR 0026). What was claimed stays in the index until it is vacuumed,
/// and while somebody holds an old snapshot (a report, a backup) that does not help either: each
/// claim and look would walk past all of it. So once a look has met too much of that, each shard
/// and priority has a floor: an instant below which a look has seen nothing that waits. A hint,
/// held by this instance alone; what others make claimable below it is found by a sweep, slice by
/// slice, which takes a tenth of the time at most. Thread-safe.
class ClaimFloors {
public:
    using Mono = std::chrono::steady_clock::time_point;
    using Priorities = std::array<Instant, 4>;
    /// So many pages may a look read, of the index and the table, before there are floors.
    static constexpr std::uint64_t many = 2'000;
    static constexpr std::uint64_t no_number = std::numeric_limits<std::uint64_t>::max();
    ClaimFloors(std::uint32_t shards, std::uint64_t limit);

    /// Of a claim: where each priority begins.
    [[nodiscard]] Priorities of(std::uint32_t shard) const;

    /// What a look has seen in the index, of what it was to read.
    struct Seen {
        std::vector<Instant> heads;    // of each: where the first stands that is free, or will soon
        std::uint64_t pages = 0;       // how many it has read
        Instant now{};                 // the database's time before it
        std::uint64_t first_open = 0;  // every transaction of a smaller number was over
        std::uint64_t next = 0;        // the number that a transaction would have got
    };
    /// Where a look begins in each shard and priority, in this order.
    [[nodiscard]] std::vector<Instant> all() const;
    /// What a look that began at `from` has seen raises the floors.
    void looked(const std::vector<Instant>& from, const Seen& seen, Mono now);
    /// So much is dead from the beginning on that it cannot be read in time: from now on looks
    /// begin a second before `about_now`, and what waits below is left to the sweep.
    void could_not_look(Instant about_now, Mono now);
    /// Something is claimable at `due`, in whatever shard: looks begin there. What is due for long
    /// is left to the sweep, since on the way there may be all that is dead.
    void lower(Instant due);

    /// Of one shard, all priorities.
    struct Slice {
        std::uint32_t shard;
        Instant from, until;
    };
    /// What to read now of what lies below the floors, if anything.
    [[nodiscard]] std::optional<Slice> next_slice(Mono now);
    void swept(const Slice& slice, const Seen& seen, std::chrono::microseconds took);
    /// It could not be read in time: the next is shorter.
    void gave_up(const Slice& slice, std::chrono::microseconds took);

private:
    void begin_to_sweep(Mono now);
    [[nodiscard]] Instant top_of(std::uint32_t shard) const;
    void sweep_from(std::uint32_t shard);

    /// What was written before `at` is of transactions with smaller numbers than `next`.
    struct Witness {
        Instant at;
        std::uint64_t next;
    };

    const std::uint32_t shards_;
    const std::uint64_t limit_;
    mutable std::mutex mutex_;
    std::vector<Instant> floors_;
    bool raised_ = false;
    Witness witness_, proven_;  // the latest; the latest of which a look has seen all
    // The sweep: shard by shard, down from the floors.
    std::uint32_t turn_ = 0;
    Instant down_to_;                 // where the next slice ends
    std::chrono::microseconds step_;  // how long that one is
    std::uint64_t pages_ = 0;         // read in this round
    Mono last_{};
    std::chrono::microseconds allowance_{0};
};

}  // namespace sundial::postgres
