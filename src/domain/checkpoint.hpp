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

/// How far somebody has come in the feed, and whose turn it is to go on. Kept under a name.
struct Checkpoint {
    std::uint64_t position = 0;       // all up to here is handled
    std::optional<Uuid> event_id{};   // what is recorded there; empty: nobody has said
    std::uint64_t fencing_token = 0;  // the greatest that was ever shown or given: never less
    std::string holder{};             // who runs it; empty: nobody
    Instant held_until{};
    Version version{0};  // one more with every change; 0: nobody has ever kept it
    friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// A step forward, by whoever knows where the checkpoint was before.
struct CheckpointStep {
    std::uint64_t position = 0;
    std::optional<Uuid> event_id{};
    std::uint64_t previous = 0;
    std::uint64_t fencing_token = 0;  // 0: who runs alone needs none
};

/// An event that could not be handled and was laid aside, so that others go on.
struct ParkedEvent {
    std::uint64_t position = 0;
    Uuid event_id{};
    std::string reason{};  // of the last try
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
[[nodiscard]] Result<Checkpoint> advance(Checkpoint at, const std::string& name,
                                         const CheckpointStep& step);

/// The checkpoint held by `holder` until `lasting` from now; as it was while somebody else has it.
/// Whoever comes anew gets a greater token, also after its own lease was over: what it had begun
/// before may have been begun by others since.
[[nodiscard]] Checkpoint hold(Checkpoint at, const std::string& holder, Instant now,
                              std::chrono::microseconds lasting);

/// Nobody's, if that token is the holder's; as it was otherwise.
[[nodiscard]] Checkpoint let_go(Checkpoint at, std::uint64_t fencing_token, Instant now);

}  // namespace sundial
