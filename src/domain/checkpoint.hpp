#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/error.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// The position that a consumer has reached in the feed, and its current holder. Stored under a
/// name.
struct Checkpoint {
    std::uint64_t position = 0;       // everything up to here is handled
    std::optional<Uuid> event_id{};   // of the event at `position`; empty: not reported
    std::uint64_t fencing_token = 0;  // the greatest ever presented or granted; never decreases
    std::string holder{};             // the consumer that runs; empty: none
    Instant held_until{};
    Version version{0};  // grows by one with every change; 0: never stored
    friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// A step forward from a known position.
struct CheckpointStep {
    std::uint64_t position = 0;
    std::optional<Uuid> event_id{};
    std::uint64_t previous = 0;
    std::uint64_t fencing_token = 0;  // 0: a consumer that runs alone needs none
};

/// An event that could not be handled and was set aside, so that later ones can be handled.
struct ParkedEvent {
    std::uint64_t position = 0;
    Uuid event_id{};
    std::string reason{};  // of the last attempt
    std::uint32_t attempts = 0;
    Instant parked_at{};
    friend bool operator==(const ParkedEvent&, const ParkedEvent&) = default;
};

/// Greatest position and fencing token of a step: 2^53 - 1, as in the API. The store counts on from
/// the token up to 2^63 - 1.
inline constexpr std::uint64_t greatest_checkpoint_number = 9'007'199'254'740'991;

/// 1 to 128 of A-Z a-z 0-9 _ . - and nothing else.
[[nodiscard]] std::vector<FieldError> defects_of_checkpoint_name(const std::string& name);

/// The checkpoint after that step. Errors, in this order: ValidationFailed for numbers out of
/// range, CheckpointLost where a greater token was seen, CheckpointConflict where it is not at
/// `previous`, ValidationFailed for a step back.
[[nodiscard]] Result<Checkpoint, ValidationFailed, CheckpointLost, CheckpointConflict> advance(
    Checkpoint at, const std::string& name, const CheckpointStep& step);

/// The checkpoint held by `holder` until `lasting` from now; unchanged while another holder has it.
/// A new holder gets a greater token, and so does a holder whose own lease had expired: another
/// holder may have repeated its unfinished work since.
[[nodiscard]] Checkpoint hold(Checkpoint at, const std::string& holder, Instant now,
                              std::chrono::microseconds lasting);

/// Without a holder if `fencing_token` is the holder's; unchanged otherwise.
[[nodiscard]] Checkpoint release(Checkpoint at, std::uint64_t fencing_token, Instant now);

}  // namespace sundial
