#include "application/plan_successors.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "application/plan_occurrence.hpp"

namespace sundial {
namespace {

/// Each once, ascending: the order in which all take their locks.
template <class Id>
std::vector<Id> distinct(std::vector<Id> ids) {
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    return ids;
}

template <class Id, class Row>
std::unordered_map<Id, Row> by_id(std::vector<Row> rows) {
    std::unordered_map<Id, Row> found;
    for (Row& row : rows) {
        const Id id = row.id;
        found.emplace(id, std::move(row));
    }
    return found;
}

template <class Id, class Row>
const Row* find(const std::unordered_map<Id, Row>& rows, const Id& id) {
    const auto found = rows.find(id);
    return found == rows.end() ? nullptr : &found->second;
}

/// Whether a later occurrence than that of `event` lives: the schedule goes on from there.
bool goes_on(Transaction& tx, const Event& event) {
    EventQuery query;
    query.statuses = {EventStatus::pending, EventStatus::processing};
    query.user = event.user;
    query.schedule = event.occurrence->schedule;
    query.page = {.limit = 1, .descending = true, .after = std::nullopt};
    const auto latest = tx.events().list(query).items;
    return !latest.empty() && latest.front().occurrence &&
           latest.front().occurrence->nominal > event.occurrence->nominal;
}

/// What is claimed again, or retried by hand, may have its successor, and that may have moved since
/// to another date. By the rule of today the next occurrence could then be one that the move left
/// behind, in the past; it must not come to life. Nor is it a gap that a crash or downtime left,
/// for there nothing later lives.
bool left_behind(Transaction& tx, const Event& event, const YearlyOccurrence& next) {
    return next.instant <= tx.now() && goes_on(tx, event);
}

}  // namespace

Planning PlanSuccessors::run(std::span<const Event> claimed) {
    Planning planning;
    const auto recurs = [](const Event& event) { return event.occurrence.has_value(); };
    if (std::ranges::none_of(claimed, recurs)) return planning;
    store_.transact([&](Transaction& tx) {
        planning = plan(tx, claimed);
        return true;
    });
    return planning;
}

Planning PlanSuccessors::plan(Transaction& tx, std::span<const Event> claimed) {
    std::vector<UserId> user_ids;
    std::vector<ScheduleId> schedule_ids;
    for (const Event& event : claimed) {
        if (!event.occurrence) continue;
        schedule_ids.push_back(event.occurrence->schedule);
        if (event.user) user_ids.push_back(*event.user);
    }
    // Both stay as they are until the successors are stored: an edit waits, then finds them.
    const auto users = by_id<UserId>(tx.users().share(distinct(std::move(user_ids))));
    Planning planning;
    planning.schedules = tx.schedules().share(distinct(std::move(schedule_ids)));
    const auto schedules = by_id<ScheduleId>(planning.schedules);

    const auto zones = zones_.current();
    std::map<std::string, std::vector<Event>> successors;  // by type
    for (const Event& event : claimed) {
        if (!event.occurrence || !event.user) continue;
        const Schedule* schedule = find(schedules, event.occurrence->schedule);
        const User* user = find(users, *event.user);
        if (!schedule || !user) continue;
        const auto zone = zones->find(user->timezone);
        if (!zone) {
            planning.without_zone.push_back(event.id);
            continue;
        }
        const auto next = next_occurrence(*schedule, *user, **zone, event);
        if (!next || left_behind(tx, event, *next)) continue;
        successors[schedule->event_type].push_back(
            plan_occurrence(*schedule, *user, **zone, *next, ids_, zones->release(), tx.now()));
    }
    for (const auto& [type, events] : successors) {
        planning.stored[type] = tx.events().add_new(events);
        for (const Event& event : events) {
            planning.earliest = std::min(planning.earliest, event.claimable_at);
        }
    }
    return planning;
}

}  // namespace sundial
