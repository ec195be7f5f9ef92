#include <boost/json.hpp>
#include <ostream>
#include <string_view>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

std::string event_line(const json::object& event) {
    return text_of(event, "position") + "  " + text_of(event, "aggregateType") + '/' +
           text_of(event, "aggregateId") + "  " + text_of(event, "version") + "  " +
           text_of(event, "eventType") + "  " + text_of(event, "data") + '\n';
}

}  // namespace

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
