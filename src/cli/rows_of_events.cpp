#include <boost/json.hpp>

#include "cli/command_rows.hpp"
#include "cli/output.hpp"

/// Events, and the attempts to deliver them.
namespace sundial::cli {
namespace {

namespace json = boost::json;

const std::string event_path = "/v1/events/{id}";

Argument event_id() { return in_path("id", "id", "the event"); }

std::vector<std::string> gaps() {
    return {"compatible", "earlier", "later", "boundary", "skip", "reject"};
}
std::vector<std::string> overlaps() { return {"compatible", "earlier", "later", "skip", "reject"}; }

/// When an event is due.
Arguments target(bool required) {
    Argument at =
        member("targetTimestamp",
               "a local time (2027-01-05T09:00), an instant (2027-01-05T08:00:00Z), or now+1h")
            .named("--at")
            .as(ValueKind::moment);
    at.required = required;
    return {at,
            member("targetTimezone", "zone of a local time, such as Europe/Paris; else the user's")
                .named("--timezone"),
            member("gap", "for a local time that does not exist").of(gaps()),
            member("overlap", "for a local time that occurs twice").of(overlaps())};
}

Argument endpoint() {
    return member("endpointId", "where it goes; id or ext:…").named("--endpoint");
}
Argument priority() { return member("priority", "higher first").of(priorities()); }
Argument payload() {
    return member("deliveryPayload",
                  "the body of the request: JSON, @FILE, or - for standard input")
        .as(ValueKind::json)
        .named("--payload");
}
Argument claim_version() {
    return member("version", "the version that the claim returned")
        .as(ValueKind::number)
        .named("version")
        .needed();
}

void print_status(const json::object& event, const Output& output) {
    output.out << text_of(event, "id") << "  " << painted_state(text_of(event, "status"), output)
               << "  due " << text_of(event, "targetTimestampLocal") << ' '
               << harmless(text_of(event, "targetTimezone"));
    const std::string utc = text_of(event, "targetTimestampUTC");
    if (!utc.empty()) output.out << "  " << utc;
    output.out << '\n';
}

void print_explanation(const json::object& explanation, const Output& output) {
    output.out << harmless(text_of(explanation, "summary")) << "\n\n";
    print_rows(json::object{{"data", explanation.at("steps")}}, {{"step", "step"}, {"", "text"}},
               output);
}

/// To which endpoint an event was late, and whether it was created after its due time.
std::vector<Column> lateness_columns() {
    return {{"endpoint", "endpointId"}, {"created", "createdAt"}, {"late ms", "latenessMs"}};
}

/// The filters of events; `status`: with those that dead letters have fixed.
Arguments event_filters(bool status) {
    Arguments filters{
        filter("eventType", "event types, with commas between them")
            .as(ValueKind::words)
            .named("--type"),
        filter("endpointId", "of this endpoint; id or ext:…").named("--endpoint"),
        filter("scheduleId", "of this schedule; id or ext:…").named("--schedule"),
        filter("userId", "of this user; id or ext:…").named("--user"),
        filter("priority", "priorities, with commas between them")
            .as(ValueKind::words)
            .of(priorities()),
        filter("targetTimezone", "due in any of these zones").as(ValueKind::words).named("--zone"),
        filter("failureReason", "prefix of the failure reason: HTTP_STATUS, \"HTTP_STATUS 404\"")
            .named("--reason"),
        filter("idempotencyKey", "exactly this idempotency key").named("--key"),
        filter("q", "prefix of id or key"),
        filter("lateExecution", "more than a second late")
            .as(ValueKind::flag)
            .named("--late")
            .showing(lateness_columns()),
        filter("executedFrom", "finished at or after: " + an_instant)
            .named("--executed-from,--failed-from"),
        filter("executedTo", "finished before").named("--executed-to,--failed-to"),
        filter("targetFrom", "due at or after").named("--due-from"),
        filter("targetTo", "due before").named("--due-to"),
    };
    if (!status) return filters;
    filters.push_back(filter("status", "statuses, with commas between them")
                          .as(ValueKind::words)
                          .of(event_statuses()));
    filters.push_back(filter("waitingFor", "what they wait for, with commas between them")
                          .as(ValueKind::words)
                          .of({"RETRY", "CIRCUIT", "LIMIT", "ENDPOINT", "SCHEDULE"}));
    filters.push_back(filter("dismissed", "dead letters that were dismissed").as(ValueKind::flag));
    return filters;
}

/// The filters of a list of events, and what the list adds to its rows.
Arguments event_list(bool status) {
    Arguments arguments = event_filters(status);
    arguments.push_back(filter("count", "exact: also the number of matches, 10,000 at most")
                            .of({"none", "exact"})
                            .otherwise("none"));
    arguments.push_back(filter("expand", "with --json: objects to add, with commas between them")
                            .as(ValueKind::words)
                            .of({"user", "schedule", "endpoint"}));
    return arguments;
}

void print_failures(const json::object& failures, const Output& output) {
    const std::string by = text_of(failures, "by");
    print_rows(failures, {{"count", "count"}, {"oldest", "oldest"}, {"newest", "newest"}, {by, by}},
               output);
    if (text_of(failures, "complete") == "false")
        output.err << "of the newest " << text_of(failures, "counted") << '\n';
}

}  // namespace

std::vector<Column> event_columns() {
    return {{"id", "id"},
            {"type", "eventType"},
            {"status", "status"},
            {"waits for", "waitingFor"},
            {"target", "targetTimestampLocal"},
            {"zone", "targetTimezone"},
            {"tries", "attempt"},
            {"reason", "failureReason"}};
}

void add_rows_of_events(std::vector<ApiCommand>& rows) {
    rows.push_back({.noun = "event",
                    .verb = "list",
                    .help = "list events by due time",
                    .operation = "listEvents",
                    .method = "GET",
                    .path = "/v1/events",
                    .arguments = event_list(true),
                    .shape = Shape::pages,
                    .columns = event_columns(),
                    .sorts = {"targetTimestampUTC", "executedAt", "createdAt", "latenessMs"}});
    rows.push_back(
        {.noun = "event",
         .verb = "get",
         .help = "one event",
         .operation = "getEvent",
         .method = "GET",
         .path = event_path,
         .arguments = {event_id(), filter("expand", "objects to add, with commas between them")
                                       .as(ValueKind::words)
                                       .of({"user", "schedule", "endpoint", "attempts"})}});
    Arguments members{member("eventType", "your name for this kind of event, such as REMINDER")
                          .named("--type")
                          .needed()};
    for (const Argument& argument : target(true)) members.push_back(argument);
    members.push_back(payload().needed());
    members.push_back(endpoint());
    members.push_back(member("userId", "the user it belongs to; id or ext:…").named("--user"));
    members.push_back(priority());
    members.push_back(
        member("idempotencyKey", "its key; a second event under it is refused").named("--key"));
    rows.push_back({.noun = "event",
                    .verb = "add",
                    .help = "schedule an event",
                    .operation = "createEvent",
                    .method = "POST",
                    .path = "/v1/events",
                    .arguments = members,
                    .whole_body = true,
                    .view = &print_status});
    rows.push_back(
        {.noun = "event",
         .verb = "set",
         .help = "change a PENDING event; dismiss a FAILED one",
         .operation = "patchEvent",
         .method = "PATCH",
         .path = event_path,
         .arguments = {event_id(), payload(), endpoint(), priority(),
                       member("dismissed", "reviewed: no longer a dead letter").as(ValueKind::flag),
                       member("note", "why it was dismissed")},
         .whole_body = true,
         .versioned = true,
         .current = "same",
         .view = &print_status});
    Arguments moved{event_id()};
    for (const Argument& argument : target(true)) moved.push_back(argument);
    rows.push_back({.noun = "event",
                    .verb = "reschedule",
                    .help = "move a PENDING event to another time",
                    .operation = "patchEvent",
                    .method = "PATCH",
                    .path = event_path,
                    .arguments = moved,
                    .versioned = true,
                    .current = "same",
                    .view = &print_status});
    rows.push_back({.noun = "event",
                    .verb = "fire",
                    .help = "send a PENDING event now",
                    .operation = "patchEvent",
                    .method = "PATCH",
                    .path = event_path,
                    .arguments = {event_id()},
                    .fixed = {{"targetTimestampUTC", "\"now\""}},
                    .versioned = true,
                    .current = "same",
                    .view = &print_status});
    rows.push_back({.noun = "event",
                    .verb = "explain",
                    .help = "explain an event's due time and its history",
                    .operation = "explainEvent",
                    .method = "GET",
                    .path = event_path + "/explain",
                    .arguments = {event_id()},
                    .view = &print_explanation});
    rows.push_back({.noun = "event",
                    .verb = "complete",
                    .help = "report a claimed event as done",
                    .operation = "completeEvent",
                    .method = "POST",
                    .path = event_path + "/complete",
                    .arguments = {event_id(), claim_version()},
                    .current = event_path,
                    .view = &print_status});
    rows.push_back(
        {.noun = "event",
         .verb = "fail",
         .help = "report a claimed event as failed",
         .operation = "failEvent",
         .method = "POST",
         .path = event_path + "/fail",
         .arguments = {event_id(), claim_version(), member("reason", "why"),
                       member("retry", "try again later; =false: never").as(ValueKind::flag)},
         .current = event_path,
         .view = &print_status});
    rows.push_back({.noun = "event",
                    .verb = "release",
                    .help = "give a claimed event back, unattempted",
                    .operation = "releaseEvent",
                    .method = "POST",
                    .path = event_path + "/release",
                    .arguments = {event_id(), claim_version()},
                    .current = event_path,
                    .view = &print_status});
    rows.push_back(
        {.noun = "event",
         .verb = "extend",
         .help = "extend the lease of a claimed event",
         .operation = "extendEvent",
         .method = "POST",
         .path = event_path + "/extend",
         .arguments = {event_id(), claim_version(), member("lease", "from now on, such as PT30S")},
         .current = event_path,
         .view = &print_status});
    rows.push_back({.noun = "dlq",
                    .verb = "list",
                    .help = "list dead letters, newest first",
                    .operation = "listEvents",
                    .method = "GET",
                    .path = "/v1/events",
                    .arguments = event_list(false),
                    .fixed_query = {{"status", "FAILED"}, {"dismissed", "false"}},
                    .shape = Shape::pages,
                    .columns = event_columns(),
                    .sorts = {"executedAt", "targetTimestampUTC", "createdAt", "latenessMs"},
                    .default_sort = "-executedAt"});
    rows.push_back({.noun = "dlq",
                    .verb = "groups",
                    .help = "count dead letters in groups",
                    .operation = "listFailures",
                    .method = "GET",
                    .path = "/v1/stats/failures",
                    .arguments = {filter("by", "property by which events are grouped")
                                      .of({"reason", "endpointId"})
                                      .otherwise("reason")},
                    .shape = Shape::list,
                    .columns = {{"count", "count"},
                                {"oldest", "oldest"},
                                {"newest", "newest"},
                                {"reason", "reason"},
                                {"endpoint", "endpointId"}},
                    .view = &print_failures});
    rows.push_back(
        {.noun = "attempt",
         .verb = "list",
         .help = "list attempts that have ended, of one event or of all, the latest first",
         .operation = "listAttempts",
         .method = "GET",
         .path = "/v1/attempts",
         .arguments =
             {filter("eventId", "only those of this event").named("event"),
              filter("endpointId", "only to this endpoint; id or ext:…").named("--endpoint"),
              filter("outcome", "outcomes, with commas between them")
                  .as(ValueKind::words)
                  .of({"SUCCEEDED", "RETRYABLE", "PERMANENT", "LOST", "LATE", "RELEASED"}),
              filter("statusCode", "HTTP statuses, with commas between them")
                  .named("--status-code")
                  .as(ValueKind::words),
              filter("from", "ended at or after; " + an_instant),
              filter("to", "ended before; " + an_instant)},
         .shape = Shape::pages,
         .columns = {{"id", "id"},
                     {"started", "startedAt"},
                     {"ms", "durationMs"},
                     {"outcome", "outcome"},
                     {"status", "statusCode"},
                     {"error", "error"},
                     {"instance", "instanceId"}}});
    rows.push_back(
        {.noun = "attempt",
         .verb = "get",
         .help = "one attempt",
         .operation = "getAttempt",
         .method = "GET",
         .path = "/v1/attempts/{id}",
         .arguments = {in_path("id", "id", "the attempt: its event's id, a dot, a number")}});
}

}  // namespace sundial::cli
