#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <utility>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/etags.hpp"
#include "adapters/http/api/paging.hpp"
#include "adapters/http/api/problems.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/routes.hpp"
#include "adapters/http/message.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

StreamId stream_in(const Request& request) {
    return {request.path_value("aggregateType"), request.path_value("aggregateId")};
}

/// A version or a position. The stores count up to 2^63 - 1.
std::optional<std::uint64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [read_to, error] = std::from_chars(text.begin(), text.end(), number);
    if (error != std::errc{} || read_to != text.end() || number < 0) return std::nullopt;
    return static_cast<std::uint64_t>(number);
}

/// The OpenAPI document has checked that it is a number.
std::optional<std::uint64_t> version_value(const Request& request, std::string_view name) {
    const auto text = request.query_value(name);
    return text ? whole_number(*text) : std::nullopt;
}

/// The expectation in If-Match and If-None-Match: empty, or the condition that must hold (412 if it
/// does not).
template <class Current>
std::optional<ExpectedVersion> condition(const Request& request, Current current) {
    // The value is *.
    if (request.headers.find("If-None-Match")) return ExpectedVersion::no_stream();
    const auto match = request.headers.find("If-Match");
    if (!match) return std::nullopt;
    if (*match == "*") return ExpectedVersion::stream_exists();
    const auto version =
        expected_version(request, [&]() -> std::optional<Version> { return Version{current()}; });
    if (!version || *version == version_of_nothing) return version_of_no_stream;
    return ExpectedVersion::exactly(version->value);
}

/// Filter and start position of a read of the feed.
struct FeedOrder {
    std::uint64_t after;
    FeedFilter filter;
    std::size_t limit;
    std::chrono::milliseconds wait;  // while nothing of it is there
    Role reader;
};

constexpr std::chrono::seconds longest_feed_wait{60};
/// Maximum duration of a followed feed. The client then connects again, and its key is checked.
constexpr std::chrono::minutes longest_stream{15};

base::Result<FeedOrder, Problem> feed_order(const Request& request) {
    FeedOrder order{.after = version_value(request, "after").value_or(0),
                    .filter = {.aggregate_types = list_value(request, "aggregateType"),
                               .event_types = list_value(request, "eventType")},
                    .limit = number_value(request, "limit").value_or(50),
                    .wait = {},
                    .reader = request.role};
    const auto wait = request.query_value("wait");
    if (!wait) return order;
    const auto requested = parse_duration(*wait);
    if (!requested || *requested < std::chrono::seconds{0} || *requested > longest_feed_wait) {
        return validation_failed({{"?wait", "out_of_range", "must be PT0S to PT60S"}});
    }
    order.wait = std::chrono::duration_cast<std::chrono::milliseconds>(*requested);
    return order;
}

/// A client that accepts both types gets a page.
bool wants_to_follow(const Request& request) {
    const auto accept = request.headers.find("Accept").value_or("");
    return acceptable(accept, {"text/event-stream"}) && !acceptable(accept, {"application/json"});
}

Response page_of(const FeedPage& page, Role reader) {
    base::JsonWriter json;
    json.begin_object().key("data").begin_array();
    std::uint64_t last = 0;
    bool cut = false;
    for (const auto& [event, deleted] : page.entries) {
        cut = is_full(json);
        if (cut) break;
        json.raw(recorded_event_json(readable_by(reader, event), deleted));
        last = event.position;
    }
    json.end_array().member("nextPosition", cut ? last : page.next_position);
    json.member("hasMore", cut || page.more);
    json.end_object();
    return http::json(200, std::move(json).text());
}

class StreamRoutes {
public:
    explicit StreamRoutes(StreamApi api) : api_(std::move(api)) {}

    [[nodiscard]] Response list(const Request& request) const {
        const auto page = page_request(request, SortValue::text);
        if (!page) return refused(page.error(), request);
        StreamQuery query{.aggregate_type = text_value(request, "aggregateType"),
                          .prefix = text_value(request, "q"),
                          .after = std::nullopt,
                          .limit = page->limit};
        if (page->after) {
            const std::string& place = page->after->value;
            const auto slash = std::min(place.find('/'), place.size());
            query.after =
                StreamId{place.substr(0, slash), place.substr(std::min(slash + 1, place.size()))};
        }
        const auto streams = api_.streams.read.list(query);
        return page_response(streams, request, [](auto& json, const ListedStream& listed) {
            json.begin_object();
            write_stream(json, listed.stream, listed.head);
            json.end_object();
            return place_of(listed.stream);
        });
    }

