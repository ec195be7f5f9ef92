#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/stream_sql.hpp"
#include "application/ports/event_store.hpp"

namespace sundial::postgres {
namespace {

/// Maximum positions that one page reads, so that a filter with few matches still makes progress.
constexpr std::int64_t max_scanned = 10'000;

/// A position is assigned before its transaction commits, so a missing position may still appear.
/// Once every transaction that was appending when a higher position was visible has ended, it
/// cannot: all positions up to that one are settled, and missing ones were rolled back. No time-out
/// ever decides that (concurrency 1).
class PostgresFeed final : public MeteredFeed {
public:
    explicit PostgresFeed(Database& database) : database_{database} {}

    FeedPage read_all(std::uint64_t after, const FeedFilter& filter, std::size_t limit) override {
        Window window = read_window(after);
        if (window.end == after && !window.positions.empty() && settle(window.positions.back())) {
            window = read_window(after);
        }
        FeedPage page{.entries = {}, .next_position = window.end};
        if (window.end == after) return page;
        database_.read("read_feed", [&](Session& session) {
            const Answer rows =
                session.run(sql::read_feed, after, window.end, filter.aggregate_types,
                            filter.event_types, static_cast<std::int64_t>(limit));
            page.entries.clear();
            std::vector<RecordedEvent> events = recorded_events_in(rows);
            for (std::size_t row = 0; row < events.size(); ++row) {
                page.entries.push_back({std::move(events[row]), rows.get<bool>(row, 18)});
            }
        });
        if (page.entries.size() == limit) page.next_position = page.entries.back().event.position;
        page.more = page.next_position < window.positions.back() ||
                    window.positions.size() == static_cast<std::size_t>(max_scanned);
        return page;
    }

    FeedProgress measure(std::size_t max_followers) override {
        FeedProgress progress;
        database_.read("measure_feed", [&](Session& session) {
            const std::array calls{Call{sql::last_position},
                                   Call{sql::followers, static_cast<std::int64_t>(max_followers)}};
            const auto answers = session.run(calls);
            progress = {.position = answers[0].get<std::uint64_t>(0, 0)};
            for (std::size_t row = 0; row < answers[1].size(); ++row) {
                progress.followers.push_back(
                    {answers[1].get<std::string>(row, 0), answers[1].get<std::uint64_t>(row, 1)});
            }
        });
        return progress;
    }

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

    [[nodiscard]] Window read_window(std::uint64_t after) {
        // Read before the snapshot: positions settled by now are settled in the snapshot.
        const Settled settled = this->settled();
        Window window{{}, after};
        database_.read("read_feed", [&](Session& session) {
            window.positions =
                column_of<std::uint64_t>(session.run(sql::feed_window, after, max_scanned), 0);
        });
        const bool of_this_server = settled.server == database_.server().started;
        for (const std::uint64_t position : window.positions) {
            const bool is_settled = of_this_server && position <= settled.position;
            if (position != window.end + 1 && !is_settled) break;
            window.end = position;
        }
        return window;
    }

    /// Checks which transactions are appending, after `seen` was visible. True if more positions
    /// are settled than before.
    bool settle(std::uint64_t seen) {
        const std::lock_guard lock{settling_};
        const std::int64_t server = database_.server().started;
        const std::set<std::string> now = appenders();
        // another server: the appenders may belong to either
        if (database_.server().started != server) return false;
        Settled after = settled();
        if (after.server != server) after = {server, 0};
        if (watch_ && watch_->server != server) watch_.reset();
        const std::uint64_t before = after.position;
        const auto still_appends = [&](const std::string& one) { return now.contains(one); };
        if (watch_ && std::ranges::none_of(watch_->appenders, still_appends)) {
            after.position = std::max(before, watch_->position);
            watch_.reset();
        }
        if (!watch_ && seen > after.position) {
            if (now.empty()) {
                after.position = seen;
            } else {
                watch_ = Watch{server, seen, now};
            }
        }
        const std::lock_guard writing{mutex_};
        settled_ = after;
        return after.position > before;
    }

    [[nodiscard]] std::set<std::string> appenders() {
        std::set<std::string> found;
        database_.read("feed_appenders", [&](Session& session) {
            const auto names = column_of<std::string>(session.run(sql::appenders), 0);
            found = {names.begin(), names.end()};
        });
        return found;
    }

    /// The position up to which all positions are visible or will never exist, on one server.
    /// Another server may lack the last commits and assign their positions again.
    struct Settled {
        std::int64_t server = 0;  // its start time
        std::uint64_t position = 0;
    };

    [[nodiscard]] Settled settled() const {
        const std::lock_guard lock{mutex_};
        return settled_;
    }

    Database& database_;
    mutable std::mutex mutex_;  // protects settled_
    Settled settled_;
    // Serialises `settle`: the appenders must be read after the start of the watch that they may
    // end.
    std::mutex settling_;
    std::optional<Watch> watch_;
};

}  // namespace

std::unique_ptr<MeteredFeed> make_feed(Database& database) {
    return std::make_unique<PostgresFeed>(database);
}

}  // namespace sundial::postgres
