#include "application/schedules/put_schedule.hpp"

#include <utility>
#include <variant>

namespace sundial {
namespace {

/// Bounds the attempts. Each attempt but the last lost to a concurrent create or delete of the same
/// schedule.
constexpr int turns = 5;

template <class E, class T>
bool failed_with(const Result<T>& result) {
    return !result && std::holds_alternative<E>(result.error());
}

}  // namespace

Result<PutScheduleResult> PutSchedule::run(const std::string& external_id, ScheduleFields wanted,
                                           std::optional<Version> expected, const Caller& caller) {
    wanted.external_id = external_id;
    const std::string reference = "ext:" + external_id;
    for (int turn = 1;; ++turn) {
        auto edited = edit_.replace(reference, wanted, expected, caller);
        if (edited) return PutScheduleResult{*std::move(edited), false};
        if (!failed_with<NotFound>(edited) || expected) return edited.error();

        auto created = create_.run(wanted, caller);
        if (created) return PutScheduleResult{{created->schedule, created->operation}, true};
        if (!failed_with<DuplicateExternalId>(created) || turn == turns) return created.error();
    }
}

}  // namespace sundial
