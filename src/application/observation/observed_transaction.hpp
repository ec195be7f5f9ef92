#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "application/observation/engine_log.hpp"
#include "application/ports/store.hpp"
#include "domain/event.hpp"

namespace sundial {

/// The effects of one run of a transaction so far.
struct TransactionChanges {
    /// State of an event before its transaction changed it.
    struct Before {
        Instant due;
        Version planned_by;  // its schedule's version; 0 without one
    };
    struct Updated {
        EventId id;
        Version version;  // the new one
    };

    std::map<std::string, std::size_t> created{};  // by type
    // By type, for dropped events, whose reason is logged elsewhere.
    std::map<std::string, std::size_t> dropped{};
    std::vector<Updated> updated{};
    std::vector<EventMoved> moved{};
    std::vector<Event> cancelled{};
    bool of_user = false;                            // the transaction changed a user
    std::map<std::string, std::size_t> appended{};   // to streams, by aggregate type
    std::map<std::string, std::uint64_t> skipped{};  // occurrences, by reason
    std::unordered_map<EventId, Before> before{};    // of the events that it has locked

    void remember(const Event& event) {
        before.insert_or_assign(
            event.id,
            Before{event.due, event.occurrence ? event.occurrence->schedule_version : Version{0}});
    }
};

/// Runs `work` on `tx`, and adds what it does to `changes`. Returns whether it wants a commit.
[[nodiscard]] bool run_observed(Transaction& tx, const std::function<bool(Transaction&)>& work,
                                TransactionChanges& changes);

}  // namespace sundial