    [[nodiscard]] Response read(const Request& request) const {
        const StreamId stream = stream_in(request);
        StreamRange range;
        range.from = version_value(request, "fromVersion").value_or(range.from);
        range.to = version_value(request, "toVersion").value_or(range.to);
        range.backward = request.query_value("direction").value_or("forward") == "backward";
        range.limit = number_value(request, "limit").value_or(50);
        const auto found = api_.streams.read.read(stream, range);
        if (!found) return refused(found.error(), request);
        base::JsonWriter json;
        json.begin_object();
        write_stream(json, stream, found->head);
        json.key("data").begin_array();
        std::optional<std::uint64_t> last;
        for (const RecordedEvent& event : found->events) {
            if (is_full(json)) break;
            json.raw(recorded_event_json(readable_by(request.role, event), false));
            last = event.version.value;
        }
        const bool more =
            last && (range.backward ? *last > std::max<std::uint64_t>(range.from, 1)
                                    : *last < std::min(range.to, found->head.version));
        json.end_array().member("hasMore", more).end_object();
        return with_etag(http::json(200, std::move(json).text()), Version{found->head.version});
    }

    [[nodiscard]] Response append(const Request& request) const {
        const StreamId stream = stream_in(request);
        auto requested = append_in(*request.json, stream, api_.ids);
        if (!requested) return refused(requested.error(), request);
        const auto asked_by_header = header_expectation(request, *requested);
        if (!asked_by_header) return refused(asked_by_header.error(), request);
        const auto appended = api_.streams.append.run(*requested);
        if (!appended) return refusal(appended.error(), *asked_by_header, request);
        return with_etag(http::json(appended->replayed ? 200 : 201, appended_json(*appended)),
                         Version{appended->current_version});
    }

    [[nodiscard]] Response snapshot(const Request& request) const {
        const auto found = api_.streams.read.snapshot(stream_in(request));
        if (!found) return refused(found.error(), request);
        return http::json(200, snapshot_json(*found));
    }

    [[nodiscard]] Response save_snapshot(const Request& request) const {
        const StreamId stream = stream_in(request);
        const auto saved = api_.streams.keep.save_snapshot(stream, snapshot_in(*request.json));
        if (!saved) return refused(saved.error(), request);
        if (!*saved && api_.snapshot_ignored) api_.snapshot_ignored("older");
        return snapshot(request);  // a newer snapshot may be stored; return that one
    }

    [[nodiscard]] Response feed(const Request& request) const {
        auto order = feed_order(request);
        if (!order) return refused(order.error(), request);
        if (wants_to_follow(request)) return follow(*std::move(order), request);
        const bool last = order->wait == std::chrono::milliseconds{0};
        return page_or_wait(*std::move(order), last);
    }

    [[nodiscard]] Response checkpoint(const Request& request) const {
        const std::string& name = request.path_value("name");
        const auto found = api_.streams.checkpoints.find(name);
        if (!found) return refused(found.error(), request);
        return http::json(200, checkpoint_json(name, *found));
    }

    [[nodiscard]] Response save_checkpoint(const Request& request) const {
        const std::string& name = request.path_value("name");
        const auto step = checkpoint_step_in(*request.json);
        if (!step) return refused(step.error(), request);
        const auto saved = api_.streams.checkpoints.save(name, *step);
        if (!saved) return refused(saved.error(), request);
        return http::json(200, checkpoint_json(name, *saved));
    }

private:
    [[nodiscard]] Response page_or_wait(FeedOrder order, bool last) const {
        FeedPage page = api_.streams.read.feed(order.after, order.filter, order.limit).value();
        const bool may_wait = !last && !api_.streams.watch.stopped();
        if (!page.entries.empty() || !may_wait) return page_of(page, order.reader);
        order.after = page.next_position;
        Response response;
        auto listen = [&watch = api_.streams.watch,
                       after = order.after](std::function<void()> wake) {
            return watch.wait(after, std::move(wake));
        };
        auto answer = [routes = *this, order](bool time_is_up) {
            return routes.page_or_wait(order, time_is_up);
        };
        response.later =
            std::make_shared<const Later>(Later{order.wait, std::move(listen), std::move(answer)});
        return response;
    }

