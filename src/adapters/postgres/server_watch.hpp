#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/log.hpp"

namespace sundial::postgres {

/// A server as each transaction sees it. No two servers have started in the same microsecond, so
/// the start time identifies a promoted standby, a restarted server, and a pooler's other target.
struct Server {
    /// Microseconds since 1970, by its own clock; 0: none has answered yet.
    std::int64_t started = 0;
    std::int64_t timeline = 0;
    std::int64_t system = 0;  // identifier of its cluster; 0 if we may not read it
};

/// A server that has shards of a distributed database.
struct HolderIdentity {
    std::int64_t timeline = 0;
    std::int64_t system = 0;
    std::string address{};  // host:port
};

/// Tracks which server answers. Another server may have another clock and may lack the last lease
/// extensions, so for the length of a lease no lease counts as expired (reliability 3). On a
/// distributed database it also tracks, in the same way, which server has each shard: no lease of
/// that shard counts as expired. Thread-safe.
class ServerWatch {
public:
    explicit ServerWatch(base::Log& log) : log_{log} {}

    [[nodiscard]] Server latest() const;
    /// Records that this server answers from now on.
    void meet(const Server& server);
    /// Start time of the server whose clock may declare leases expired: it was the first server, or
    /// has answered for `lease`. Empty: none.
    [[nodiscard]] std::optional<std::int64_t> trusted(std::chrono::microseconds lease) const;

    /// Records that the server which started then has this shard.
    void meet_holder(std::uint32_t shard, std::int64_t started);
    /// Whether the caller should `identify` that server: it has shards, and is unknown. Then true
    /// again only after a while.
    [[nodiscard]] bool should_identify(std::int64_t started);
    /// Records the identity of that server; empty if it could not be read. A server that is on an
    /// earlier timeline than the one whose shard it took, in the same cluster, is a former primary,
    /// or was restored: it lacks what the other one has written since.
    void identify(std::int64_t started, const std::optional<HolderIdentity>& identity);
    /// Whether leases of this shard may count as expired: its server was the first one that this
    /// process saw there, or has had it for `lease`. A shard that no server has answered for is
    /// left to its first one.
    [[nodiscard]] bool trusts_holder(std::uint32_t shard, std::chrono::microseconds lease) const;
    /// Why nothing may be claimed in this shard: its server is a former primary. Usually empty.
    [[nodiscard]] std::optional<std::string> refusal_of(std::uint32_t shard) const;

private:
    using Moment = std::chrono::steady_clock::time_point;

    /// The server that has a shard.
    struct Holder {
        std::int64_t started = 0;
        std::optional<Moment> changed_at{};  // empty: it is the first one
    };
    /// A server that has shards.
    struct Machine {
        std::optional<HolderIdentity> identity{};
        std::optional<HolderIdentity> before{};  // of the server whose shard it took
        std::int64_t newest = 0;                 // timeline of its cluster that was seen
        bool took_shards = false;                // from another server
        bool reported = false;
        std::optional<Moment> ask_again{};
        [[nodiscard]] bool is_old() const { return identity && identity->timeline < newest; }
    };

    base::Log& log_;
    mutable std::mutex mutex_;
    Server latest_;
    std::optional<Moment> changed_at_;          // empty: it is the first server
    std::map<std::uint32_t, Holder> holders_;   // by shard
    std::map<std::int64_t, Machine> machines_;  // by start; those that have shards
};

}  // namespace sundial::postgres
