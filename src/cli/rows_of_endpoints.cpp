#include <boost/json.hpp>

#include "cli/command_rows.hpp"
#include "cli/output.hpp"

/// Endpoints and inboxes.
namespace sundial::cli {
namespace {

namespace json = boost::json;

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
    return filter("retryWaiting", "also attempt its events that wait for a retry at once")
        .as(ValueKind::flag);
}

}  // namespace

void add_rows_of_endpoints(std::vector<ApiCommand>& rows) {
    const std::string path = "/v1/endpoints/{id}";
    const std::vector<std::string> types{"WEBHOOK", "INBOX", "PULL", "SQS", "SHADOW"};
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
             with({member("type", "the way in which its events are sent").of(types).needed(),
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
                    .arguments = {id_of("endpoint"), file_of_settings(), retry_waiting()},
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
    rows.push_back({.noun = "inbox",
                    .verb = "list",
                    .help = "list received requests, newest first",
                    .operation = "readInbox",
                    .method = "GET",
                    .path = path + "/inbox",
                    .arguments = {id_of("endpoint")},
                    .shape = Shape::pages,
                    .columns = {{"received", "receivedAt"},
                                {"webhook-id", "headers.webhook-id"},
                                {"signature", "signature.state"},
                                {"secret", "signature.secret"},
                                {"body", "body"}}});
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

}  // namespace sundial::cli
