#include <boost/json.hpp>

#include "cli/command_rows.hpp"
#include "cli/output.hpp"

/// Users, endpoints, inboxes and schedules.
namespace sundial::cli {
namespace {

namespace json = boost::json;

using Arguments = std::vector<Argument>;

Arguments with(Arguments first, const Arguments& then) {
    first.insert(first.end(), then.begin(), then.end());
    return first;
}

Argument prefix_of(const std::string& what) { return filter("q", "prefix of " + what); }

Argument file_of_settings() {
    return {.name = "file",
            .place = Place::body,
            .member = "",
            .help = "a JSON object with all settings; -: standard input",
            .kind = ValueKind::file,
            .fallback = "-"};
}

Arguments user_members(bool needed) {
    Arguments arguments{
        member("firstName", "first name, 1 to 255 characters"),
        member("lastName", "last name, 1 to 255 characters"),
        member("dateOfBirth", "YYYY-MM-DD"),
        member("timezone", "IANA name, such as Europe/Paris"),
    };
    for (Argument& argument : arguments) argument.required = needed;
    return with(
        arguments,
        {member("externalId", "your id; also names the user as ext:…"),
         member("dates", R"(further dates: {"anniversary":"2015-06-01"})").as(ValueKind::json),
         member("metadata", "your own members, for templates").as(ValueKind::json)});
}

void add_users(std::vector<ApiCommand>& rows) {
    const std::string path = "/v1/users/{id}";
    rows.push_back(
        {.noun = "user",
         .verb = "list",
         .help = "list users",
         .operation = "listUsers",
         .method = "GET",
         .path = "/v1/users",
         .arguments = {filter("timezone", "in any of these zones").as(ValueKind::words),
                       filter("birthMonth", "born in this month, 1 to 12").as(ValueKind::number),
                       filter("birthDay", "born on this day of the month").as(ValueKind::number),
                       prefix_of("id, external id, first or last name"),
                       filter("createdFrom", "created at or after: " + an_instant),
                       filter("createdTo", "created before")},
         .shape = Shape::pages,
         .columns = {{"user", "@ref"},
                     {"first name", "firstName"},
                     {"last name", "lastName"},
                     {"born", "dateOfBirth"},
                     {"zone", "timezone"},
                     {"created", "createdAt"}},
         .sorts = {"createdAt", "lastName", "updatedAt"}});
    rows.push_back({.noun = "user",
                    .verb = "get",
                    .help = "one user",
                    .operation = "v1GetUser",
                    .names = {"seedGetUser", "seedsGetUser"},
                    .method = "GET",
                    .path = path,
                    .arguments = {id_of("user")}});
    rows.push_back({.noun = "user",
                    .verb = "add",
                    .help = "add a user",
                    .operation = "v1CreateUser",
                    .names = {"seedCreateUser", "seedsCreateUser"},
                    .method = "POST",
                    .path = "/v1/users",
                    .arguments = user_members(true),
                    .whole_body = true});
    rows.push_back({.noun = "user",
                    .verb = "set",
                    .help = "change members of a user",
                    .operation = "patchUser",
                    .method = "PATCH",
                    .path = path,
                    .arguments = with({id_of("user")}, user_members(false)),
                    .whole_body = true,
                    .versioned = true,
                    .current = "same"});
    rows.push_back({.noun = "user",
                    .verb = "put",
                    .help = "create or replace a user",
                    .operation = "v1PutUser",
                    .names = {"seedPutUser", "seedsPutUser"},
                    .method = "PUT",
                    .path = path,
                    .arguments = {id_of("user"), file_of_settings()},
                    .versioned = true,
                    .current = "same"});
    rows.push_back({.noun = "user",
                    .verb = "add-many",
                    .help = "create the users of a file: {\"users\":[…]}, 1,000 at most",
                    .operation = "createUsers",
                    .method = "POST",
                    .path = "/v1/users/batch",
                    .arguments = {file_of_settings(),
                                  filter("atomic", "all of them, or none").as(ValueKind::flag)}});
    rows.push_back({.noun = "user",
                    .verb = "import",
                    .help = "create or replace the users of a file by their external ids",
                    .operation = "importUsers",
                    .method = "POST",
                    .path = "/v1/users/import",
                    .arguments = {file_of_settings()}});
    rows.push_back({.noun = "user",
                    .verb = "delete",
                    .help = "delete a user and the user's events",
                    .operation = "v1DeleteUser",
                    .names = {"seedDeleteUser", "seedsDeleteUser"},
                    .method = "DELETE",
                    .path = path,
                    .arguments = {id_of("user"),
                                  filter("history", "keep: keep finished events, without the user")
                                      .of({"keep"})},
                    .versioned = true,
                    .question = "delete the user {id} and the user's events",
                    .current = "same",
                    .done = "deleted"});
}

std::string endpoint_name(const json::object& endpoint) {
    const std::string external_id = text_of(endpoint, "externalId");
    return external_id.empty() ? text_of(endpoint, "id") : "ext:" + external_id;
}

void print_endpoint(const json::object& endpoint, const Output& output) {
    const std::string reason = text_of(endpoint, "disabledReason");
    const std::string state = text_of(endpoint, "enabled") == "true" ? "enabled"
                              : reason.empty()                       ? "disabled"
                                                                     : "disabled: " + reason;
    std::string circuit;
    if (const json::value* found = endpoint.if_contains("circuit");
        found != nullptr && found->is_object())
        circuit = text_of(found->get_object(), "state");
    const std::string url = text_of(endpoint, "url");
    output.out << harmless(endpoint_name(endpoint) + "  " + text_of(endpoint, "type") + "  " +
                           state + "  circuit " + circuit + (url.empty() ? "" : "  " + url))
               << '\n';
    const std::string secret = text_of(endpoint, "secret");
    if (secret.empty()) return;
    output.out << "secret " << secret << '\n';
    output.err << "The secret is shown only once. The receiver needs it to verify signatures.\n";
}

Arguments endpoint_members() {
    return {
        member("url", "where its requests go; for SQS, of the queue"),
        member("region", "SQS: sign for this one, if the URL names none"),
        member("endpointUrl", "SQS: send there, such as to a VPC endpoint"),
        member("messageGroup", "SQS: groups of a FIFO queue").of({"user", "endpoint"}),
        member("inboxStatus", "INBOX: the status that it answers with, such as 503"),
        member("inboxDelay", "INBOX: how long its answer takes, such as PT5S"),
        member("headers", R"(further headers: {"X-Team":"crm"})").as(ValueKind::json),
        member("timeout", "of one attempt, such as PT10S"),
        member("retryPolicy", R"(standard, seed, or {"delays":["PT1S","PT1M"]})")
            .as(ValueKind::json),
        member("retryClientErrors", "how often a 4xx response is retried").as(ValueKind::number),
        member("rateLimit", R"({"perSecond":50,"burst":100})").as(ValueKind::json),
        member("maxInFlight", "requests at the same time, at most").as(ValueKind::number),
        member("ed25519", "sign with a key pair, too").as(ValueKind::flag),
    };
}

Argument retry_waiting() {
    return filter("retryWaiting", "also attempt now its events that wait for a retry")
        .as(ValueKind::flag);
}

void add_endpoints(std::vector<ApiCommand>& rows) {
    const std::string path = "/v1/endpoints/{id}";
    const std::vector<std::string> types{"WEBHOOK", "INBOX", "PULL", "SQS"};
    rows.push_back(
        {.noun = "endpoint",
         .verb = "list",
         .help = "list endpoints, with their circuits",
         .operation = "listEndpoints",
         .method = "GET",
         .path = "/v1/endpoints",
         .arguments = {filter("type", "of this type").of(types),
                       filter("enabled", "enabled, or with =false disabled").as(ValueKind::flag),
                       prefix_of("id, external id, name")},
         .shape = Shape::pages,
         .columns = {{"endpoint", "@ref"},
                     {"name", "name"},
                     {"type", "type"},
                     {"state", "@state"},
                     {"circuit", "circuit.state"},
                     {"url", "url"}},
         .sorts = {"createdAt"}});
    rows.push_back({.noun = "endpoint",
                    .verb = "get",
                    .help = "one endpoint",
                    .operation = "getEndpoint",
                    .method = "GET",
                    .path = path,
                    .arguments = {id_of("endpoint")}});
    rows.push_back(
        {.noun = "endpoint",
         .verb = "add",
         .help = "add an endpoint",
         .operation = "createEndpoint",
         .method = "POST",
         .path = "/v1/endpoints",
         .arguments =
             with({member("type", "how its events leave").of(types).needed(),
                   member("name", "its name").needed(),
                   member("externalId", "your id; also names the endpoint as ext:…"),
                   member("format", "of requests").of({"RAW", "ENVELOPE", "CLOUDEVENTS"}),
                   member("secret", "whsec_…, or @FILE; else a new one").as(ValueKind::document),
                   member("enabled", "=false: send nothing yet").as(ValueKind::flag)},
                  endpoint_members()),
         .whole_body = true,
         .view = &print_endpoint});
    rows.push_back(
        {.noun = "endpoint",
         .verb = "set",
         .help = "change an endpoint",
         .operation = "patchEndpoint",
         .method = "PATCH",
         .path = path,
         .arguments =
             with({id_of("endpoint"), member("name", "its name"), member("externalId", "your id"),
                   member("enabled", "send to it; =false: its events wait")
                       .as(ValueKind::flag)
                       .named("--enable,!--disable,--enabled"),
                   member("circuit", R"({"state":"CLOSED"}; see reset)").as(ValueKind::json),
                   retry_waiting()},
                  endpoint_members()),
         .whole_body = true,
         .versioned = true,
         .current = "same",
         .view = &print_endpoint});
    rows.push_back({.noun = "endpoint",
                    .verb = "put",
                    .help = "create or replace an endpoint",
                    .operation = "putEndpoint",
                    .method = "PUT",
                    .path = path,
                    .arguments = {id_of("endpoint"), file_of_settings()},
                    .versioned = true,
                    .current = "same",
                    .view = &print_endpoint});
    rows.push_back(
        {.noun = "endpoint",
         .verb = "delete",
         .help = "delete an endpoint that is not used",
         .operation = "deleteEndpoint",
         .method = "DELETE",
         .path = path,
         .arguments = {id_of("endpoint"),
                       filter("cancelEvents",
                              "also cancel its events; those that are claimed prevent the deletion")
                           .as(ValueKind::flag)},
         .versioned = true,
         .question = "delete the endpoint {id}",
         .current = "same",
         .done = "deleted"});
    rows.push_back({.noun = "endpoint",
                    .verb = "enable",
                    .help = "send to an endpoint again; its waiting events go there",
                    .operation = "patchEndpoint",
                    .method = "PATCH",
                    .path = path,
                    .arguments = {id_of("endpoint"), retry_waiting()},
                    .fixed = {{"enabled", "true"}},
                    .versioned = true,
                    .current = "same",
                    .view = &print_endpoint});
    rows.push_back({.noun = "endpoint",
                    .verb = "disable",
                    .help = "send nothing to an endpoint; its events wait",
                    .operation = "patchEndpoint",
                    .method = "PATCH",
                    .path = path,
                    .arguments = {id_of("endpoint")},
                    .fixed = {{"enabled", "false"}},
                    .versioned = true,
                    .current = "same",
                    .view = &print_endpoint});
    rows.push_back({.noun = "endpoint",
                    .verb = "reset",
                    .help = "close its circuit",
                    .operation = "patchEndpoint",
                    .method = "PATCH",
                    .path = path,
                    .arguments = {id_of("endpoint"), retry_waiting()},
                    .fixed = {{"circuit.state", "\"CLOSED\""}},
                    .versioned = true,
                    .current = "same",
                    .view = &print_endpoint});
    rows.push_back({.noun = "endpoint",
                    .verb = "test",
                    .help = "send a test request, and show what came back",
                    .operation = "testEndpoint",
                    .method = "POST",
                    .path = path + "/test",
                    .arguments = {id_of("endpoint")},
                    .current = path});
    rows.push_back(
        {.noun = "endpoint",
         .verb = "rotate-secret",
         .help = "give an endpoint a new secret",
         .operation = "rotateSecret",
         .method = "POST",
         .path = path + "/rotate-secret",
         .arguments = {id_of("endpoint"),
                       member("oldSignsFor", "how long the old secret signs, too; PT24H"),
                       member("secret", "the new one, whsec_… or @FILE; else a random one")
                           .as(ValueKind::document)},
         .versioned = true,
         .question = "give the endpoint {id} a new secret",
         .current = path,
         .view = &print_endpoint});
    rows.push_back(
        {.noun = "endpoint",
         .verb = "claim",
         .help = "claim events of a PULL endpoint",
         .operation = "claimEvents",
         .method = "POST",
         .path = path + "/claim",
         .arguments = {id_of("endpoint"),
                       member("worker", "name of the worker, new at each of its starts").needed(),
                       member("limit", "at most this number of events").as(ValueKind::number),
                       member("lease", "how long the claim lasts, such as PT30S"),
                       member("wait", "how long to wait for an event, such as PT20S")},
         .shape = Shape::list,
         .columns = event_columns(),
         .current = path});
    rows.push_back(
        {.noun = "inbox",
         .verb = "list",
         .help = "list received requests, newest first",
         .operation = "readInbox",
         .method = "GET",
         .path = path + "/inbox",
         .arguments = {id_of("endpoint")},
         .shape = Shape::pages,
         .columns = {
             {"received", "receivedAt"}, {"webhook-id", "headers.webhook-id"}, {"body", "body"}}});
    rows.push_back({.noun = "inbox",
                    .verb = "clear",
                    .help = "remove all requests of an inbox",
                    .operation = "clearInbox",
                    .method = "DELETE",
                    .path = path + "/inbox",
                    .arguments = {id_of("endpoint")},
                    .question = "remove all requests of the inbox {id}",
                    .current = "same",
                    .done = "cleared"});
}

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
         member(at + "endpointId", "where its events go; id or ext:…").named("--endpoint"),
         member(at + "payload", "template of the payload; JSON, @FILE or -").as(ValueKind::json),
         member(at + "gap", "for times that do not exist")
             .of({"compatible", "earlier", "later", "boundary", "skip"}),
         member(at + "overlap", "for times that occur twice")
             .of({"compatible", "earlier", "later", "skip", "both"}),
         member(at + "leap", "29 February in common years").of({"feb28", "mar1", "skip"}),
         member(at + "misfire", "for events whose time passed during a downtime")
             .of({"all", "once", "skip"}),
         member(at + "window", "how late a missed event may be, such as PT6H"),
         member(at + "grace", "lateness that is no misfire, such as PT1M"),
         member(at + "limit", "missed events that are made up for, at most").as(ValueKind::number),
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
    output.out << text_of(answer, "occurrences") << " occurrences would be made up for\n";
    print_rows(json::object{{"data", answer.at("samples")}},
               {{"UTC", "targetTimestampUTC"},
                {"local", "targetTimestampLocal"},
                {"zone", "targetTimezone"},
                {"user", "userId"}},
               output);
}

void add_schedules(std::vector<ApiCommand>& rows) {
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
         .help = "make up for past occurrences that have no event",
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

}  // namespace

void add_rows_of_setup(std::vector<ApiCommand>& rows) {
    add_users(rows);
    add_schedules(rows);
    add_endpoints(rows);
}

}  // namespace sundial::cli
