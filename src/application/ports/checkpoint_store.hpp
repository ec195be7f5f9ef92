#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/checkpoint.hpp"

namespace sundial {

/// Checkpoints of the feed's subscribers, inside one transaction. A subscriber that saves its
/// checkpoint together with its results counts each event exactly once. `domain/checkpoint.hpp`
/// decides which checkpoints may be written.
class CheckpointStore {
public:
    virtual ~CheckpointStore() = default;
    /// No other transaction changes the checkpoint until this one ends, whether or not it exists. A
    /// checkpoint that was never stored has version 0.
    virtual Checkpoint lock(const std::string& name) = 0;
    virtual Checkpoint find(const std::string& name) = 0;
    /// The checkpoint must be locked.
    virtual void put(const std::string& name, const Checkpoint& checkpoint) = 0;

    /// An event that is already parked at this position stays unchanged.
    virtual void park(const std::string& name, const ParkedEvent& event) = 0;
    /// In order of position, starting after `after`.
    virtual std::vector<ParkedEvent> parked(const std::string& name, std::uint64_t after,
                                            std::size_t limit) = 0;
    /// False if no event is parked there.
    virtual bool unpark(const std::string& name, std::uint64_t position) = 0;
};

}  // namespace sundial
