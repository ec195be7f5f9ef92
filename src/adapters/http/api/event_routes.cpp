#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/event_filter.hpp"
#include "adapters/http/api/json_members.hpp"
#include "adapters/http/api/paging.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/routes.hpp"

namespace sundial::http {
namespace {

constexpr std::string_view payload = "deliveryPayload";
/// Maximum number of events that a page reads when few match: a few milliseconds.
constexpr std::size_t max_passed = 10'000;

EventQuery::Sort sort_of(const Request& request) {
    std::string_view sort = request.query_value("sort").value_or("targetTimestampUTC");
    if (sort.starts_with('-')) sort.remove_prefix(1);
    if (sort == "executedAt") return EventQuery::Sort::executed_at;
    if (sort == "createdAt") return EventQuery::Sort::created_at;
    return sort == "latenessMs" ? EventQuery::Sort::lateness : EventQuery::Sort::target;
}

std::optional<std::chrono::microseconds::rep> sort_value(const Event& event,
                                                         EventQuery::Sort sort) {
    switch (sort) {
        case EventQuery::Sort::target:
            return event.due.time_since_epoch().count();
        case EventQuery::Sort::created_at:
            return std::nullopt;  // the id contains the creation time
        case EventQuery::Sort::lateness: {
            const auto late = lateness(event);
            return late ? std::optional(late->count()) : std::nullopt;
        }
        case EventQuery::Sort::executed_at:
            break;
    }
    if (const auto* completed = std::get_if<Completed>(&event.state))
        return completed->at.time_since_epoch().count();
    if (const auto* failed = std::get_if<Failed>(&event.state))
        return failed->at.time_since_epoch().count();
    return std::nullopt;
}

SortValue sorted_by(EventQuery::Sort sort) {
    switch (sort) {
        case EventQuery::Sort::target:
            return SortValue::number;
        case EventQuery::Sort::created_at:
            return SortValue::none;
        case EventQuery::Sort::executed_at:
        case EventQuery::Sort::lateness:
            break;
    }
    return SortValue::optional_number;  // not every event has been executed
}

PageKey place_of(const Event& event, EventQuery::Sort sort) {
    const auto value = sort_value(event, sort);
    return {value ? std::to_string(*value) : "", event.id.value};
}

/// The problem of one item of a batch, with pointers into the whole request.
Problem at_item(Problem problem, std::size_t index) {
    const std::string place = "/events/" + std::to_string(index);
    for (FieldError& error : problem.errors) error.pointer.insert(0, place);
    problem.members.emplace_back("index", static_cast<std::int64_t>(index));
    return problem;
}

Expanded expansion_of(const Request& request) {
    const auto names = list_value(request, "expand");
    const auto has = [&](const char* name) {
        return std::ranges::find(names, name) != names.end();
    };
    return {.users = has("user"), .schedules = has("schedule"), .endpoints = has("endpoint")};
}

/// Writes `name` with the object of `id`, or null.
template <class Id, class Thing, class Write>
void write_related(base::JsonWriter& json, std::string_view name, const std::optional<Id>& id,
                   const std::map<Id, Thing>& all, Write write) {
    json.key(name);
    const auto found = id ? all.find(*id) : all.end();
    if (found == all.end()) {
        json.null();
    } else {
        write(found->second);
    }
}

/// `event` as JSON with the requested objects beside its ids.
std::string expanded_json(std::string event_json, const Event& event, const Expanded& requested,
                          const Related& related) {
    base::JsonWriter json;
    json.begin_object();
    if (requested.users) {
        write_related(json, "user", event.user, related.users,
                      [&](const User& user) { json.raw(user_json(user)); });
    }
    if (requested.schedules) {
        const auto id = event.occurrence ? std::optional{event.occurrence->schedule} : std::nullopt;
        write_related(json, "schedule", id, related.schedules, [&](const Schedule& schedule) {
            json.begin_object().member("id", to_string(schedule.id));
            json.member("externalId", schedule.external_id);
            json.member("eventType", schedule.event_type).member("enabled", schedule.enabled);
            json.end_object();
        });
    }
    if (requested.endpoints) {
        write_related(json, "endpoint", event.endpoint, related.endpoints,
                      [&](const Endpoint& endpoint) {
                          json.begin_object().member("id", to_string(endpoint.id));
                          json.member("externalId", endpoint.external_id);
                          json.member("name", endpoint.name).member("type", endpoint.type.value);
                          json.member("enabled", endpoint.enabled).end_object();
                      });
    }
    const std::string more = std::move(json.end_object()).text();
    if (more == "{}") return event_json;
    event_json.back() = ',';
    return event_json + more.substr(1);
}

class EventRoutes {
public:
    explicit EventRoutes(EventApi api) : api_(api) {}

