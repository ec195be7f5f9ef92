#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "adapters/sqlite/connection.hpp"
#include "application/ports/event_queue.hpp"
#include "domain/event.hpp"
#include "domain/time/types.hpp"

namespace sundial::sqlite {

class Connection;

/// The state of an event, as `event_counts` counts it.
enum class Standing : std::uint8_t {
    pending,
    pending_parked,
    claimed,
    waiting,
    waiting_parked,
    completed,
    failed,
    cancelled
};
inline constexpr std::size_t standings = 8;
[[nodiscard]] Standing standing_of(const Event& event);
/// `status` must be final.
[[nodiscard]] Standing standing_of_finished(EventStatus status);

/// Collects the changes that transactions make to event_counts, to the settings `time` and
/// `leases_end`, and to the schema. Written once for a batch of transactions, with their commit.
class Ledger {
public:
    void added(const Event& event) { ++changes_[index(standing_of(event))]; }
    void removed(const Event& event) { removed(standing_of(event), 1); }
    void removed(Standing standing, std::int64_t rows) { changes_[index(standing)] -= rows; }
    void moved(const Event& before, const Event& after) {
        removed(before);
        added(after);
    }
    void lease_until(Instant end) { leases_end_ = std::max(leases_end_, end); }

    /// SQLite does not count CREATE TABLE and the like as changes.
    void changed_schema() { schema_changed_ = true; }
    [[nodiscard]] bool has_changed_schema() const { return schema_changed_; }

    void add(const Ledger& other);
    void store(Connection& connection, Instant now) const;

private:
    static std::size_t index(Standing standing) { return static_cast<std::size_t>(standing); }

    std::array<std::int64_t, standings> changes_{};
    Instant leases_end_ = Instant::min();
    bool schema_changed_ = false;
};

/// Number of events by standing.
[[nodiscard]] std::array<std::uint64_t, standings> read_counts(Connection& connection);

/// One open transaction.
struct Session {
    Connection& connection;
    const Instant now;  // the same for the whole transaction
    Ledger ledger{};
};

class Health;
class Time;

/// A pool of read-only connections. The last free one is for the scheduler's threads only
/// (SchedulerScope). Thread-safe.
class Readers {
public:
    Readers(const std::filesystem::path& file, std::size_t count, Time& time, Health& health);
    /// Runs `work` on one snapshot of committed data. Throws Unavailable if every reader that this
    /// thread may use is busy for 5 s.
    void run(const std::function<void(Session&)>& work);

private:
    [[nodiscard]] Connection& take();
    void release(Connection& reader);

    Time& time_;
    Health& health_;
    std::vector<std::unique_ptr<Connection>> readers_;
    std::mutex mutex_;
    std::condition_variable free_again_;
    std::vector<Connection*> free_;
};

}  // namespace sundial::sqlite
