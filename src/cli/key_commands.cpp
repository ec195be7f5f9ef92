#include <boost/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view all_at_once = "/v1/api-keys?limit=500";

const std::vector<Column>& key_columns() {
    static const std::vector<Column> columns{{"key", "handle"},
                                             {"role", "role"},
                                             {"name", "name"},
                                             {"expires", "expiresAt"},
                                             {"last used", "lastUsedAt"}};
    return columns;
}

/// The ten characters that name it, of sundial_sk_ and them.
std::string handle_of(const json::object& key) {
    const std::string prefix = text_of(key, "prefix");
    return prefix.substr(prefix.rfind('_') + 1);
}

/// A key as a row of the table.
json::object key_row(const json::object& key) {
    json::object row = key;
    row["handle"] = handle_of(key);
    for (const std::string_view member : {"expiresAt", "lastUsedAt"}) {
        if (text_of(key, member).empty()) row[member] = "never";
    }
    return row;
}

void print_csv_of_keys(const json::array& keys, const Output& output) {
    std::vector<Column> columns = key_columns();
    for (Column& column : columns) column.title = column.member;
    columns.front() = {"prefix", "prefix"};
    std::vector<std::string> titles;
    for (const Column& column : columns) titles.push_back(column.title);
    output.out << csv_line(titles);
    for (const json::value& key : keys)
        output.out << csv_line(cells_of_row(json::serialize(key), columns));
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

int show_keys(const Answer& answer, bool csv, const Output& output) {
    return print(answer, output, [&](const json::object& page) {
        const json::array& keys = page.at("data").as_array();
        if (csv) return print_csv_of_keys(keys, output);
        json::array rows;
        for (const json::value& key : keys) rows.push_back(key_row(key.as_object()));
        print_rows(json::object{{"data", std::move(rows)}}, key_columns(), output);
    });
}

int show_key(const Answer& answer, const std::string& id, const Output& output) {
    bool found = false;
    const int code = print(answer, output, [&](const json::object& page) {
        for (const json::value& one : page.at("data").as_array()) {
            const json::object& key = one.as_object();
            if (text_of(key, "id") != id && handle_of(key) != id) continue;
            print_rows(json::object{{"data", json::array{key_row(key)}}}, key_columns(), output);
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