    [[nodiscard]] Response list(const Request& request) const {
        std::vector<FieldError> errors;
        EventQuery query = event_filter(request, {api_.queries, api_.clock, errors});
        if (!errors.empty()) return refused(validation_failed(std::move(errors)), request);
        query.sort = sort_of(request);
        const auto page = page_request(request, sorted_by(query.sort));
        if (!page) return refused(page.error(), request);
        query.page = *page;
        query.max_passed = max_passed;
        if (const auto costly = api_.queries.refuse_order(query)) return refused(*costly, request);

        const Page<Event> events = api_.queries.events(query);
        const Expanded expanded = expansion_of(request);
        const Related related = api_.queries.related(events.items, expanded);
        const bool counts = request.query_value("count").value_or("none") != "none";
        return page_response(
            events, request,
            [&](auto& json, const Event& event) {
                json.raw(expanded_json(event_json(event, api_.zones), event, expanded, related));
                return place_of(event, query.sort);
            },
            counts ? std::optional{api_.queries.count_events(query)} : std::nullopt);
    }

    [[nodiscard]] Response create(const Request& request) const {
        if (const auto problem = payload_too_large(*request.json, payload))
            return refused(*problem, request);
        NewEvent requested = new_event(*request.json);
        requested.trace = request.trace;
        return made(api_.events.schedule.run(requested), request);
    }

    [[nodiscard]] Response create_batch(const Request& request) const {
        auto items = new_events(request);
        const bool all = request.query_value("atomic") == "true";
        std::vector<NewEvent> requested;
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (items[i]) {
                requested.push_back(*std::move(items[i]));
                requested.back().trace = request.trace;
            } else if (all) {
                return refused(at_item(items[i].error(), i), request);
            }
        }
        return all ? all_made(api_.events.schedule.run_all(requested), request)
                   : create_each(items, requested, request);
    }

    [[nodiscard]] Response get(const Request& request) const {
        const auto event = api_.queries.event(request.path_value("id"));
        if (!event) return refused(event.error(), request);
        const Expanded expanded = expansion_of(request);
        const Related related = api_.queries.related({&*event, 1}, expanded);
        std::string body = expanded_json(event_json(*event, api_.zones), *event, expanded, related);
        const auto names = list_value(request, "expand");
        if (std::ranges::find(names, "attempts") != names.end()) {
            AttemptQuery query{.event = event->id};
            query.page.limit = 500;
            base::JsonWriter json;
            json.begin_object().key("attempts").begin_array();
            for (const EndedAttempt& one : api_.queries.attempts(query).items)
                json.raw(attempt_json(one));
            body.back() = ',';
            body += std::move(json.end_array().end_object()).text().substr(1);
        }
        // The version says nothing about the added objects, so nothing is "not modified".
        if (!names.empty()) return with_etag(http::json(200, std::move(body)), event->version);
        return found(request, std::move(body), event->version);
    }

    [[nodiscard]] Response explain(const Request& request) const {
        const auto explanation = api_.events.explain.run(request.path_value("id"));
        if (!explanation) return refused(explanation.error(), request);
        return json(200, explanation_json(*explanation));
    }

    [[nodiscard]] Response patch(const Request& request) const {
        if (const auto problem = payload_too_large(*request.json, payload))
            return refused(*problem, request);
        return changed(api_.events.edit.run(request.path_value("id"), event_edit(*request.json),
                                            expected(request), caller_of(request)),
                       request);
    }

    [[nodiscard]] Response cancel(const Request& request) const {
        return changed(
            api_.events.cancel.run(request.path_value("id"), expected(request), caller_of(request)),
            request);
    }

