#include <boost/json.hpp>

#include "cli/command_rows.hpp"
#include "cli/output.hpp"

/// Operations, and what a server knows about itself.
namespace sundial::cli {
namespace {

namespace json = boost::json;

void print_operation(const json::object& operation, const Output& output) {
    output.out << operation_line(operation) << '\n';
}

void add_operations(std::vector<ApiCommand>& rows) {
    const std::string path = "/v1/operations/{id}";
    const Argument id = in_path("id", "id", "the operation");
    rows.push_back(
        {.noun = "op",
         .verb = "list",
         .help = "list operations, newest first",
         .operation = "listOperations",
         .method = "GET",
         .path = "/v1/operations",
         .arguments = {filter("status", "statuses, with commas between them")
                           .as(ValueKind::words)
                           .of({"RUNNING", "COMPLETED", "FAILED", "STOPPED"}),
                       filter("status", "only running operations")
                           .named("--running")
                           .as(ValueKind::flag)
                           .sending("RUNNING"),
                       filter("kind", "kinds, with commas between them")
                           .as(ValueKind::words)
                           .of({"PLAN_SCHEDULE", "REPLAN_SCHEDULE", "BACKFILL_SCHEDULE", "BULK"}),
                       filter("scheduleId", "of this schedule; id or ext:…").named("--schedule")},
         .shape = Shape::pages,
         .columns = {{"id", "id"},
                     {"kind", "kind"},
                     {"status", "status"},
                     {"done", "done"},
                     {"of", "total"},
                     {"failed", "failed"},
                     {"created", "createdAt"},
                     {"reason", "reason"}},
         .sorts = {"createdAt"},
         .default_sort = "-createdAt"});
    rows.push_back({.noun = "op",
                    .verb = "get",
                    .help = "one operation",
                    .operation = "getOperation",
                    .method = "GET",
                    .path = path,
                    .arguments = {id}});
    rows.push_back({.noun = "op",
                    .verb = "errors",
                    .help = "list the rows that an operation could not change",
                    .operation = "listOperationErrors",
                    .method = "GET",
                    .path = path + "/errors",
                    .arguments = {id},
                    .shape = Shape::pages,
                    .columns = {{"number", "number"},
                                {"type", "type"},
                                {"id", "id"},
                                {"code", "code"},
                                {"detail", "detail"}}});
    rows.push_back({.noun = "op",
                    .verb = "stop",
                    .help = "stop an operation; its finished part stays",
                    .operation = "stopOperation",
                    .method = "DELETE",
                    .path = path,
                    .arguments = {id},
                    .versioned = true,
                    .current = "same",
                    .view = &print_operation});
}

void add_intakes(std::vector<ApiCommand>& rows) {
    const Argument name{.name = "name",
                        .place = Place::query,
                        .member = "intake",
                        .help = "the intake, as storage.intake names it",
                        .required = true};
    rows.push_back({.noun = "intake",
                    .verb = "list",
                    .help = "list outboxes with their progress and failures",
                    .operation = "listIntakes",
                    .method = "GET",
                    .path = "/v1/intakes",
                    .shape = Shape::pages,
                    .columns = {{"name", "name"},
                                {"status", "status"},
                                {"taken", "taken"},
                                {"refused", "refused"},
                                {"source", "source"},
                                {"since", "since"},
                                {"failure", "failure"}}});
    rows.push_back(
        {.noun = "intake",
         .verb = "refused",
         .help = "list refused rows with their reasons",
         .operation = "listRefusedRows",
         .method = "GET",
         .path = "/v1/intakes/refused",
         .arguments = {name},
         .shape = Shape::pages,
         .columns = {{"id", "id"}, {"kind", "kind"}, {"code", "code"}, {"detail", "detail"}}});
    rows.push_back({.noun = "intake",
                    .verb = "taken",
                    .help = "list first and last ids of the rows that the application may delete",
                    .operation = "listTakenRows",
                    .method = "GET",
                    .path = "/v1/intakes/taken",
                    .arguments = {name},
                    .shape = Shape::pages,
                    .columns = {{"first", "first"}, {"last", "last"}}});
}

void add_instances(std::vector<ApiCommand>& rows) {
    rows.push_back({.noun = "instance",
                    .verb = "list",
                    .help = "list the processes that serve this database",
                    .operation = "listInstances",
                    .method = "GET",
                    .path = "/v1/instances",
                    .shape = Shape::list,
                    .columns = {{"id", "id"},
                                {"status", "status"},
                                {"roles", "@roles"},
                                {"version", "version"},
                                {"started", "startedAt"},
                                {"last seen", "@seen"},
                                {"claims", "leasesHeld"},
                                {"slots", "slots"},
                                {"last claim", "lastClaimAt"},
                                {"clock skew ms", "clockSkewMs"}}});
    rows.push_back(
        {.noun = "instance",
         .verb = "drain",
         .help = "shut down an instance after it has finished its claims",
         .operation = "drainInstance",
         .method = "POST",
         .path = "/v1/instances/{id}/drain",
         .arguments = {in_path("id", "id", "the instance")},
         .question = "shut down the instance {id} after it has finished its claims",
         .done = "the instance exits within about five seconds after its last delivery"});
}

void add_stats(std::vector<ApiCommand>& rows) {
    rows.push_back(
        {.noun = "stats",
         .verb = "show",
         .help = "counters of all instances over a window of time, and the current backlog",
         .operation = "getStats",
         .method = "GET",
         .path = "/v1/stats",
         .arguments = {filter("window", "length of the window").otherwise("PT1H")}});
    rows.push_back(
        {.noun = "stats",
         .verb = "series",
         .help = "counters over time",
         .operation = "getStatsSeries",
         .method = "GET",
         .path = "/v1/stats/series",
         .arguments = {filter("metric", "metrics, with commas between them, 6 at most")
                           .as(ValueKind::words)
                           .of({"executed", "failed", "retried", "lateness_p50", "lateness_p95",
                                "lateness_p99", "duration_p50", "duration_p95", "duration_p99",
                                "claim_duration_p50", "claim_duration_p95", "claim_duration_p99",
                                "backlog", "oldest_due"})
                           .needed(),
                       filter("from", "beginning; " + an_instant),
                       filter("to", "end; " + an_instant),
                       filter("step", "length of a step").otherwise("PT1M"),
                       filter("by", "a line for each of these")
                           .of({"eventType", "endpointId", "instanceId"}),
                       filter("key", "only this event type, or the endpoint with this id")},
         .shape = Shape::list,
         .columns = {{"metric", "metric"}, {"key", "key"}, {"points", "points"}}});
    rows.push_back(
        {.noun = "stats",
         .verb = "heatmap",
         .help = "finished and expected events by time and zone, endpoint or status",
         .operation = "getStatsHeatmap",
         .method = "GET",
         .path = "/v1/stats/heatmap",
         .arguments =
             {filter("from", "beginning; " + an_instant), filter("to", "end; " + an_instant),
              filter("bucket", "length of a bucket").otherwise("PT1H"),
              filter("by", "a line for each of these")
                  .of({"timezone", "endpointId", "status"})
                  .otherwise("timezone"),
              filter("forecast", "--forecast=false: only finished events").as(ValueKind::flag)},
         .shape = Shape::list,
         .columns = {
             {"key", "key"}, {"limit", "limit"}, {"past", "past"}, {"forecast", "forecast"}}});
}

void print_clock(const json::object& clock, const Output& output) {
    output.out << text_of(clock, "now") << "  (" << text_of(clock, "mode") << " clock)\n";
}
void print_advanced(const json::object& advanced, const Output& output) {
    output.out << "now " << text_of(advanced, "now") << ": " << text_of(advanced, "delivered")
               << " delivered, " << text_of(advanced, "failed") << " failed\n";
}

void print_ticked(const json::object& ticked, const Output& output) {
    output.out << text_of(ticked, "claimed") << " claimed, " << text_of(ticked, "completed")
               << " completed, " << text_of(ticked, "failed") << " failed, "
               << text_of(ticked, "retrying") << " wait for a retry\n";
}

void print_info(const json::object& info, const Output& output) {
    const json::object& database = info.at("database").as_object();
    output.out << "sundial   " << text_of(info, "version") << " (" << text_of(info, "commit")
               << ")\n"
               << "database  " << text_of(database, "kind") << ' ' << text_of(database, "version")
               << '\n';
    if (const std::string note = text_of(database, "note"); !note.empty())
        output.out << "          " << note << '\n';
    output.out << "tzdata    " << text_of(info, "tzdb") << '\n'
               << "clock     " << text_of(info, "clock") << '\n';
}

void print_health(const json::object& health, const Output& output) {
    output.out << painted_state(text_of(health, "status"), output) << '\n';
    const json::value* checks = health.if_contains("checks");
    if (checks == nullptr || !checks->is_object()) return;
    json::array rows;
    for (const auto& check : checks->get_object()) {
        json::object row{{"name", check.key()}};
        std::string rest;
        if (check.value().is_object()) {
            for (const auto& member : check.value().get_object()) {
                if (member.key() == "status")
                    row["status"] = member.value();
                else
                    rest += (rest.empty() ? "" : ", ") + std::string(member.key()) + ' ' +
                            text_of(check.value().get_object(), member.key());
            }
        }
        row["rest"] = rest;
        rows.push_back(std::move(row));
    }
    print_rows(json::object{{"data", std::move(rows)}},
               {{"check", "name"}, {"status", "status"}, {"", "rest"}}, output);
}

void add_system(std::vector<ApiCommand>& rows) {
    rows.push_back({.noun = "clock",
                    .verb = "show",
                    .help = "show mode and time",
                    .operation = "getClock",
                    .method = "GET",
                    .path = "/v1/clock",
                    .view = &print_clock});
    rows.push_back(
        {.noun = "clock",
         .verb = "set",
         .help = "set a test clock, delivering nothing",
         .operation = "setClock",
         .method = "PUT",
         .path = "/v1/clock",
         .arguments = {member("now", "an instant, not before the clock's").named("now").needed()},
         .current = "same",
         .view = &print_clock});
    rows.push_back({.noun = "clock",
                    .verb = "advance",
                    .help = "advance a test clock and deliver the events that become due",
                    .operation = "advanceClock",
                    .method = "POST",
                    .path = "/v1/clock/advance",
                    .arguments = {member("by", "a duration, such as PT24H, 1h30m or P1Y"),
                                  member("to", "an instant, such as 2027-01-01T00:00:00Z")},
                    .current = "/v1/clock",
                    .view = &print_advanced});
    rows.push_back(
        {.noun = "clock",
         .verb = "tick",
         .help = "let a server claim and deliver its due events once",
         .operation = "tick",
         .method = "POST",
         .path = "/v1/tick",
         .arguments = {member("limit", "claim at most this number").as(ValueKind::number)},
         .view = &print_ticked});
    rows.push_back({.noun = "zone",
                    .verb = "served",
                    .help = "list the zones of a server's tz database",
                    .operation = "listTimezones",
                    .method = "GET",
                    .path = "/v1/timezones",
                    .arguments = {filter("q", "part of the name").named("part"),
                                  filter("zone", "exactly this zone"),
                                  filter("from", "changes at or after: " + an_instant),
                                  filter("to", "changes before")},
                    .shape = Shape::pages,
                    .columns = {{"zone", "name"},
                                {"offset", "offset"},
                                {"next change", "changes.0.at"},
                                {"then", "changes.0.after"}}});
    rows.push_back({.noun = "zone",
                    .verb = "impact",
                    .help = "list events that a newer tz database would move",
                    .operation = "getTimezoneImpact",
                    .method = "GET",
                    .path = "/v1/timezones/impact",
                    .shape = Shape::pages,
                    .columns = {{"event", "eventId"},
                                {"type", "eventType"},
                                {"zone", "targetTimezone"},
                                {"local", "wallTime"},
                                {"before", "before"},
                                {"after", "after"}}});
    rows.push_back({.noun = "config",
                    .verb = "served",
                    .help = "list the settings of a running server and their sources",
                    .operation = "listSettings",
                    .method = "GET",
                    .path = "/v1/settings",
                    .shape = Shape::list,
                    .columns = {{"setting", "key"}, {"value", "value"}, {"source", "origin"}}});
    rows.push_back({.noun = "",
                    .verb = "info",
                    .help = "show the versions of a running server and its parts",
                    .operation = "getInfo",
                    .method = "GET",
                    .path = "/v1/info",
                    .view = &print_info});
    rows.push_back({.noun = "",
                    .verb = "health",
                    .help = "show each check of a server's health; exit code 1 if one fails",
                    .operation = "healthz",
                    .method = "GET",
                    .path = "/healthz",
                    .view = &print_health});
    rows.push_back({.noun = "",
                    .verb = "live",
                    .help = "whether the process answers",
                    .operation = "livez",
                    .method = "GET",
                    .path = "/livez",
                    .shape = Shape::text});
    rows.push_back({.noun = "",
                    .verb = "ready",
                    .help = "whether a server can do its work; exit code 1 if not",
                    .operation = "readyz",
                    .method = "GET",
                    .path = "/readyz",
                    .shape = Shape::text});
    rows.push_back({.noun = "",
                    .verb = "metrics",
                    .help = "print a server's metrics, in the format of Prometheus",
                    .operation = "metrics",
                    .method = "GET",
                    .path = "/metrics",
                    .shape = Shape::text});
    rows.push_back({.noun = "",
                    .verb = "openapi",
                    .help = "print the API description of a server",
                    .operation = "getOpenApi",
                    .method = "GET",
                    .path = "/openapi.json",
                    .shape = Shape::text});
    rows.push_back({.noun = "docs",
                    .verb = "start",
                    .help = "print the start page",
                    .operation = "getStartPage",
                    .method = "GET",
                    .path = "/",
                    .shape = Shape::text});
    rows.push_back({.noun = "docs",
                    .verb = "api",
                    .help = "print the overview of the documents",
                    .operation = "getDocs",
                    .method = "GET",
                    .path = "/docs",
                    .shape = Shape::text});
    rows.push_back({.noun = "docs",
                    .verb = "errors",
                    .help = "print each error code with its meaning and remedy",
                    .operation = "getErrors",
                    .method = "GET",
                    .path = "/docs/errors",
                    .shape = Shape::text});
    rows.push_back({.noun = "docs",
                    .verb = "error",
                    .help = "print the meaning and remedy of an error code",
                    .operation = "getError",
                    .method = "GET",
                    .path = "/docs/errors/{code}",
                    .arguments = {in_path("code", "code", "such as OPTIMISTIC_LOCK")},
                    .shape = Shape::text});
    rows.push_back({.noun = "docs",
                    .verb = "list",
                    .help = "list all documents, with a sentence about each",
                    .operation = "getDocumentList",
                    .method = "GET",
                    .path = "/llms.txt",
                    .shape = Shape::text});
    rows.push_back({.noun = "docs",
                    .verb = "all",
                    .help = "print all documents in one text",
                    .operation = "getAllDocuments",
                    .method = "GET",
                    .path = "/llms-full.txt",
                    .shape = Shape::text});
    rows.push_back({.noun = "docs",
                    .verb = "page",
                    .help = "print a document, such as operating",
                    .operation = "getDocument",
                    .method = "GET",
                    .path = "/docs/{page}",
                    .arguments = {in_path("page", "page", "its name, such as operating")},
                    .shape = Shape::text});
    rows.push_back({.noun = "docs",
                    .verb = "read",
                    .help = "print a document in a folder, such as guide locks",
                    .operation = "getDocumentInFolder",
                    .method = "GET",
                    .path = "/docs/{folder}/{page}",
                    .arguments = {in_path("folder", "folder", "guide, reference, commands, adr …"),
                                  in_path("page", "page", "its name, such as locks")},
                    .shape = Shape::text});
}

}  // namespace

void add_rows_of_server(std::vector<ApiCommand>& rows) {
    add_intakes(rows);
    add_instances(rows);
    add_stats(rows);
    add_operations(rows);
    add_system(rows);
}

}  // namespace sundial::cli
