#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "adapters/postgres/database.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/feed_meter.hpp"

namespace sundial::postgres {

/// A position is assigned before its transaction commits, so a missing position may still appear.
/// Once every transaction that was appending when a higher position was visible has ended, it
/// cannot: all positions up to that one are settled, and missing ones were rolled back. No time-out
/// ever decides that (concurrency 1).
class PostgresFeed final : public Feed, public FeedMeter {
public:
    explicit PostgresFeed(Database& database) : database_{database} {}
    FeedPage read_all(std::uint64_t after, const FeedFilter& filter, std::size_t limit) override;
    FeedProgress measure(std::size_t max_followers) override;

private:
    /// The transactions that were appending when `position` was already visible.
    struct Watch {
        std::int64_t server;
        std::uint64_t position;
        std::set<std::string> appenders;
    };
    /// The visible positions after a given one.
    struct Window {
        std::vector<std::uint64_t> positions;
        std::uint64_t end;  // all positions up to here are visible or will never exist
    };
    [[nodiscard]] Window read_window(std::uint64_t after);
    /// Checks which transactions are appending, after `seen` was visible. True if more positions
    /// are settled than before.
    bool settle(std::uint64_t seen);
    [[nodiscard]] std::set<std::string> appenders();

    /// The position up to which all positions are visible or will never exist, on one server.
    /// Another server may lack the last commits and assign their positions again.
    struct Settled {
        std::int64_t server = 0;  // its start time
        std::uint64_t position = 0;
    };
    [[nodiscard]] Settled settled() const;

    Database& database_;
    mutable std::mutex mutex_;  // protects settled_
    Settled settled_;
    // Serialises `settle`: the appenders must be read after the start of the watch that they may
    // end.
    std::mutex settling_;
    std::optional<Watch> watch_;
};

}  // namespace sundial::postgres