    [[nodiscard]] Response retry(const Request& request) const {
        const bool fresh = request.json && Members(*request.json).truth("newKey").value_or(false);
        const auto retried = api_.events.retry.run(
            request.path_value("id"), fresh ? RetryKey::fresh : RetryKey::same, caller_of(request));
        if (!retried) return refused(retried.error(), request);
        return retried->is_new ? made(retried->event, request) : changed(retried->event, request);
    }

private:
    [[nodiscard]] Response made(const EventResult<Event>& event, const Request& request) const {
        if (!event) return refused(event.error(), request);
        return created(event_json(*event, api_.zones), event->version,
                       "/v1/events/" + to_string(event->id));
    }

    /// `requested` are those `items` that are valid.
    [[nodiscard]] Response create_each(std::span<const base::Result<NewEvent, Problem>> items,
                                       std::span<const NewEvent> requested,
                                       const Request& request) const {
        PartlyStored::Results results;
        Problem failed;  // of events without a result
        try {
            for (auto& each : api_.events.schedule.run_each(requested)) {
                results.emplace_back(std::move(each));
            }
        } catch (PartlyStored& partly) {
            results = std::move(partly.known);
            failed = partly.outcome_unknown
                         ? Problem{.code = Code::commit_outcome_unknown,
                                   .detail =
                                       "A machine of the database did not confirm the event, "
                                       "so it may or may not be stored; check before you "
                                       "send it again"}
                         : Problem{.code = Code::storage_unavailable,
                                   .detail =
                                       "The machine of the database that would store the "
                                       "event did not answer; send the event again later"};
        }
        return each_made(items, results, failed, request);
    }

    [[nodiscard]] Response all_made(std::span<const EventResult<Event>> events,
                                    const Request& request) const {
        base::JsonWriter json;
        json.begin_object().key("data").begin_array();
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (!events[i]) return refused(at_item(problem_of(events[i].error()), i), request);
            json.raw(event_json(*events[i], api_.zones));
        }
        return http::json(201, std::move(json.end_array().end_object()).text());
    }

    /// `events` are the results of those `items` that were valid; those without one have `failed`.
    [[nodiscard]] Response each_made(std::span<const base::Result<NewEvent, Problem>> items,
                                     std::span<const std::optional<EventResult<Event>>> events,
                                     const Problem& failed, const Request& request) const {
        base::JsonWriter json;
        json.begin_object().key("data").begin_array();
        bool whole = true;
        auto event = events.begin();
        for (const auto& item : items) {
            const bool known = item && event->has_value();
            const bool stored = known && (*event)->has_value();
            if (stored) {
                json.raw(event_json(***event, api_.zones));
            } else {
                const Problem problem = known  ? problem_of((*event)->error())
                                        : item ? failed
                                               : item.error();
                json.raw(refused(problem, request).body);
            }
            whole = whole && stored;
            if (item) ++event;
        }
        return http::json(whole ? 201 : 207, std::move(json.end_array().end_object()).text());
    }

    [[nodiscard]] Response changed(const EventResult<Event>& event, const Request& request) const {
        if (!event) return refused(event.error(), request);
        return with_etag(json(200, event_json(*event, api_.zones)), event->version);
    }

    [[nodiscard]] std::optional<Version> expected(const Request& request) const {
        return expected_version(request, [&]() -> std::optional<Version> {
            const auto event = api_.queries.event(request.path_value("id"));
            return event ? std::optional(event->version) : std::nullopt;
        });
    }

    EventApi api_;
};

}  // namespace

void add_event_routes(Router& router, EventApi api) {
    const EventRoutes routes(api);
    const auto add = [&](std::string method, std::string pattern,
                         Response (EventRoutes::*handler)(const Request&) const) {
        router.add(std::move(method), std::move(pattern), handler_of(routes, handler));
    };
    add("GET", "/v1/events", &EventRoutes::list);
    add("POST", "/v1/events", &EventRoutes::create);
    add("POST", "/v1/events/batch", &EventRoutes::create_batch);
    add("GET", "/v1/events/{id}", &EventRoutes::get);
    add("PATCH", "/v1/events/{id}", &EventRoutes::patch);
    add("DELETE", "/v1/events/{id}", &EventRoutes::cancel);
    add("POST", "/v1/events/{id}/retry", &EventRoutes::retry);
    add("GET", "/v1/events/{id}/explain", &EventRoutes::explain);
}

}  // namespace sundial::http
