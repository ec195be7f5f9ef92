#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

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

/// Collects the changes that transactions make to event_counts and to the settings `time` and
/// `leases_end`. Written once for a batch of transactions, with their commit.
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

    void add(const Ledger& other);
    void store(Connection& connection, Instant now) const;

private:
    static std::size_t index(Standing standing) { return static_cast<std::size_t>(standing); }

    std::array<std::int64_t, standings> changes_{};
    Instant leases_end_ = Instant::min();
};

/// Number of events by standing.
[[nodiscard]] std::array<std::uint64_t, standings> read_counts(Connection& connection);

/// One open transaction.
struct Session {
    Connection& connection;
    const Instant now;  // the same for the whole transaction
    Ledger ledger{};
};

}  // namespace sundial::sqlite
