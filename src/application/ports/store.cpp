#include "application/ports/store.hpp"

#include <variant>

namespace sundial {
namespace {

std::string_view update_of(Noun noun) {
    switch (noun) {
        case Noun::user:
            return "update_user";
        case Noun::schedule:
            return "update_schedule";
        case Noun::event:
            return "update_event";
        case Noun::endpoint:
            return "update_endpoint";
        case Noun::operation:
            return "update_operation";
        case Noun::api_key:
            return "update_api_key";
        case Noun::attempt:   // has no version
        case Noun::instance:  // has no version
        case Noun::calendar:  // never changes
        case Noun::lock:
            break;
    }
    return "update_lock";
}

}  // namespace

std::optional<std::string_view> conflicting_operation(const Error& error) {
    if (const auto* lock = std::get_if<OptimisticLock>(&error)) return update_of(lock->noun);
    if (std::holds_alternative<LeaseLost>(error)) return update_of(Noun::event);
    if (std::holds_alternative<StreamOptimisticLock>(error)) return "append";
    const bool of_checkpoint = std::holds_alternative<CheckpointConflict>(error) ||
                               std::holds_alternative<CheckpointLost>(error);
    return of_checkpoint ? std::optional<std::string_view>{"checkpoint"} : std::nullopt;
}

}  // namespace sundial
