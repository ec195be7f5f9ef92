#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <functional>
#include <istream>
#include <ostream>
#include <string_view>

#include "cli/command_rows.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t largest_page = 500;

std::string path_of(const EventChoice& choice, std::string path) {
    for (const auto& [name, text] : choice.filters) path += '&' + name + '=' + query_text(text);
    return path;
}

/// Dead letters: FAILED events that were not dismissed.
std::string dead_letters_path(const EventChoice& choice, std::size_t limit) {
    return path_of(choice, "/v1/events?status=FAILED&dismissed=false&sort=-executedAt&limit=" +
                               std::to_string(limit));
}

/// The filters that accept several values, separated by commas.
bool has_many(std::string_view name) {
    constexpr std::array<std::string_view, 6> many{"status",         "priority",   "eventType",
                                                   "targetTimezone", "waitingFor", "trigger"};
    return std::ranges::find(many, name) != many.end();
}
bool is_truth(std::string_view name) { return name == "enabled" || name == "perUser"; }

json::array parted(std::string_view text) {
    json::array parts;
    for (;;) {
        const auto comma = text.find(',');
        parts.emplace_back(text.substr(0, comma));
        if (comma == text.npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

json::array texts_of(const std::vector<std::string>& texts) {
    json::array all;
    for (const std::string& text : texts) all.emplace_back(text);
    return all;
}

bool on_schedules(const BulkOrder& order) {
    return order.resource == BulkOrder::Resource::schedules;
}

const char* path_of(const BulkOrder& order) {
    return on_schedules(order) ? "/v1/schedules/bulk" : "/v1/bulk";
}

json::object body_of(const BulkOrder& order) {
    json::object body{{"action", order.action}};
    if (!on_schedules(order)) body["resource"] = "events";
    if (!order.choice.ids.empty()) {
        body["ids"] = texts_of(order.choice.ids);
    } else {
        json::object& filter = body["filter"].emplace_object();
        for (const auto& [name, text] : order.choice.filters) {
            if (has_many(name)) {
                filter[name] = parted(text);
            } else if (is_truth(name)) {
                filter[name] = text == "true";
            } else {
                filter[name] = text;
            }
        }
    }
    if (order.per_second > 0) body["perSecond"] = order.per_second;
    if (!order.note.empty()) body["note"] = order.note;
    if (!order.set.empty()) {
        json::object& set = body["set"].emplace_object();
        for (const auto& [name, text] : order.set) set[name] = text;
    }
    if (!order.add_tags.empty()) body["addTags"] = texts_of(order.add_tags);
    if (!order.remove_tags.empty()) body["removeTags"] = texts_of(order.remove_tags);
    return body;
}

std::string counted_in_words(const BulkOrder& order, std::uint64_t count) {
    const char* noun = on_schedules(order) ? " schedule" : " event";
    return std::to_string(count) + noun + (count == 1 ? "" : "s");
}

std::vector<Column> sample_columns(const BulkOrder& order) {
    if (!on_schedules(order)) return event_columns();
    return {{"id", "id"},
            {"external id", "externalId"},
            {"type", "eventType"},
            {"enabled", "enabled"},
            {"tags", "tags"}};
}

}  // namespace

int export_dead_letters(const HttpClient& client, const EventChoice& choice, const Output& output) {
    const std::string path = dead_letters_path(choice, largest_page);
    std::string cursor;
    do {
        const Answer answer =
            client.call("GET", cursor.empty() ? path : path + "&cursor=" + query_text(cursor));
        const auto write = [&](const json::object& page) {
            for (const json::value& event : page.at("data").as_array()) {
                output.out << json::serialize(event) << '\n';
            }
            output.out.flush();
            cursor = text_of(page, "nextCursor");
        };
        const int code = print(answer, {output.out, output.err, false}, write);
        if (code != 0) return code;
    } while (!cursor.empty() && output.out);
    return exit_code::ok;
}

int retry_event(const HttpClient& client, const std::string& id, bool new_key,
                const Output& output) {
    const Answer answer = client.call("POST", "/v1/events/" + path_text(id) + "/retry",
                                      new_key ? R"({"newKey":true})" : "{}");
    return print(answer, output, [&](const json::object& fresh) {
        const std::string retried = text_of(fresh, "retryOf");
        const bool is_new = text_of(fresh, "id") != id;
        output.out << text_of(fresh, "id")
                   << (is_new ? "  retries " + retried : std::string{"  is attempted now"}) << '\n';
    });
}

int cancel_event(const HttpClient& client, const std::string& id, const Output& output) {
    const Answer answer = client.call("DELETE", "/v1/events/" + path_text(id), {}, any_version);
    return print(answer, output, [&](const json::object& event) {
        output.out << text_of(event, "id") << "  " << text_of(event, "status") << '\n';
    });
}

int run_bulk(const HttpClient& client, const BulkOrder& order, const Person& person,
             const WaitOptions& wait_options, const Output& output) {
    json::object body = body_of(order);
    if (!order.yes || order.dry_run) {
        body["dryRun"] = true;
        std::uint64_t count = 0;
        const Output start_output{output.out, output.err, output.json && order.dry_run,
                                  output.look};
        const auto show = [&](const json::object& preview) {
            count = preview.at("count").to_number<std::uint64_t>();
            if (!order.dry_run) return;
            output.out << order.action << " would be for " << counted_in_words(order, count)
                       << '\n';
            if (count > 0) {
                print_rows(json::object{{"data", preview.at("samples")}}, sample_columns(order),
                           output);
            }
        };
        const int code =
            print(client.call("POST", path_of(order), json::serialize(body)), start_output, show);
        if (code != 0 || order.dry_run) return code;
        if (count == 0) {
            output.err << "there is nothing to " << order.action << '\n';
            return exit_code::ok;
        }
        const std::string question = order.action + ' ' + counted_in_words(order, count);
        if (const auto refused = refuse_unconfirmed(
                question, person, "give -y, or --dry-run to see what it applies to", output)) {
            return *refused;
        }
        body.erase("dryRun");
    }
    // From here on an interrupt ends the wait instead of this process, so that the operation's id
    // is known.
    (void)wait_options.interrupted();
    const Answer started = client.call("POST", path_of(order), json::serialize(body));
    std::string id;
    const auto remember = [&](const json::object& operation) {
        id = text_of(operation, "id");
        if (!order.wait) output.out << operation_line(operation) << '\n';
    };
    const int code = print(started, {output.out, output.err, output.json && !order.wait}, remember);
    if (code != 0 || !order.wait) return code;
    return wait_for_operation(client, id, wait_options, output);
}

}  // namespace sundial::cli
