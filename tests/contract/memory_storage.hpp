#pragma once

#include <memory>
#include <string>

#include "adapters/memory/store.hpp"
#include "contract/storage.hpp"

namespace sundial::memory {

class MemoryStorage final : public Storage {
public:
    explicit MemoryStorage(std::uint32_t shards) : store_{clock_, {.shards = shards}} {}
    Store& store() override { return store_; }
    EventQueue& queue() override { return store_.queue(); }
    PullQueue& pull_queue() override { return store_.pull_queue(); }
    Clock& clock() override { return clock_; }
    Feed& feed() override { return store_.feed(); }

private:
    ManualClock clock_{noon};
    MemoryStore store_;
};

[[nodiscard]] inline StorageKind memory_with(std::uint32_t shards) {
    return {"memory with " + std::to_string(shards) + " shards",
            [shards] { return std::make_unique<MemoryStorage>(shards); }};
}

}  // namespace sundial::memory
