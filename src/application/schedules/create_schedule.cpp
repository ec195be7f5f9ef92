#include "application/schedules/create_schedule.hpp"

#include <utility>
#include <variant>

#include "application/audit/recorded_changes.hpp"
#include "application/schedules/chain_planner.hpp"

namespace sundial {

ScheduleResult<CreatedSchedule> CreateSchedule::run(const ScheduleFields& requested,
                                                    const Caller& caller,
                                                    std::optional<ScheduleId> given) {
    const auto zones = zones_.current();
    const ScheduleId id = given.value_or(ScheduleId{ids_.fresh()});
    const auto draft =
        in_read(store_, [&](Transaction& tx) { return read_schedule(tx, id, requested, *zones); });
    if (!draft) return draft.error();
    if (const auto judged = judge_rule(*draft, *zones); !judged) return judged.error();

    Instant earliest = never;
    std::optional<Operation> started;
    auto result = in_transaction(store_, [&](Transaction& tx) -> ScheduleResult<Schedule> {
        earliest = never;
        started.reset();
        auto read = read_schedule(tx, id, requested, *zones);
        if (!read) return read;
        Schedule& schedule = *read;
        if (auto refused = refuse_endpoint(tx, schedule, kinds_)) return *std::move(refused);
        if (auto refused = refuse_ping_url(schedule, kinds_)) return *std::move(refused);
        if (schedule.per_user) schedule.planned_version = Version{0};
        if (auto added = tx.schedules().add(schedule); !added) return added.error();
        tx.record(schedule_created(schedule, {ids_.fresh(), caller}));
        if (schedule.per_user) {
            started = operations_.start(tx, OperationKind::plan_schedule, schedule);
        } else {
            ChainPlanner planner{tx, nullptr, *zones, ids_};
            planner.begin(schedule);
            earliest = planner.earliest();
        }
        return schedule;
    });
    if (!result) return result.error();
    wakeups_.due_at(earliest);
    if (started) started = operations_.begin(*started);
    return CreatedSchedule{*std::move(result), std::move(started)};
}

namespace {

/// Bounds the attempts. Each attempt but the last lost to a concurrent create or delete of the same
/// schedule.
constexpr int turns = 5;

template <class E, class T>
bool failed_with(const ScheduleResult<T>& result) {
    return !result && std::holds_alternative<E>(result.error());
}

}  // namespace

ScheduleResult<PutScheduleResult> PutSchedule::run(const std::string& external_id,
                                                   ScheduleFields requested,
                                                   std::optional<Version> expected,
                                                   const Caller& caller,
                                                   std::optional<ScheduleId> id) {
    requested.external_id = external_id;
    const std::string reference = "ext:" + external_id;
    for (int turn = 1;; ++turn) {
        auto edited = edit_.replace(reference, requested, expected, caller);
        if (edited) return PutScheduleResult{*std::move(edited), false};
        if (!failed_with<NotFound>(edited) || expected) return edited.error();

        auto created = create_.run(requested, caller, id);
        if (created) return PutScheduleResult{{created->schedule, created->operation}, true};
        if (!failed_with<DuplicateExternalId>(created) || turn == turns) return created.error();
    }
}

}  // namespace sundial
