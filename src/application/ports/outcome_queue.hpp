#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/ids.hpp"

namespace sundial {

/// A finished event that waits for a follower.
struct QueuedOutcome {
    std::uint64_t number = 0;  // ascending, with gaps; unique in the database
    EventId event;
    friend bool operator==(const QueuedOutcome&, const QueuedOutcome&) = default;
};

/// A checkpoint whose name has this prefix stores a follower's lease and the outcomes that it has
/// set aside. The API and the feed refuse such names.
inline constexpr std::string_view outcome_checkpoints = "outcomes:";

/// The outcomes that followers have not handled yet, inside one transaction. The transaction that
/// finishes an event also puts it into the queue of each follower of its type. A follower removes
/// the outcomes that it has handled one by one, because a transaction that commits late may add a
/// number below those handled before.
class OutcomeQueue {
public:
    virtual ~OutcomeQueue() = default;
    /// From now on events of these types (empty: all types) are queued for the follower. Replaces
    /// the types of one that exists; its queue stays.
    virtual void follow(const std::string& follower,
                        const std::vector<std::string>& event_types) = 0;
    /// Removes the follower with its queue. Returns whether it existed.
    virtual bool forget(const std::string& follower) = 0;
    /// The first ones, by number.
    [[nodiscard]] virtual std::vector<QueuedOutcome> queued(const std::string& follower,
                                                            std::size_t limit) = 0;
    virtual void remove(const std::string& follower, std::span<const std::uint64_t> numbers) = 0;
    [[nodiscard]] virtual std::uint64_t count(const std::string& follower) = 0;
};

}  // namespace sundial
