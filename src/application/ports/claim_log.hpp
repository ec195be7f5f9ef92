#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "application/ports/event_queue.hpp"
#include "domain/event.hpp"
#include "domain/ids.hpp"

namespace sundial {

/// One step in the life of a claim, as its holder saw it.
struct ClaimStep {
    enum class Op : std::uint8_t { claim, send, extend, settle, release };
    /// Begun; done; refused, since the lease is lost; or nobody knows, since no answer came.
    enum class Answer : std::uint8_t { begun, done, refused, unknown };

    Op op;
    Answer answer;
    std::chrono::microseconds took{0};  // the call that was answered, or not
    std::optional<EventId> id{};       // empty: of a claim without an answer, whose ids are unknown
    std::optional<Version> version{};  // the one that the claim returned
    std::optional<Attempt> attempt{};
    const Event* event = nullptr;            // as claimed; for claim and send
    const Settlement* settlement = nullptr;  // for settle
    bool rescued = false;                    // claimed after another holder's lease was over
};

/// Where each step of each claim is kept, for whoever wants to check afterwards that no two
/// instances had the same event. Never throws.
class ClaimLog {
public:
    virtual ~ClaimLog() = default;
    /// Steps of one call, in order. Once this returns they outlive the process.
    virtual void write(std::span<const ClaimStep> steps) = 0;
};

}  // namespace sundial
