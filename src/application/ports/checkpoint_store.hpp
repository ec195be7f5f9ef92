#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/checkpoint.hpp"

namespace sundial {

/// How far those who follow the feed have come, inside one transaction: saved together with what
/// they make of it, a checkpoint makes each event count once. What may be written is
/// `domain/checkpoint.hpp`'s to say.
class CheckpointStore {
public:
    virtual ~CheckpointStore() = default;
    /// Until the transaction ends nobody else changes it, there or not; one that was never kept is
    /// at version 0.
    virtual Checkpoint lock(const std::string& name) = 0;
    virtual Checkpoint find(const std::string& name) = 0;
    /// Of a locked one.
    virtual void put(const std::string& name, const Checkpoint& checkpoint) = 0;

    /// An event that is parked there already stays as it is.
    virtual void park(const std::string& name, const ParkedEvent& event) = 0;
    /// By position, past `after`.
    virtual std::vector<ParkedEvent> parked(const std::string& name, std::uint64_t after,
                                            std::size_t limit) = 0;
    /// False if none is parked there.
    virtual bool unpark(const std::string& name, std::uint64_t position) = 0;
};

}  // namespace sundial
