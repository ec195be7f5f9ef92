#include "application/delete_schedule.hpp"

#include <cstddef>
#include <limits>
#include <vector>

#include "application/expected_version.hpp"
#include "application/recorded_changes.hpp"
#include "application/reference.hpp"
#include "base/check.hpp"

namespace sundial {
namespace {

/// Events of one transaction: few enough that claims go round them for a moment only.
constexpr std::size_t batch_size = 200;
constexpr Version any_version{std::numeric_limits<std::int64_t>::max()};

/// Cancels some of those that nobody holds; returns how many.
std::size_t cancel_some(Transaction& tx, ScheduleId schedule) {
    const auto events = tx.events().lock_behind(schedule, any_version, std::nullopt, batch_size);
    for (const Event& event : events) {
        const auto cancelled = cancel(event, tx.now(), "schedule deleted");
        base::check(cancelled.has_value());
        // What nobody was ever told of is another schedule's to plan, should it have the same name.
        if (event.attempt.value == 0) {
            tx.events().finish_dropped(*cancelled);
        } else {
            tx.events().finish(*cancelled);
        }
    }
    return events.size();
}

}  // namespace

Result<void> DeleteSchedule::run(std::string_view reference, std::optional<Version> expected,
                                 const Caller& caller) {
    // From here on no event of it goes out, and none comes to life.
    const auto paused = in_transaction(store_, [&](Transaction& tx) -> Result<ScheduleId> {
        const auto id = schedule_id(tx, reference);
        if (!id) return id;
        auto schedule = tx.schedules().lock(*id);
        if (!schedule) return NotFound{Noun::schedule, std::string{reference}};
        if (auto refused = refuse_version(Noun::schedule, reference, expected, schedule->version)) {
            return *refused;
        }
        const Schedule before = *schedule;
        if (!before.enabled) return *id;
        schedule->enabled = false;
        schedule->version = base::next(schedule->version);
        schedule->updated_at = tx.now();
        tx.schedules().update(*schedule);
        tx.record(schedule_updated(before, *schedule, {ids_.fresh(), caller}));
        return *id;
    });
    if (!paused) return paused.error();

    for (bool removed = false; !removed;) {
        store_.transact([&](Transaction& tx) {
            // Locked, so that no user is planned by it meanwhile.
            const auto schedule = tx.schedules().lock(*paused);
            removed = !schedule;
            if (removed || cancel_some(tx, *paused) > 0) return true;
            tx.record(schedule_deleted(*schedule, {ids_.fresh(), caller}));
            tx.streams().close({"Schedule", to_string(*paused)});
            tx.skips().remove_of_schedule(*paused);
            tx.schedules().remove(*paused);
            removed = true;
            return true;
        });
    }
    return {};
}

}  // namespace sundial
