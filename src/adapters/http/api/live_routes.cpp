#include <charconv>
#include <chrono>
#include <memory>
#include <string>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/live_hub.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/routes.hpp"

namespace sundial::http {
namespace {

/// The client then connects again, and its key is checked.
constexpr std::chrono::minutes longest_live{15};

std::optional<std::uint64_t> position_in(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

Response follow(const LiveApi& api, const Request& request) {
    std::vector<FieldError> errors;
    LiveRequest asked{.topics = {}, .role = request.role};
    for (const LiveTopic topic : parsed_list(request, "topics", parse_live_topic)) {
        asked.topics.insert(topic);
    }
    asked.event_types = list_value(request, "eventType");
    asked.statuses = parsed_list(request, "status", parse_event_status);
    if (const auto endpoint = text_value(request, "endpointId")) {
        const auto id = api.queries.endpoint_id(*endpoint);
        if (!id) {
            errors.push_back({"?endpointId", "not_allowed", "unknown value '" + *endpoint + "'"});
        } else {
            asked.endpoint = *id;
        }
    }
    if (const auto seen = request.headers.find("Last-Event-ID"); seen && !seen->empty()) {
        asked.position = position_in(*seen);
        if (!asked.position) {
            errors.push_back({"Last-Event-ID", "bad_format", "is not a position of the feed"});
        }
    }
    if (!errors.empty()) return refused(validation_failed(std::move(errors)), request);
    const auto client = api.hub->join(std::move(asked));
    if (!client) {
        return refused(Problem{.code = Code::overloaded,
                               .detail = "This instance has " + std::to_string(max_live_clients) +
                                         " live clients, the maximum",
                               .retry_after = std::chrono::seconds{5}},
                       request);
    }
    auto listen = [hub = api.hub, client](std::function<void()> wake) {
        return hub->wait(client, std::move(wake));
    };
    auto next = [hub = api.hub, client] {
        Response piece;
        const auto text = hub->next(*client);
        if (text) {
            piece.body = *text;
        } else {
            piece.status = 503;
        }
        return piece;
    };
    Response response;
    response.content_type = "text/event-stream";
    response.headers.add("Cache-Control", "no-store");
    response.stream = std::make_shared<const Stream>(
        Stream{longest_live, ": still here\n\n", std::move(listen), std::move(next)});
    return response;
}

}  // namespace

void add_live_routes(Router& router, LiveApi api) {
    router.add("GET", "/v1/live",
               [api = std::move(api)](const Request& request) { return follow(api, request); });
}

}  // namespace sundial::http
