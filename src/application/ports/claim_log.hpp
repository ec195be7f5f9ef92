#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "application/ports/event_queue.hpp"
#include "domain/event.hpp"
#include "domain/ids.hpp"

namespace sundial {

/// One step in the life of a claim, as its holder saw it, or a renewal of the heartbeat on which
/// all its claims depend.
struct ClaimStep {
    enum class Op : std::uint8_t { claim, send, extend, settle, release, heartbeat };
    /// Begun; done; refused, because the lease is lost; or unknown, because no answer came.
    enum class Answer : std::uint8_t { begun, done, refused, unknown };

    Op op;
    Answer answer;
    std::chrono::microseconds took{0};  // duration of the call, answered or not
    /// Empty: a heartbeat, or a claim without an answer, whose events are unknown.
    std::optional<EventId> id{};
    std::optional<Version> version{};  // the one that the claim returned
    std::optional<Attempt> attempt{};
    const Event* event = nullptr;            // as claimed; for claim and send
    const Settlement* settlement = nullptr;  // for settle
    bool previous_lost = false;              // claimed after another holder's lease expired
};

/// Records each step of each claim, so that a later check can prove that no two instances held the
/// same event. Never throws.
class ClaimLog {
public:
    virtual ~ClaimLog() = default;
    /// Steps of one call, in order. They outlive the process once this returns.
    virtual void write(std::span<const ClaimStep> steps) = 0;
};

}  // namespace sundial
