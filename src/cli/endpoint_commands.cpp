#include <boost/json.hpp>
#include <ostream>
#include <string_view>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view first_page = "/v1/endpoints?limit=500";

std::string path_to(const std::string& id) { return "/v1/endpoints/" + query_text(id); }

std::string endpoint_name(const json::object& endpoint) {
    const std::string external_id = text_of(endpoint, "externalId");
    return external_id.empty() ? text_of(endpoint, "id") : "ext:" + external_id;
}

std::string endpoint_state(const json::object& endpoint) {
    if (endpoint.at("enabled").as_bool()) return "enabled";
    const std::string reason = text_of(endpoint, "disabledReason");
    return reason.empty() ? "disabled" : "disabled: " + reason;
}

std::string circuit_state(const json::object& endpoint) {
    return text_of(endpoint.at("circuit").as_object(), "state");
}

int print_endpoint(const Answer& answer, const Output& output) {
    return print(answer, output, [&](const json::object& endpoint) {
        output.out << endpoint_name(endpoint) << "  " << text_of(endpoint, "type") << "  "
                   << endpoint_state(endpoint) << "  circuit " << circuit_state(endpoint);
        const std::string url = text_of(endpoint, "url");
        if (!url.empty()) output.out << "  " << url;
        output.out << '\n';
        const std::string secret = text_of(endpoint, "secret");
        if (secret.empty()) return;
        output.out << "secret " << secret << '\n';
        output.err
            << "The secret is shown only once. The receiver needs it to verify signatures.\n";
    });
}

}  // namespace

int list_endpoints(const HttpClient& client, const Output& output) {
    return print(client.call("GET", first_page), output, [&](const json::object& page) {
        const json::array& endpoints = page.at("data").as_array();
        if (endpoints.empty()) {
            output.err << "none\n";
            return;
        }
        TextTable table({"endpoint", "name", "type", "state", "circuit", "url"});
        for (const json::value& value : endpoints) {
            const json::object& endpoint = value.as_object();
            table.add({endpoint_name(endpoint), text_of(endpoint, "name"),
                       text_of(endpoint, "type"), endpoint_state(endpoint), circuit_state(endpoint),
                       text_of(endpoint, "url")});
        }
        output.out << table.text();
        if (page.at("hasMore").as_bool()) output.err << "and more\n";
    });
}

int show_endpoint(const HttpClient& client, const std::string& id, const Output& output) {
    return print_endpoint(client.call("GET", path_to(id)), output);
}

int change_endpoint(const HttpClient& client, const std::string& id, const EndpointChanges& changes,
                    const Output& output) {
    base::JsonWriter body;
    body.begin_object();
    if (changes.name) body.member("name", std::string_view{*changes.name});
    if (changes.url) body.member("url", std::string_view{*changes.url});
    if (changes.enabled) body.member("enabled", *changes.enabled);
    if (changes.close_circuit) {
        body.key("circuit").begin_object().member("state", std::string_view{"CLOSED"}).end_object();
    }
    const std::string path = path_to(id) + (changes.retry_waiting ? "?retryWaiting=true" : "");
    return print_endpoint(
        client.call("PATCH", path, std::move(body.end_object()).text(), any_version), output);
}

int put_endpoint(const HttpClient& client, const std::string& id, const std::string& endpoint,
                 const Output& output) {
    return print_endpoint(client.call("PUT", path_to(id), endpoint, any_version), output);
}

int delete_endpoint(const HttpClient& client, const std::string& id, const EndpointRemoval& removal,
                    const Person& person, const Output& output) {
    if (!removal.yes) {
        const std::string action =
            "delete endpoint " + id + (removal.cancel_events ? " and cancel its events" : "");
        if (const auto refused = refuse_unconfirmed(action, person, "give -y", output)) {
            return *refused;
        }
    }
    const std::string path = path_to(id) + (removal.cancel_events ? "?cancelEvents=true" : "");
    const Answer answer = client.call("DELETE", path, {}, any_version);
    if (answer.status != 204) return print(answer, output, [](const json::object&) {});
    if (!output.json) output.out << "deleted\n";
    return exit_code::ok;
}

}  // namespace sundial::cli
