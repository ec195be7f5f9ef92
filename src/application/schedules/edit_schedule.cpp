#include "application/schedules/edit_schedule.hpp"

#include <utility>

#include "application/audit/recorded_changes.hpp"
#include "application/requests/edits.hpp"
#include "application/requests/queries.hpp"

namespace sundial {
namespace {

/// A change of the note, the tags or the ping URL alone does not affect events.
bool same_plan(const Schedule& before, Schedule after) {
    after.note = before.note;
    after.tags = before.tags;
    after.ping_url = before.ping_url;
    return before == after;
}

ValidationFailed fixed(const char* pointer) {
    return invalid(pointer, "not_allowed", "never changes; create another schedule");
}

/// The replacement of an existing schedule; if nothing differs, the same version.
ScheduleResult<Schedule> replaced(Transaction& tx, const Schedule& before,
                                  const ScheduleFields& replacement, const TzData& zones) {
    auto after = read_schedule(tx, before.id, replacement, zones);
    if (!after) return after;
    after->external_id = before.external_id;
    after->version = before.version;
    after->planned_version = before.planned_version;
    after->created_at = before.created_at;
    after->updated_at = before.updated_at;
    return after;
}

}  // namespace

bool store_schedule_edit(Transaction& tx, Ids& ids, const Schedule& before, Schedule& after,
                         const Caller& caller) {
    if (after == before) return false;
    const bool up_to_date = before.planned_version == before.version;
    const bool planned = up_to_date && same_plan(before, after);
    after.version = base::next(before.version);
    if (planned) after.planned_version = after.version;
    after.updated_at = tx.now();
    tx.schedules().update(after);
    tx.record(schedule_updated(before, after, {ids.fresh(), caller}));
    return !planned;
}

ScheduleResult<EditedSchedule> EditSchedule::run(std::string_view reference,
                                                 const ScheduleFields& edit,
                                                 std::optional<Version> expected,
                                                 const Caller& caller) {
    const auto transform = [&](Transaction& tx, const Schedule& before) {
        return edited(tx, before, edit, *zones_.current());
    };
    return change(reference, transform, expected, caller);
}

ScheduleResult<EditedSchedule> EditSchedule::replace(std::string_view reference,
                                                     const ScheduleFields& replacement,
                                                     std::optional<Version> expected,
                                                     const Caller& caller) {
    const auto transform = [&](Transaction& tx, const Schedule& before) {
        return replaced(tx, before, replacement, *zones_.current());
    };
    return change(reference, transform, expected, caller);
}

ScheduleResult<EditedSchedule> EditSchedule::change(std::string_view reference,
                                                    const Change& change,
                                                    std::optional<Version> expected,
                                                    const Caller& caller) {
    const auto zones = zones_.current();
    // Computed outside the transaction. If another edit comes between, the transaction does it.
    const auto draft = in_read(store_, [&](Transaction& tx) -> std::optional<Schedule> {
        const auto id = schedule_id(tx, reference);
        const auto before = id ? tx.schedules().find(*id) : std::nullopt;
        const auto requested =
            before ? change(tx, *before) : ScheduleResult<Schedule>{NotFound{Noun::schedule, {}}};
        return requested && !same_rule(*before, *requested) ? std::optional{*requested}
                                                            : std::nullopt;
    });
    const auto judged = draft ? judge_rule(*draft, *zones) : ScheduleResult<void>{};

    std::optional<Operation> started;
    // Locks only the schedule. The events follow afterwards, because there may be millions.
    auto result = in_transaction(store_, [&](Transaction& tx) -> ScheduleResult<Schedule> {
        started.reset();
        const auto id = schedule_id(tx, reference);
        if (!id) return id.error();
        const auto before = tx.schedules().lock(*id);
        if (!before) return NotFound{Noun::schedule, std::string{reference}};
        if (auto refused = refuse_version(Noun::schedule, reference, expected, before->version)) {
            return *refused;
        }
        auto requested = change(tx, *before);
        if (!requested) return requested;
        Schedule after = *std::move(requested);
        if (after.external_id != before->external_id) return fixed("/externalId");
        if (after.per_user != before->per_user) return fixed("/perUser");
        if (after == *before) return after;
        if (after.endpoint != before->endpoint || after.payload != before->payload) {
            if (auto refused = refuse_endpoint(tx, after, kinds_)) return *std::move(refused);
        }
        if (after.ping_url != before->ping_url) {
            if (auto refused = refuse_ping_url(after, kinds_)) return *std::move(refused);
        }
        if (!same_rule(*before, after)) {
            const bool known = draft && same_rule(*draft, after);
            const auto fires = known ? judged : judge_rule(after, *zones);
            if (!fires) return fires.error();
        }

        if (store_schedule_edit(tx, ids_, *before, after, caller)) {
            started = operations_.start(tx, OperationKind::replan_schedule, after);
        }
        return after;
    });
    if (!result) return result.error();
    if (started) started = operations_.begin(*started);
    return EditedSchedule{*std::move(result), std::move(started)};
}

}  // namespace sundial
