#include "application/schedules/delete_schedule.hpp"

#include <cstddef>
#include <limits>
#include <vector>

#include "application/audit/recorded_changes.hpp"
#include "application/operations/operations.hpp"
#include "application/requests/edits.hpp"
#include "application/requests/queries.hpp"
#include "application/streams/append_to_stream.hpp"
#include "base/check.hpp"

namespace sundial {
namespace {

constexpr Version any_version{std::numeric_limits<std::int64_t>::max()};

/// Cancels some events that are not claimed; returns their number.
std::size_t cancel_some(Transaction& tx, ScheduleId schedule) {
    const auto events = tx.events().lock_behind(schedule, any_version, std::nullopt, batch_size);
    for (const Event& event : events) {
        const auto cancelled = cancel(event, tx.now(), "schedule deleted");
        base::check(cancelled.has_value());
        // Frees the keys of events that were never attempted, for another schedule of the same
        // name.
        if (event.attempt.value == 0) {
            tx.events().finish_dropped(*cancelled);
        } else {
            tx.events().finish(*cancelled);
        }
    }
    return events.size();
}

/// Cancels a batch of events, and removes the locked `schedule` if no more are left.
bool remove_if_few_are_left(Transaction& tx, const Schedule& schedule, const ChangeId& change) {
    if (cancel_some(tx, schedule.id) == batch_size) return false;
    tx.record(schedule_deleted(schedule, change));
    tx.streams().close({own_stream::schedule, to_string(schedule.id)});
    tx.skips().remove_of_schedule(schedule.id);
    tx.calendars().remove_of_schedule(schedule.id);
    tx.schedules().remove(schedule.id);
    return true;
}

}  // namespace

bool delete_some_of(Transaction& tx, Ids& ids, const Schedule& schedule, const Caller& caller) {
    if (remove_if_few_are_left(tx, schedule, {ids.fresh(), caller})) return true;
    if (!schedule.enabled) return false;
    Schedule paused = schedule;
    paused.enabled = false;
    paused.version = base::next(schedule.version);
    paused.updated_at = tx.now();
    tx.schedules().update(paused);
    tx.record(schedule_updated(schedule, paused, {ids.fresh(), caller}));
    return false;
}

ScheduleResult<void> DeleteSchedule::run(std::string_view reference,
                                         std::optional<Version> expected, const Caller& caller) {
    struct Begun {
        ScheduleId schedule;
        bool removed;
    };
    const auto begun = in_transaction(store_, [&](Transaction& tx) -> ScheduleResult<Begun> {
        const auto id = schedule_id(tx, reference);
        if (!id) return id.error();
        // Locked, so that no user's events are planned by it meanwhile.
        const auto schedule = tx.schedules().lock(*id);
        if (!schedule) return NotFound{Noun::schedule, std::string{reference}};
        if (auto refused = refuse_version(Noun::schedule, reference, expected, schedule->version)) {
            return *refused;
        }
        return Begun{*id, delete_some_of(tx, ids_, *schedule, caller)};
    });
    if (!begun) return begun.error();

    for (bool removed = begun->removed; !removed;) {
        store_.transact([&](Transaction& tx) {
            const auto schedule = tx.schedules().lock(begun->schedule);
            removed = !schedule || delete_some_of(tx, ids_, *schedule, caller);
            return true;
        });
    }
    return {};
}

}  // namespace sundial
