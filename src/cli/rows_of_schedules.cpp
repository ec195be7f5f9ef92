#include <boost/json.hpp>

#include "cli/command_rows.hpp"
#include "cli/output.hpp"

/// Schedules, and when they fire.
namespace sundial::cli {
namespace {

namespace json = boost::json;

/// The trigger of a schedule below `at` in the body.
Arguments trigger_members(const std::string& at) {
    const auto trigger = at + "trigger";
    return {
        member(trigger, R"(the trigger as JSON, {"every":"PT15M"})").as(ValueKind::json),
        member(trigger + ".cron", "cron expression, 5 or 6 fields, or @daily"),
        member(trigger + ".every", "elapsed time between events: PT15M"),
        member(trigger + ".rrule.rrule", "FREQ=MONTHLY;BYDAY=-1FR; with --dtstart"),
        member(trigger + ".rrule.dtstart", "local start of the RRULE"),
        member(trigger + ".rrule.rdate", "further local times").as(ValueKind::words),
        member(trigger + ".rrule.exdate", "local times to leave out").as(ValueKind::words),
        member(trigger + ".rrule", "iCalendar text with DTSTART and RRULE, or @FILE")
            .as(ValueKind::document)
            .named("--ical"),
        member(trigger + ".yearly.on", "dateOfBirth, a key of dates, or MM-DD").named("--yearly"),
        member(trigger + ".yearly.at", "time of day of --yearly, 09:00"),
    };
}

Arguments schedule_members(const std::string& at = "") {
    return with(
        trigger_members(at),
        {member(at + "eventType", "type of its events").named("--type"),
         member(at + "priority", "of its events").of(priorities()),
         member(at + "enabled", "=false: paused").as(ValueKind::flag),
         member(at + "note", "why it is paused"),
         member(at + "tags", "your own groups, with commas between them").as(ValueKind::words),
         member(at + "pingUrl", "URL that gets a POST request after its events completed"),
         member(at + "timezone", "IANA name, for a schedule that is not per user"),
         member(at + "endpointId", "endpoint that gets its events; id or ext:…")
             .named("--endpoint"),
         member(at + "payload", "template of the payload; JSON, @FILE or -").as(ValueKind::json),
         member(at + "gap", "for times that do not exist")
             .of({"compatible", "earlier", "later", "boundary", "skip"}),
         member(at + "overlap", "for times that occur twice")
             .of({"compatible", "earlier", "later", "skip", "both"}),
         member(at + "leap", "29 February in common years").of({"feb28", "mar1", "skip"}),
         member(at + "misfire", "for events whose time passed during a downtime")
             .of({"all", "once", "skip"}),
         member(at + "window", "how late a missed event may be, such as PT6H"),
         member(at + "grace", "lateness that does not count as a misfire, such as PT1M"),
         member(at + "limit", "maximum number of missed events to catch up on")
             .as(ValueKind::number),
         member(at + "concurrency", "whether two of its events may run at once")
             .of({"allow", "forbid"}),
         member(at + "jitter", "random delay, at most this"),
         member(at + "startsAt", "first instant"),
         member(at + "endsAt", "last instant")});
}

const std::vector<Column>& occurrence_columns() {
    static const std::vector<Column> columns{
        {"UTC", "targetTimestampUTC"}, {"local", "targetTimestampLocal"},
        {"zone", "targetTimezone"},    {"note", "note"},
        {"wanted", "wantedLocal"},     {"skipped", "skipped"}};
    return columns;
}

void print_preview(const json::object& preview, const Output& output) {
    output.out << harmless(text_of(preview, "description")) << '\n';
    if (const json::value* warnings = preview.if_contains("warnings");
        warnings != nullptr && warnings->is_array()) {
        for (const json::value& warning : warnings->get_array()) {
            if (warning.is_string())
                output.err << "warning: " << harmless(std::string(warning.get_string())) << '\n';
        }
    }
    print_rows(preview, occurrence_columns(), output);
}

void print_backfill(const json::object& answer, const Output& output) {
    if (!answer.contains("occurrences")) {
        output.out << operation_line(answer) << '\n';
        output.err << "Follow it with `sundial op wait " << text_of(answer, "id") << "`.\n";
        return;
    }
    output.out << text_of(answer, "occurrences") << " occurrences would get an event\n";
    print_rows(json::object{{"data", answer.at("samples")}},
               {{"UTC", "targetTimestampUTC"},
                {"local", "targetTimestampLocal"},
                {"zone", "targetTimezone"},
                {"user", "userId"}},
               output);
}

}  // namespace

void add_rows_of_schedules(std::vector<ApiCommand>& rows) {
    const std::string path = "/v1/schedules/{id}";
    const Arguments per_user{
        member("perUser", "run it for each user, in the user's zone").as(ValueKind::flag)};
    rows.push_back(
        {.noun = "schedule",
         .verb = "list",
         .help = "list schedules",
         .operation = "listSchedules",
         .method = "GET",
         .path = "/v1/schedules",
         .arguments =
             {filter("enabled", "enabled, or with =false paused").as(ValueKind::flag),
              filter("perUser", "run for each user, or with =false not").as(ValueKind::flag),
              filter("trigger", "with a trigger of any of these kinds")
                  .as(ValueKind::words)
                  .of({"yearly", "cron", "rrule", "every"}),
              filter("eventType", "with any of these event types")
                  .as(ValueKind::words)
                  .named("--type"),
              filter("endpointId", "whose events go there; id or ext:…").named("--endpoint"),
              filter("tag", "with this tag"), prefix_of("id, external id, event type")},
         .shape = Shape::pages,
         .columns = {{"schedule", "@ref"},
                     {"type", "eventType"},
                     {"state", "@state"},
                     {"next", "nextAt"},
                     {"rule", "description"}},
         .sorts = {"createdAt"}});
    rows.push_back({.noun = "schedule",
                    .verb = "get",
                    .help = "one schedule",
                    .operation = "getSchedule",
                    .method = "GET",
                    .path = path,
                    .arguments = {id_of("schedule")}});
    rows.push_back(
        {.noun = "schedule",
         .verb = "add",
         .help = "add a schedule",
         .operation = "createSchedule",
         .method = "POST",
         .path = "/v1/schedules",
         .arguments = with(
             with({member("externalId", "your id; also names the schedule as ext:…")}, per_user),
             schedule_members()),
         .whole_body = true});
    rows.push_back({.noun = "schedule",
                    .verb = "set",
                    .help = "change a schedule and its planned events",
                    .operation = "patchSchedule",
                    .method = "PATCH",
                    .path = path,
                    .arguments = with({id_of("schedule")}, schedule_members()),
                    .whole_body = true,
                    .versioned = true,
                    .current = "same"});
    rows.push_back({.noun = "schedule",
                    .verb = "put",
                    .help = "create or replace a schedule",
                    .operation = "putSchedule",
                    .method = "PUT",
                    .path = path,
                    .arguments = {id_of("schedule"), file_of_settings()},
                    .versioned = true,
                    .current = "same"});
    rows.push_back({.noun = "schedule",
                    .verb = "delete",
                    .help = "delete a schedule and its planned events",
                    .operation = "deleteSchedule",
                    .method = "DELETE",
                    .path = path,
                    .arguments = {id_of("schedule")},
                    .versioned = true,
                    .question = "delete the schedule {id} and its planned events",
                    .current = "same",
                    .done = "deleted"});
    rows.push_back({.noun = "schedule",
                    .verb = "pause",
                    .help = "pause a schedule; its planned events wait",
                    .operation = "patchSchedule",
                    .method = "PATCH",
                    .path = path,
                    .arguments = {id_of("schedule"), member("note", "why")},
                    .fixed = {{"enabled", "false"}},
                    .versioned = true,
                    .current = "same"});
    rows.push_back({.noun = "schedule",
                    .verb = "resume",
                    .help = "resume a paused schedule, from now on",
                    .operation = "patchSchedule",
                    .method = "PATCH",
                    .path = path,
                    .arguments = {id_of("schedule"), member("note", "a remark")},
                    .fixed = {{"enabled", "true"}},
                    .versioned = true,
                    .current = "same"});
    rows.push_back(
        {.noun = "schedule",
         .verb = "trigger",
         .help = "make one event of a schedule now",
         .operation = "triggerSchedule",
         .method = "POST",
         .path = path + "/trigger",
         .arguments =
             {id_of("schedule"),
              member("userId", "for a schedule per user; id or ext:…").named("--user"),
              member("payload", "instead of the schedule's; JSON, @FILE or -").as(ValueKind::json)},
         .whole_body = true,
         .current = path});
    rows.push_back(
        {.noun = "schedule",
         .verb = "backfill",
         .help = "create events for past occurrences that have none",
         .operation = "backfillSchedule",
         .method = "POST",
         .path = path + "/backfill",
         .arguments = {id_of("schedule"), member("from", "at or after: " + an_instant).needed(),
                       member("to", "before").needed(),
                       member("dryRun", "only count the occurrences and show the first")
                           .as(ValueKind::flag)},
         .view = &print_backfill});
    rows.push_back(
        {.noun = "schedule",
         .verb = "preview",
         .help = "show when a schedule fires, stored or not",
         .operation = "previewSchedule",
         .method = "POST",
         .path = "/v1/preview",
         .arguments = with(
             with({member("scheduleId", "a stored schedule; else its flags").named("id"),
                   member("userId", "for a schedule per user; id or ext:…").named("--user"),
                   member("override.timezone", "instead of the user's zone").named("--in-zone"),
                   member("from", "strictly after this instant; now"),
                   member("count", "how many occurrences").as(ValueKind::number),
                   member("schedule", "the whole schedule as JSON").as(ValueKind::json),
                   member("schedule.perUser", "run it for each user").as(ValueKind::flag)},
                  {}),
             schedule_members("schedule.")),
         .whole_body = true,
         .columns = occurrence_columns(),
         .view = &print_preview});
    rows.push_back(
        {.noun = "schedule",
         .verb = "occurrences",
         .help = "list past and coming occurrences, skipped ones too",
         .operation = "listOccurrences",
         .method = "GET",
         .path = "/v1/occurrences",
         .arguments = {filter("scheduleId", "the schedule; id or ext:…").named("id").needed(),
                       filter("userId", "for a schedule per user; id or ext:…").named("--user"),
                       filter("timezone", "instead of the zone of the user or the schedule"),
                       filter("from", "at or after: " + an_instant), filter("to", "before")},
         .shape = Shape::pages,
         .columns = occurrence_columns()});
}

}  // namespace sundial::cli
