#include "domain/checkpoint.hpp"

#include <algorithm>
#include <utility>

#include "domain/append.hpp"

namespace sundial {

std::vector<FieldError> defects_of_checkpoint_name(const std::string& name) {
    if (is_type_name(name)) return {};
    return {{"/name", "bad_format", "must be 1 to 128 of A-Z a-z 0-9 _ . -"}};
}

Result<Checkpoint, ValidationFailed, CheckpointLost, CheckpointConflict> advance(
    Checkpoint at, const std::string& name, const CheckpointStep& step) {
    for (const auto& [pointer, number] :
         {std::pair{"/position", step.position}, std::pair{"/fencingToken", step.fencing_token}}) {
        if (number > greatest_checkpoint_number) {
            return invalid(pointer, "out_of_range",
                           "must be 0 to " + std::to_string(greatest_checkpoint_number));
        }
    }
    if (step.fencing_token < at.fencing_token) return CheckpointLost{name, step.fencing_token};
    if (step.previous != at.position) return CheckpointConflict{name, at.position};
    if (step.position < at.position) {
        return invalid("/position", "out_of_range",
                       "is before " + std::to_string(at.position) +
                           ": a checkpoint never moves backward; start again under another name");
    }
    at.position = step.position;
    at.event_id = step.event_id;
    at.fencing_token = step.fencing_token;
    at.version = base::next(at.version);
    return at;
}

Checkpoint hold(Checkpoint at, const std::string& holder, Instant now,
                std::chrono::microseconds lasting) {
    const bool lasts = !at.holder.empty() && now < at.held_until;
    if (lasts && at.holder != holder) return at;
    if (!lasts) ++at.fencing_token;
    at.holder = holder;
    at.held_until = now + lasting;
    at.version = base::next(at.version);
    return at;
}

Checkpoint release(Checkpoint at, std::uint64_t fencing_token, Instant now) {
    if (at.holder.empty() || at.fencing_token != fencing_token) return at;
    at.holder.clear();
    at.held_until = std::min(at.held_until, now);
    at.version = base::next(at.version);
    return at;
}

}  // namespace sundial
