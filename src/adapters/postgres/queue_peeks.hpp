#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "adapters/postgres/claim_floors.hpp"
#include "adapters/postgres/claims.hpp"
#include "adapters/postgres/database.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::postgres {

/// Looks for events that are due or will be, and remembers where claims start. Thread-safe.
class QueuePeeks {
public:
    /// A peek that reads `many` pages makes claims use floors.
    QueuePeeks(Database& database, std::uint64_t many);

    /// As EventQueue.
    void hint(Instant due);
    [[nodiscard]] QueuePeek peek(std::span<const Lane> lanes, const DeadInstances& dead);
    /// Where a claim of that lane starts.
    [[nodiscard]] ClaimFloors::Priorities floors_of(const Lane& lane, std::uint32_t shard) const;
    /// The reads that find Claimed::next for requests that ask for it. Leaves out lanes with raised
    /// floors, and lanes that no peek has named.
    [[nodiscard]] NextReads next_reads(std::span<const ClaimRequest> requests) const;

private:
    using SteadyClock = std::chrono::steady_clock;

    /// Lanes that are read with one statement, and where their claims start. A part is a shard of a
    /// lane: all shards of the first lane, then of the second.
    struct LaneGroup {
        LaneGroup(std::vector<Lane> which, std::uint32_t shards, std::uint64_t many)
            : lanes{std::move(which)},
              floors{static_cast<std::uint32_t>(lanes.size()) * shards, many} {}

        std::vector<Lane> lanes;
        ClaimFloors floors;
    };
    /// One group's part of a peek.
    struct Reading {
        LaneGroup* group;
        std::vector<Instant> from;
        ClaimFloors::Seen seen{};
    };
    static Reading reading_of(LaneGroup& group) { return {&group, group.floors.all()}; }

    [[nodiscard]] std::uint32_t shards() const { return database_.shards(); }
    [[nodiscard]] std::shared_ptr<LaneGroup> group_of(std::vector<Lane> lanes) const;
    [[nodiscard]] std::shared_ptr<LaneGroup> to_handlers() const;
    /// Those of `lanes` that handlers serve. Floors are lost when an engine gets another handler.
    [[nodiscard]] std::shared_ptr<LaneGroup> to_handlers(std::span<const Lane> lanes);
    /// Recent claims of a dead instance are found from now on. Sweeps find its older ones, which
    /// lie below the floors.
    void lower_floors_for(const DeadInstances& dead);

    enum class Need : std::uint8_t { next, next_and_floors };
    /// Reads the given parts of a group, each once for each priority.
    [[nodiscard]] Call reading(const LaneGroup& group, const std::vector<std::uint32_t>& parts,
                               const std::vector<Instant>& from, Instant until,
                               const DeadInstances& dead, Need need) const;
    /// The same for one part, from these instants in its priorities.
    [[nodiscard]] Call reading_in_shard(const LaneGroup& group, std::uint32_t part,
                                        std::span<const Instant> from, Instant until,
                                        const DeadInstances& dead) const;
    /// Adds the calls that read the given parts of a group, each once for each priority. On a
    /// distributed database each part has a call of its own, which names its shard.
    void add_reading(std::vector<Call>& calls, const LaneGroup& group,
                     const std::vector<std::uint32_t>& parts, const std::vector<Instant>& from,
                     Instant until, const DeadInstances& dead) const;
    void add_reading_of_lines(std::vector<Call>& calls) const;
    /// Runs the calls of `read_all`: first those about lines, one for each shard on a distributed
    /// database, then at `limited` the one about limited endpoints, then those about events, shard
    /// after shard for each lane. On a distributed database the answers of a machine that fails are
    /// empty.
    [[nodiscard]] Database::Answered run_somehow(const std::vector<Call>& calls,
                                                 std::size_t limited);
    /// Reads all parts without an end, and in the same round trip the lines and the limited
    /// endpoints.
    void read_all(std::vector<Reading>& readings, const DeadInstances& dead, QueuePeek& peeked);
    /// On a distributed database: records which servers have the shards, as the answers about
    /// events say, and leaves out shards in which nothing may be claimed.
    void note_holders(std::span<const Reading> readings, std::span<const Answer> answers,
                      std::span<const std::size_t> ends, QueuePeek& peeked);
    /// Looks below the floors for events that have become claimable there.
    void sweep(LaneGroup& group, const DeadInstances& dead, bool due,
               SteadyClock::time_point peeked_at, QueuePeek& peeked);
    /// Records in `peeked` when an event becomes claimable. Answers are those of `add_reading`.
    [[nodiscard]] ClaimFloors::Seen seen_in(std::span<const Answer> answers, const LaneGroup& group,
                                            const std::vector<std::uint32_t>& parts,
                                            QueuePeek& peeked) const;

    Database& database_;
    const std::uint64_t many_;
    LaneGroup to_endpoints_;
    mutable std::mutex mutex_;
    std::shared_ptr<LaneGroup> to_handlers_;
    std::vector<InstanceId> known_dead_;
};

}  // namespace sundial::postgres
