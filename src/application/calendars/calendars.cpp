#include "application/calendars/calendars.hpp"

#include <utility>
#include <vector>

#include "application/audit/recorded_changes.hpp"
#include "application/requests/queries.hpp"
#include "domain/names.hpp"

namespace sundial {
namespace {

std::vector<FieldError> calendar_defects(const NewCalendar& requested, Instant now) {
    std::vector<FieldError> found;
    if (!requested.name.empty()) {
        if (auto defect = refuse_text("/name", requested.name, max_name_length))
            found.push_back(*std::move(defect));
    }
    if (!requested.schedule && !requested.user)
        found.push_back({"", "required", "name a scheduleId, a userId, or both"});
    if (requested.expires_at && *requested.expires_at <= now)
        found.push_back({"/expiresAt", "out_of_range", "a calendar must expire in the future"});
    return found;
}

std::string name_of(const Schedule* schedule, const User* user) {
    const std::string person = user ? user->first_name + ' ' + user->last_name : "";
    if (!schedule) return person;
    return schedule->event_type + (person.empty() ? "" : ": " + person);
}

}  // namespace

CalendarResult<CreatedCalendar> CreateCalendar::run(const NewCalendar& requested,
                                                    const Caller& caller) {
    const auto fresh = secrets_.make();
    return in_transaction(store_, [&](Transaction& tx) -> CalendarResult<CreatedCalendar> {
        if (auto found = calendar_defects(requested, tx.now()); !found.empty())
            return ValidationFailed{std::move(found)};
        Calendar calendar{.id = CalendarId{ids_.fresh()},
                          .name = requested.name,
                          .schedule = std::nullopt,
                          .user = std::nullopt,
                          .token_hash = fresh.hash,
                          .expires_at = requested.expires_at,
                          .created_at = tx.now()};
        // Shared, so that neither is deleted before the calendar is stored. Users first, as in all
        // transactions.
        std::optional<User> user;
        if (requested.user) {
            const auto id = user_id(tx, *requested.user);
            if (!id) return id.error();
            auto users = tx.users().share({&*id, 1});
            if (users.empty()) return NotFound{Noun::user, *requested.user};
            user = std::move(users.front());
            calendar.user = user->id;
        }
        std::optional<Schedule> schedule;
        if (requested.schedule) {
            const auto id = schedule_id(tx, *requested.schedule);
            if (!id) return id.error();
            auto schedules = tx.schedules().share({&*id, 1});
            if (schedules.empty()) return NotFound{Noun::schedule, *requested.schedule};
            schedule = std::move(schedules.front());
            calendar.schedule = schedule->id;
            if (schedule->per_user != user.has_value()) {
                return invalid("/userId", user ? "not_allowed" : "required",
                               user ? "this schedule does not run for users"
                                    : "this schedule runs for each user: name one");
            }
        }
        if (calendar.name.empty())
            calendar.name = name_of(schedule ? &*schedule : nullptr, user ? &*user : nullptr);
        tx.calendars().add(calendar);
        tx.record(calendar_created(calendar, {ids_.fresh(), caller}));
        return CreatedCalendar{calendar, calendar_token(fresh.secret)};
    });
}

CalendarResult<void> RevokeCalendar::run(std::string_view id, const Caller& caller) {
    const auto uuid = base::parse_uuid(id);
    return in_transaction(store_, [&](Transaction& tx) -> CalendarResult<void> {
        const auto calendar = uuid ? tx.calendars().lock(CalendarId{*uuid}) : std::nullopt;
        if (!calendar) return NotFound{Noun::calendar, std::string{id}};
        tx.calendars().remove(calendar->id);
        tx.record(calendar_revoked(*calendar, {ids_.fresh(), caller}));
        return {};
    });
}

}  // namespace sundial
