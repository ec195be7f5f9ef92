#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/checkpoint_store.hpp"

namespace sundial::memory {

/// Only one transaction runs at a time, so every row that it reads is already locked.
class MemoryCheckpointStore final : public CheckpointStore {
public:
    explicit MemoryCheckpointStore(State& state) : state_{state} {}
    Checkpoint lock(const std::string& name) override { return find(name); }
    Checkpoint find(const std::string& name) override;
    void put(const std::string& name, const Checkpoint& checkpoint) override;
    void park(const std::string& name, const ParkedEvent& event) override;
    std::vector<ParkedEvent> parked(const std::string& name, std::uint64_t after,
                                    std::size_t limit) override;
    bool unpark(const std::string& name, std::uint64_t position) override;

private:
    State& state_;
};

}  // namespace sundial::memory
