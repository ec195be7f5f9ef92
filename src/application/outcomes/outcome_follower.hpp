#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "application/outcomes/outcome_signal.hpp"
#include "application/ports/store.hpp"
#include "application/streams/follower.hpp"
#include "application/streams/keep_checkpoint.hpp"
#include "base/log.hpp"
#include "domain/event.hpp"
#include "sundial/retry.hpp"

namespace sundial {

/// A finished event, and its number in the queue.
struct NumberedOutcome {
    std::uint64_t number = 0;
    Event event;
};

/// Passes the outcomes in the queue of a follower on, in the order of their numbers, and removes
/// them from it. Events that were erased meanwhile are left out.
class OutcomeFollower final : public Follower {
public:
    struct Settings {
        std::string name;
        std::string holder;  // name of this process's follower, new at each start
        std::chrono::microseconds lease = std::chrono::seconds{30};
        std::size_t page = 100;  // maximum number of outcomes between two removals
        RetryRules retry{};
        bool park = false;  // set aside outcomes that cannot be handled; otherwise stop there
    };
    /// Processes an outcome in the transaction that removes it, so that each counts exactly once.
    /// May be called again for an outcome after its changes were rolled back.
    using Project = std::function<HandlingFailure(Transaction&, const NumberedOutcome&)>;
    /// Has effects outside the store, at least once for each outcome.
    using Handle = std::function<HandlingFailure(const NumberedOutcome&)>;

    /// All but the functions outlive it. Exceptions of the functions are failures. With invalid
    /// settings it is stopped from the beginning.
    OutcomeFollower(Store& store, Timing& timing, Settings settings, Project project);
    OutcomeFollower(Store& store, Timing& timing, Settings settings, Handle handle);

    State turn(const std::stop_token& stop = {}) override;
    void run(const std::stop_token& stop, OutcomeSignal& signal, base::Log& log);
    void release() override;

private:
    struct Item {
        std::uint64_t number;
        std::optional<Event> event;  // empty: erased
    };
    using Items = std::span<const Item>;
    /// The result of outcomes that were projected together.
    struct Projected {
        std::size_t failed = 0;  // index of the failed one
        HandlingFailure failure{};
    };
    [[nodiscard]] bool hold();
    [[nodiscard]] bool still_holds_lease();
    [[nodiscard]] std::vector<Item> next_page();
    /// False: do not continue with this page.
    [[nodiscard]] bool handle_page(Items items, const std::stop_token& stop);
    [[nodiscard]] bool project_page(Items items, const std::stop_token& stop);
    [[nodiscard]] bool project_with_retries(const Item& item, const std::stop_token& stop);
    [[nodiscard]] Projected project(Items items);
    /// Sets the outcome aside, or stops. Returns whether the follower continues after it.
    [[nodiscard]] bool give_up(const Item& item, const std::string& failure, unsigned attempts,
                               std::vector<ParkedEvent>& parked);
    /// Removes items from the queue, if the lease is still held, and stores the parked ones.
    [[nodiscard]] bool remove(Items items, std::vector<ParkedEvent> parked);
    [[nodiscard]] std::optional<Checkpoint> removed(Transaction& tx, Items items);
    [[nodiscard]] bool note(std::optional<Checkpoint> kept);
    [[nodiscard]] RetryRules rules(const std::stop_token& stop) const;

    Store& store_;
    Timing& timing_;
    const Settings settings_;
    const std::string checkpoint_;  // its name
    const Project project_;
    const Handle handle_;
    KeepCheckpoint keep_{store_};
    bool held_ = false;
    Checkpoint at_;
    Timing::Moment renew_at_{};
};

}  // namespace sundial
