#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "application/streams/append_to_stream.hpp"
#include "application/streams/keep_checkpoint.hpp"
#include "contract/event_store_contract.hpp"

namespace sundial {

/// Checkpoints in the feed: rows of table ES (concurrency 2).
class CheckpointContract : public EventStoreContract {
protected:
    /// Appends `count` events and returns them as the feed shows them.
    std::vector<RecordedEvent> recorded_events(std::size_t count) {
        a_stream_of(count);
        return recorded();
    }
    static CheckpointStep to(const RecordedEvent& event, std::uint64_t previous,
                             std::uint64_t token = 0) {
        return {event.position, event.event_id, previous, token};
    }

    const std::string name_ = "orders-" + std::to_string(next_number());
    KeepCheckpoint keep_checkpoint_{store()};
};

}  // namespace sundial
