#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
#include "application/streams/feed_watch.hpp"
#include "application/streams/follower.hpp"
#include "application/streams/keep_checkpoint.hpp"
#include "base/log.hpp"
#include "sundial/retry.hpp"

namespace sundial {

/// Follows the feed under a name: passes on each event, in order, and stores its checkpoint.
/// Another subscription of the same name waits until the lease expires (concurrency 1). Driven by
/// one thread.
class Subscription final : public Follower {
public:
    struct Settings {
        std::string name;
        std::string holder;  // name of this subscriber, new at each start
        FeedFilter filter{};
        std::chrono::microseconds lease = std::chrono::seconds{30};
        std::size_t page = 100;  // maximum number of events between two checkpoints
        std::size_t lanes = 1;   // for a handler: each stream has one lane, so its order is kept
        RetryRules retry{.max_attempts = 5,
                         .base = std::chrono::milliseconds{100},
                         .cap = std::chrono::seconds{10}};
        bool park = false;  // park events that cannot be handled; otherwise stop there
    };
    /// Processes an event in the transaction that moves the checkpoint, so that each event counts
    /// exactly once. May be called again for an event after its changes were rolled back.
    using Project = std::function<HandlingFailure(Transaction&, const FeedPage::Entry&)>;
    /// Has effects outside the store, at least once for each event; runs on several threads with
    /// lanes.
    using Handle = std::function<HandlingFailure(const FeedPage::Entry&)>;

    /// Each lane has a thread.
    static constexpr std::size_t max_lanes = 100;

    /// All but the functions outlive it. Exceptions of the functions are failures. With invalid
    /// settings it is stopped from the beginning: a lease that locks do not allow, a page outside
    /// of 1 to `max_read_events`, lanes outside of 1 to `max_lanes`, or invalid retry rules.
    Subscription(Store& store, Feed& feed, Timing& timing, Settings settings, Project project);
    Subscription(Store& store, Feed& feed, Timing& timing, Settings settings, Handle handle);

    State turn(const std::stop_token& stop = {}) override;
    /// Turns until a stop is requested or it stops by itself; then releases the lease. Never
    /// throws.
    void run(const std::stop_token& stop, FeedWatch& watch, base::Log& log);
    void release() override;

private:
    using Entries = std::span<const FeedPage::Entry>;
    /// The target of a checkpoint.
    struct Mark {
        std::uint64_t position;
        std::optional<Uuid> event_id;
    };
    /// The result of events that were projected together.
    struct Projected {
        std::size_t failed = 0;  // index of the failed event
        HandlingFailure failure{};
    };
    /// In the order of the feed. False: do not continue with this page.
    [[nodiscard]] bool project_page(const FeedPage& page, const std::stop_token& stop);
    [[nodiscard]] bool handle_page(const FeedPage& page, const std::stop_token& stop);
    [[nodiscard]] bool project_with_retries(const FeedPage::Entry& entry,
                                            const std::stop_token& stop);
    [[nodiscard]] Projected project(Entries entries, const Mark& to);
    /// Parks the event, or stops. Returns whether the subscription continues after it.
    [[nodiscard]] bool give_up(const FeedPage::Entry& entry, const std::string& failure,
                               unsigned attempts);

    void rest(const std::stop_token& stop, FeedWatch& watch);
    [[nodiscard]] bool hold();
    [[nodiscard]] bool still_holds_lease();
    [[nodiscard]] Mark end_of(const FeedPage& page);
    [[nodiscard]] CheckpointStep step_to(const Mark& mark) const;
    /// Together with the events parked on the way.
    [[nodiscard]] bool save(const Mark& mark, const std::vector<ParkedEvent>& parked);
    [[nodiscard]] bool note(const StreamResult<Checkpoint>& saved);
    [[nodiscard]] RetryRules rules(const std::stop_token& stop) const;

    Store& store_;
    Feed& feed_;
    Timing& timing_;
    const Settings settings_;
    const Project project_;
    const Handle handle_;
    KeepCheckpoint keep_{store_};
    bool held_ = false;
    Checkpoint at_;
    Timing::Moment renew_at_{};
};

}  // namespace sundial
