#include "adapters/memory/checkpoint_store.hpp"

namespace sundial::memory {

Checkpoint MemoryCheckpointStore::find(const std::string& name) {
    const Checkpoint* found = state_.checkpoints.find(name);
    return found == nullptr ? Checkpoint{} : *found;
}

void MemoryCheckpointStore::put(const std::string& name, const Checkpoint& checkpoint) {
    if (state_.checkpoints.find(name) == nullptr) {
        state_.checkpoints.insert(name, checkpoint);
    } else {
        state_.checkpoints.replace(name, checkpoint);
    }
}

void MemoryCheckpointStore::park(const std::string& name, const ParkedEvent& event) {
    const ParkedKey key{name, event.position};
    if (state_.parked.find(key) == nullptr) state_.parked.insert(key, event);
}

std::vector<ParkedEvent> MemoryCheckpointStore::parked(const std::string& name, std::uint64_t after,
                                                       std::size_t limit) {
    std::vector<ParkedEvent> found;
    const auto& rows = state_.parked.rows();
    for (auto row = rows.upper_bound({name, after});
         row != rows.end() && row->first.checkpoint == name && found.size() < limit; ++row) {
        found.push_back(row->second);
    }
    return found;
}

bool MemoryCheckpointStore::unpark(const std::string& name, std::uint64_t position) {
    const ParkedKey key{name, position};
    if (state_.parked.find(key) == nullptr) return false;
    state_.parked.erase(key);
    return true;
}

}  // namespace sundial::memory
