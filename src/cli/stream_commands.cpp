#include <boost/json.hpp>
#include <ostream>
#include <string_view>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

std::string path_of(const StreamName& stream) {
    return "/v1/streams/" + query_text(stream.type) + '/' + query_text(stream.id);
}

std::string event_line(const json::object& event) {
    return text_of(event, "position") + "  " + text_of(event, "aggregateType") + '/' +
           text_of(event, "aggregateId") + "  " + text_of(event, "version") + "  " +
           text_of(event, "eventType") + "  " + text_of(event, "data") + '\n';
}

}  // namespace

int list_streams(const HttpClient& client, const std::string& type, const std::string& prefix,
                 const Output& output) {
    std::string path = "/v1/streams?limit=500";
    if (!type.empty()) path += "&aggregateType=" + query_text(type);
    if (!prefix.empty()) path += "&q=" + query_text(prefix);
    return print(client.call("GET", path), output, [&](const json::object& page) {
        for (const json::value& one : page.at("data").as_array()) {
            const json::object& stream = one.as_object();
            output.out << text_of(stream, "aggregateType") << '/' << text_of(stream, "aggregateId")
                       << "  version " << text_of(stream, "version") << '\n';
        }
    });
}

int read_stream(const HttpClient& client, const StreamName& stream, std::uint64_t from,
                const Output& output) {
    const auto path = [&] {
        return path_of(stream) + "?limit=500&fromVersion=" + std::to_string(from);
    };
    bool more = true;
    while (more && output.out) {
        more = false;
        const int code = print(client.call("GET", path()), output, [&](const json::object& found) {
            for (const json::value& event : found.at("data").as_array()) {
                output.out << event_line(event.as_object());
                from = event.as_object().at("version").to_number<std::uint64_t>() + 1;
            }
            more = found.at("hasMore").as_bool();
        });
        if (code != 0) return code;
    }
    return exit_code::ok;
}

int append_event(const HttpClient& client, const StreamName& stream, const EventToAppend& event,
                 const Output& output) {
    base::JsonWriter body;
    body.begin_object();
    if (!event.expected.empty()) {
        const bool is_number = event.expected.find_first_not_of("-0123456789") == std::string::npos;
        body.key("expectedVersion");
        if (is_number) {
            body.raw(event.expected);
        } else {
            body.value(event.expected);
        }
    }
    body.key("events").begin_array().begin_object();
    body.member("eventType", std::string_view{event.type}).key("data").raw(event.data);
    body.end_object().end_array().end_object();
    return print(client.call("POST", path_of(stream), body.text()), output,
                 [&](const json::object& appended) {
                     output.out << "version " << text_of(appended, "lastVersion") << ", position "
                                << text_of(appended, "lastPosition") << '\n';
                 });
}

int follow_feed(const HttpClient& client, const FeedToFollow& requested,
                const std::function<bool()>& goes_on, const Output& output) {
    std::string after = std::to_string(requested.after);
    const Output in_words{output.out, output.err, false};
    for (bool more = true; more && goes_on() && output.out;) {
        std::string path = "/v1/feed?limit=500&after=" + after;
        if (!requested.type.empty()) path += "&aggregateType=" + query_text(requested.type);
        if (requested.wait) path += "&wait=PT20S";
        const int code = print(client.call("GET", path), in_words, [&](const json::object& page) {
            for (const json::value& event : page.at("data").as_array()) {
                output.out << (output.json ? json::serialize(event) + '\n'
                                           : event_line(event.as_object()));
            }
            output.out.flush();
            after = text_of(page, "nextPosition");
            more = requested.wait || page.at("hasMore").as_bool();
        });
        if (code != 0) return code;
    }
    return exit_code::ok;
}

}  // namespace sundial::cli
