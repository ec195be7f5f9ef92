#include "application/cancel_event.hpp"

#include <optional>
#include <string>
#include <vector>

#include "application/expected_version.hpp"
#include "application/reference.hpp"
#include "application/user_planner.hpp"

namespace sundial {
namespace {

constexpr const char* reason = "cancelled on request";

/// What it takes to plan the successor of a recurring event.
struct Recurrence {
    User user;
    Schedule schedule;
};

/// Of a single event there is none, nor of one whose user is gone. Shares user and schedule.
std::optional<Recurrence> share_recurrence(Transaction& tx, const Event& event) {
    if (!event.occurrence || !event.user) return std::nullopt;
    const auto users = tx.users().share(std::vector{*event.user});
    const auto schedules = tx.schedules().share(std::vector{event.occurrence->schedule});
    if (users.empty() || schedules.empty()) return std::nullopt;
    return Recurrence{users.front(), schedules.front()};
}

Result<Event> cancel_alone(Transaction& tx, const Event& event) {
    auto cancelled = cancel(event, tx.now(), reason);
    if (cancelled) tx.events().finish(*cancelled);
    return cancelled;
}

}  // namespace

Result<Event> CancelEvent::run(std::string_view id, std::optional<Version> expected) {
    Instant earliest = never;
    // Shares the user and the schedule, then locks the event.
    auto result = in_transaction(store_, [&](Transaction& tx) -> Result<Event> {
        const auto wanted = event_id(id);
        if (!wanted) return wanted.error();
        const auto seen = tx.events().find(*wanted);
        if (!seen) return NotFound{Noun::event, std::string{id}};
        const auto recurrence = share_recurrence(tx, *seen);
        const auto live = tx.events().lock(*wanted);
        const auto event = live ? live : tx.events().find(*wanted);
        if (!event) return NotFound{Noun::event, std::string{id}};
        if (status_of(*event) == EventStatus::cancelled) return *event;
        if (auto refused = refuse_version(Noun::event, id, expected, event->version)) {
            return *refused;
        }
        if (!recurrence) return cancel_alone(tx, *event);

        const auto zones = zones_.current();
        const auto zone = zones->find(recurrence->user.timezone);
        if (!zone)
            return invalid("", std::string{to_string(zone.error().code)},
                           "the user's zone: " + zone.error().message);
        UserPlanner planner{tx, recurrence->user, **zone, ids_, zones->release()};
        auto cancelled = planner.cancel_and_go_on(&recurrence->schedule, *event, reason);
        earliest = planner.earliest();
        return cancelled;
    });
    if (result) wakeups_.due_at(earliest);
    return result;
}

}  // namespace sundial
