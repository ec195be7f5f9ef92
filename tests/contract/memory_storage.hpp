#pragma once

#include <memory>
#include <string>

#include "adapters/memory/event_queue.hpp"
#include "adapters/memory/event_store.hpp"
#include "adapters/memory/manual_clock.hpp"
#include "adapters/memory/pull_queue.hpp"
#include "adapters/memory/store.hpp"
#include "contract/storage.hpp"

namespace sundial::memory {

class MemoryStorage final : public Storage {
public:
    explicit MemoryStorage(std::uint32_t shards) : store_{clock_, {.shards = shards}} {}
    Store& store() override { return store_; }
    EventQueue& queue() override { return queue_; }
    PullQueue& pull_queue() override { return pull_queue_; }
    Clock& clock() override { return clock_; }
    Feed& feed() override { return feed_; }

private:
    ManualClock clock_{noon};
    MemoryStore store_;
    MemoryEventQueue queue_{store_};
    MemoryPullQueue pull_queue_{store_};
    MemoryFeed feed_{store_};
};

[[nodiscard]] inline StorageKind memory_with(std::uint32_t shards) {
    return {"memory with " + std::to_string(shards) + " shards",
            [shards] { return std::make_unique<MemoryStorage>(shards); }};
}

}  // namespace sundial::memory