    /// Server-sent events: one per recorded event, with its position as the id.
    [[nodiscard]] Response follow(FeedOrder order, const Request& request) const {
        if (const auto seen = request.headers.find("Last-Event-ID"); seen && !seen->empty()) {
            const auto position = whole_number(*seen);
            if (!position) {
                return refused(validation_failed({{"Last-Event-ID", "bad_format",
                                                   "is not a position of the feed"}}),
                               request);
            }
            order.after = *position;
        }
        // Shared by the pieces, which follow one another.
        const auto at = std::make_shared<std::uint64_t>(order.after);
        auto listen = [&watch = api_.streams.watch, at](std::function<void()> wake) {
            return watch.wait(*at, std::move(wake));
        };
        auto next = [api = api_, order, at] {
            Response piece;
            if (api.streams.watch.stopped()) {
                piece.status = 503;
                return piece;
            }
            const FeedPage page = api.streams.read.feed(*at, order.filter, order.limit).value();
            for (const auto& [event, deleted] : page.entries) {
                if (piece.body.size() >= max_page_bytes) return piece;
                const auto readable = readable_by(order.reader, event);
                piece.body += sent_event(event.position, recorded_event_json(readable, deleted));
                *at = event.position;
            }
            // Tells the client where to continue, even if no event matched.
            if (page.entries.empty() && page.next_position > *at) {
                piece.body = "id: " + std::to_string(page.next_position) + "\n\n";
            }
            *at = page.next_position;
            return piece;
        };
        Response response;
        response.content_type = "text/event-stream";
        response.stream = std::make_shared<const Stream>(
            Stream{longest_stream, ": still here\n\n", std::move(listen), std::move(next)});
        return response;
    }

    /// Takes the expectation from the headers. True if they contain one.
    [[nodiscard]] base::Result<bool, Problem> header_expectation(const Request& request,
                                                                 Append& requested) const {
        const auto current = [&]() -> std::uint64_t {
            const auto found = api_.streams.read.read(requested.stream, {.limit = 1});
            return found ? found->head.version : 0;
        };
        if (request.headers.find("If-None-Match").value_or("*") != "*") {
            return validation_failed({{"If-None-Match", "bad_format",
                                       "must be *, which means that the stream must not exist yet; "
                                       "send the version to append after as If-Match"}});
        }
        const auto expected = condition(request, current);
        if (!expected) return false;
        if (requested.expected != ExpectedVersion::any() && requested.expected != *expected) {
            return validation_failed({{"/expectedVersion", "not_allowed",
                                       "says " + to_string(requested.expected) +
                                           ", and the header says " + to_string(*expected)}});
        }
        requested.expected = *expected;
        return true;
    }

    /// A conflict is 412 if the expectation came from a header, 409 if it came from the body.
    [[nodiscard]] static Response refusal(const Error& error, bool asked_by_header,
                                          const Request& request) {
        Problem problem = problem_of(error);
        if (asked_by_header && problem.code == Code::optimistic_lock) problem.status = 412;
        return to_response(problem, request);
    }

    StreamApi api_;
};

}  // namespace

void add_stream_routes(Router& router, StreamApi api) {
    const StreamRoutes routes{std::move(api)};
    const auto add = [&](const char* method, const char* pattern,
                         Response (StreamRoutes::*handle)(const Request&) const) {
        router.add(method, pattern,
                   [routes, handle](const Request& request) { return (routes.*handle)(request); });
    };
    add("GET", "/v1/streams", &StreamRoutes::list);
    add("GET", "/v1/streams/{aggregateType}/{aggregateId}", &StreamRoutes::read);
    add("POST", "/v1/streams/{aggregateType}/{aggregateId}", &StreamRoutes::append);
    add("GET", "/v1/streams/{aggregateType}/{aggregateId}/snapshot", &StreamRoutes::snapshot);
    add("PUT", "/v1/streams/{aggregateType}/{aggregateId}/snapshot", &StreamRoutes::save_snapshot);
    add("GET", "/v1/feed", &StreamRoutes::feed);
    add("GET", "/v1/checkpoints/{name}", &StreamRoutes::checkpoint);
    add("PUT", "/v1/checkpoints/{name}", &StreamRoutes::save_checkpoint);
}

}  // namespace sundial::http
