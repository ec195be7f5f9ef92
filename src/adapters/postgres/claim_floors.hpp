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

/// Where claims start in their index (ADR 0026). Claimed entries stay in the index, dead, until the
/// table is vacuumed, and an old snapshot (a report, a backup) prevents even that. Without floors,
/// each claim and peek would read all of them. Once a peek has read too many pages, each shard and
/// priority gets a floor: an instant below which a peek has seen no waiting event. A floor is a
/// hint, kept by this instance only. A sweep finds events that become claimable below it: it reads
/// the index slice by slice and takes at most a tenth of the time. Thread-safe.
class ClaimFloors {
public:
    using Mono = std::chrono::steady_clock::time_point;
    using Priorities = std::array<Instant, 4>;
    /// Maximum pages of index and table that a peek may read before floors are introduced.
    static constexpr std::uint64_t many = 2'000;
    static constexpr std::uint64_t no_number = std::numeric_limits<std::uint64_t>::max();
    ClaimFloors(std::uint32_t shards, std::uint64_t limit);

    /// Where a claim starts in each priority of `shard`.
    [[nodiscard]] Priorities of(std::uint32_t shard) const;
    /// Whether claims start anywhere but at the beginning. Then frequent peeks are needed, to raise
    /// the floors and to sweep below them.
    [[nodiscard]] bool raised() const;

    /// The result of reading a part of the index, for each shard and priority read.
    struct Seen {
        // for each: the first entry that is free or will be soon
        std::vector<Instant> heads;
        std::uint64_t pages = 0;  // pages read
        Instant now{};            // the database's time before the read
        // every transaction with a smaller id had ended
        std::uint64_t first_open = 0;
        std::uint64_t next = 0;  // the id that the next transaction would have got
    };
    /// Where a peek starts in each shard and priority, in this order.
    [[nodiscard]] std::vector<Instant> all() const;
    /// Raises the floors by the result of a peek that started at `from`.
    void note_peek(const std::vector<Instant>& from, const Seen& seen, Mono now);
    /// Reports that a peek timed out on dead entries. From now on peeks start a second before
    /// `approximate_now`; the sweep finds events below that.
    void peek_failed(Instant approximate_now, Mono now);
    /// Reports that an event of any shard is claimable at `due`, so that peeks start there. If
    /// `due` is long past, the floors stay and the sweep finds the event, because all the dead
    /// entries may be in between.
    void lower(Instant due);
    /// Reports that events of the last seconds may have become claimable, because their holder was
    /// found dead.
    void lower_to_recent();

    /// A range of one shard, all priorities.
    struct Slice {
        std::uint32_t shard;
        Instant from, until;
    };
    /// The next range below the floors to read, if the sweep may run now.
    [[nodiscard]] std::optional<Slice> next_slice(Mono now);
    void swept(const Slice& slice, const Seen& seen, std::chrono::microseconds took);
    /// Reports that a slice could not be read in time. The next slice is shorter.
    void gave_up(const Slice& slice, std::chrono::microseconds took);

private:
    void begin_to_sweep(Mono now);
    [[nodiscard]] Instant top_of(std::uint32_t shard) const;
    void sweep_from(std::uint32_t shard);

    /// All transactions that wrote before `at` have ids smaller than `next`.
    struct Witness {
        Instant at;
        std::uint64_t next;
    };

    const std::uint32_t shards_;
    const std::uint64_t limit_;
    mutable std::mutex mutex_;
    std::vector<Instant> floors_;
    bool raised_ = false;
    // `witness_` is the latest; `proven_` is the latest whose writes a peek has seen completely
    Witness witness_, proven_;
    // The sweep goes shard by shard, from the floor down to the beginning.
    std::uint32_t turn_ = 0;
    Instant down_to_;                 // where the next slice ends
    std::chrono::microseconds step_;  // its length
    std::uint64_t pages_ = 0;         // pages read in this round
    Mono last_{};
    std::chrono::microseconds allowance_{0};
};

}  // namespace sundial::postgres
