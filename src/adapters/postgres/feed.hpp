#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "adapters/postgres/database.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/feed_meter.hpp"

namespace sundial::postgres {

/// Positions are drawn before they are committed, so one that is not there may still come. It
/// cannot any more once every transaction that was appending when a position above it was seen has
/// ended: all up to that one is settled then, what is missing was rolled back. No time-out ever
/// decides that (concurrency 1).
class PostgresFeed final : public Feed, public FeedMeter {
public:
    explicit PostgresFeed(Database& database) : database_{database} {}
    FeedPage read_all(std::uint64_t after, const FeedFilter& filter, std::size_t limit) override;
    FeedProgress measure(std::size_t most) override;

private:
    /// Some transactions that were appending when `position` was there already.
    struct Watch {
        std::int64_t server;
        std::uint64_t position;
        std::set<std::string> appenders;
    };
    /// What is visible past a position.
    struct Window {
        std::vector<std::uint64_t> positions;
        std::uint64_t end;  // all up to here is there, or never will be
    };
    [[nodiscard]] Window look(std::uint64_t after);
    /// Looks who is appending, after `seen` was visible. True if more is settled than before.
    bool settle(std::uint64_t seen);
    [[nodiscard]] std::set<std::string> appenders();

    /// Up to where all is there or never will be, as a server has it: another one may lack the last
    /// commits and give their positions anew.
    struct Settled {
        std::int64_t server = 0;  // when it started
        std::uint64_t position = 0;
    };
    [[nodiscard]] Settled settled() const;

    Database& database_;
    mutable std::mutex mutex_;  // of settled_
    Settled settled_;
    std::mutex settling_;  // who is appending is asked after the watch began that it may end
    std::optional<Watch> watch_;
};

}  // namespace sundial::postgres
