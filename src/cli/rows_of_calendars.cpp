#include "cli/command_rows.hpp"

/// iCalendar feeds.
namespace sundial::cli {

void add_rows_of_calendars(std::vector<ApiCommand>& rows) {
    rows.push_back(
        {.noun = "calendar",
         .verb = "list",
         .help = "list calendar feeds, without their tokens",
         .operation = "listCalendars",
         .method = "GET",
         .path = "/v1/calendars",
         .arguments = {filter("scheduleId", "of this schedule; id or ext:…").named("--schedule"),
                       filter("userId", "of this user; id or ext:…").named("--user")},
         .shape = Shape::pages,
         .columns = {{"id", "id"},
                     {"name", "name"},
                     {"schedule", "scheduleId"},
                     {"user", "userId"},
                     {"expires", "expiresAt"},
                     {"created", "createdAt"}},
         .sorts = {"createdAt"}});
    rows.push_back(
        {.noun = "calendar",
         .verb = "add",
         .help = "create a feed of a schedule, of a user, or of a schedule for a user; prints its "
                 "path",
         .operation = "createCalendar",
         .method = "POST",
         .path = "/v1/calendars",
         .arguments = {member("scheduleId", "the schedule; id or ext:…").named("--schedule"),
                       member("userId", "the user; id or ext:…").named("--user"),
                       member("name", "the name that calendar programs show"),
                       member("expiresAt", "when the feed expires: RFC 3339")},
         .note = "the path is shown only once, and it is enough to read the calendar"});
    rows.push_back({.noun = "calendar",
                    .verb = "read",
                    .help = "print a feed, in the format of iCalendar",
                    .operation = "readCalendar",
                    .method = "GET",
                    .path = "/calendar/{token}",
                    .arguments = {in_path("token", "token", "sundial_cal_…, with .ics or without"),
                                  filter("days", "how many days ahead occurrences are listed")
                                      .as(ValueKind::number)},
                    .shape = Shape::text});
    rows.push_back({.noun = "calendar",
                    .verb = "revoke",
                    .help = "revoke the token of a feed",
                    .operation = "revokeCalendar",
                    .method = "DELETE",
                    .path = "/v1/calendars/{id}",
                    .arguments = {in_path("id", "id", "the calendar")},
                    .question = "revoke the feed of the calendar {id}",
                    .done = "revoked"});
}

}  // namespace sundial::cli
