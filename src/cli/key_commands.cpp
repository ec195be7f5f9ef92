#include <boost/json.hpp>
#include <ostream>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view all_at_once = "/v1/api-keys?limit=500";

std::string or_never(const json::object& key, std::string_view member) {
    const std::string instant = text_of(key, member);
    return instant.empty() ? "never" : instant;
}

/// The ten characters that name it, of sundial_sk_ and them.
std::string handle_of(const json::object& key) {
    const std::string prefix = text_of(key, "prefix");
    return prefix.substr(prefix.rfind('_') + 1);
}

std::string key_line(const json::object& key) {
    return handle_of(key) + "  " + text_of(key, "role") + "  " + harmless(text_of(key, "name")) +
           "  expires " + or_never(key, "expiresAt") + ", last used " +
           or_never(key, "lastUsedAt") + '\n';
}

}  // namespace

Answer create_key(const HttpClient& client, const KeyToCreate& requested) {
    base::JsonWriter body;
    body.begin_object().member("name", std::string_view{requested.name});
    body.member("role", std::string_view{requested.role});
    if (!requested.expires_at.empty())
        body.member("expiresAt", std::string_view{requested.expires_at});
    return client.call("POST", "/v1/api-keys", std::move(body.end_object()).text());
}

Answer list_keys(const HttpClient& client) {
    json::array keys;
    std::string cursor;
    for (;;) {
        std::string path{all_at_once};
        if (!cursor.empty()) path += "&cursor=" + query_text(cursor);
        Answer answer = client.call("GET", path);
        json::error_code ec;
        json::value page = json::parse(answer.body, ec);
        json::value* const data =
            page.is_object() ? page.get_object().if_contains("data") : nullptr;
        if (answer.status != 200 || ec || data == nullptr || !data->is_array()) return answer;
        for (json::value& key : data->get_array()) keys.push_back(std::move(key));
        cursor = text_of(page.get_object(), "nextCursor");
        if (!cursor.empty()) continue;
        page.get_object()["data"] = std::move(keys);
        answer.body = json::serialize(page);
        return answer;
    }
}

Answer revoke_key(const HttpClient& client, const std::string& id) {
    return client.call("DELETE", "/v1/api-keys/" + path_text(id));
}

int show_created_key(const Answer& answer, const Output& output) {
    return print(answer, output, [&](const json::object& key) {
        output.out << text_of(key, "key") << '\n';
        output.err
            << "This is the key. It is shown only once. Send it as Authorization: Bearer …\n";
    });
}

int show_keys(const Answer& answer, const Output& output) {
    return print(answer, output, [&](const json::object& page) {
        for (const json::value& one : page.at("data").as_array())
            output.out << key_line(one.as_object());
    });
}

int show_key(const Answer& answer, const std::string& id, const Output& output) {
    bool found = false;
    const int code = print(answer, output, [&](const json::object& page) {
        for (const json::value& one : page.at("data").as_array()) {
            const json::object& key = one.as_object();
            if (text_of(key, "id") != id && handle_of(key) != id) continue;
            output.out << key_line(key);
            found = true;
        }
    });
    if (code != 0 || found) return code;
    output.err << "sundial: there is no key '" << harmless(id)
               << "'; `sundial key list` shows them\n";
    return exit_code::not_found;
}

int show_revoked_key(const Answer& answer, const Output& output) {
    if (answer.status != 204) return print(answer, output, [](const json::object&) {});
    output.err << "revoked; running servers refuse it within five seconds\n";
    return 0;
}

}  // namespace sundial::cli
