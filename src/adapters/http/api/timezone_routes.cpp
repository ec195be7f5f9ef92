#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/paging.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/routes.hpp"
#include "application/ports/failures.hpp"
#include "base/text.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

constexpr std::chrono::days default_window{365};
constexpr std::size_t max_changes = 100;  // per zone and response

/// The requested zones and time range.
struct ZoneQuery {
    std::vector<std::string> names;  // empty: all
    std::string part;
    Instant from, to;
    PageRequest page;
};

bool is_asked_for(const ZoneQuery& query, const std::string& name) {
    return (query.names.empty() || std::ranges::find(query.names, name) != query.names.end()) &&
           base::contains_ignoring_case(name, query.part);
}

std::string zone_json(const Zone& zone, const ZoneQuery& query, Instant now) {
    base::JsonWriter json;
    json.begin_object().member("name", zone.name());
    json.member("offset", format_offset(zone.offset_at(now))).key("changes").begin_array();
    // Includes a change at `from` itself.
    auto change = zone.next_change(query.from - std::chrono::microseconds{1});
    for (std::size_t count = 0; change && change->at < query.to && count < max_changes; ++count) {
        json.begin_object().member("at", format_instant_millis(Instant{change->at}));
        json.member("before", format_offset(change->before));
        json.member("after", format_offset(change->after)).end_object();
        change = zone.next_change(change->at);
    }
    json.end_array().end_object();
    return std::move(json).text();
}

std::string move_json(const TzImpact::Move& move) {
    const Event& event = move.event;
    const auto text_of = [](const auto& id) { return to_string(id); };
    std::optional<std::string> user, schedule, after;
    if (event.user) user = text_of(*event.user);
    if (event.occurrence) schedule = text_of(event.occurrence->schedule);
    if (move.after) after = format_instant_millis(*move.after);
    base::JsonWriter json;
    json.begin_object().member("eventId", to_string(event.id)).member("eventType", event.type);
    json.member("userId", user).member("scheduleId", schedule);
    json.member("targetTimezone", event.intent.zone);
    json.member("wallTime", format_wall(*event.intent.wall));
    json.member("tzdb", event.tz_release);
    json.member("before", format_instant_millis(event.due)).member("after", after).end_object();
    return std::move(json).text();
}

// The position in the list of moves: "Europe/Paris 2025b", and the event.

PageKey key_of(const ImpactPlace& place) {
    return {place.pair.zone + ' ' + place.pair.release, place.event.value};
}

std::optional<ImpactPlace> place_of(const PageKey& key) {
    const auto space = key.value.find(' ');
    if (space == std::string::npos) return std::nullopt;
    return ImpactPlace{{key.value.substr(0, space), key.value.substr(space + 1)}, EventId{key.id}};
}

class TimezoneRoutes {
public:
    explicit TimezoneRoutes(TimezoneApi api) : api_(api) {}

    [[nodiscard]] Response list(const Request& request) const {
        const auto zones = api_.zones.current();
        const Instant now = api_.clock.now();
        const auto query = read(request, *zones, now);
        if (!query) return refused(query.error(), request);

        base::JsonWriter json;
        json.begin_object().member("release", zones->release()).key("data").begin_array();
        std::string last;
        std::size_t count = 0;
        const auto names = zones->names();
        auto name = query->page.after ? std::ranges::upper_bound(names, query->page.after->value)
                                      : names.begin();
        const auto next = [&] {
            while (name != names.end() && !is_asked_for(*query, *name)) ++name;
            return name != names.end();
        };
        for (; next() && count < query->page.limit; ++name, ++count) {
            json.raw(zone_json(**zones->find(*name), *query, now));
            last = *name;
        }
        return end_page(std::move(json), request, next(), {last, base::Uuid{}});
    }

    [[nodiscard]] Response impact(const Request& request) const {
        const auto page = page_request(request, SortValue::text);
        if (!page) return refused(page.error(), request);
        const auto after = page->after ? place_of(*page->after) : std::nullopt;
        if (page->after && !after) return refused(invalid_cursor(), request);
        try {
            return impact_json(api_.timezones.survey.run(after, page->limit), request);
        } catch (const Corrupt& half_copied) {
            return refused({.code = Code::not_ready, .detail = half_copied.what()}, request);
        } catch (const CannotStart& missing) {
            return refused({.code = Code::not_ready, .detail = missing.what()}, request);
        }
    }

private:
    /// Reads the query. Errors: VALIDATION_FAILED, INVALID_CURSOR.
    [[nodiscard]] base::Result<ZoneQuery, Problem> read(const Request& request, const TzData& zones,
                                                        Instant now) const {
        const auto page = page_request(request, SortValue::text);
        if (!page) return page.error();
        std::vector<FieldError> errors;
        Moments moments(request, api_.clock, errors);
        ZoneQuery query;
        query.page = *page;
        query.part = text_value(request, "q").value_or("");
        query.names = list_value(request, "zone");
        query.from = moments.value("from").value_or(now);
        query.to = moments.value("to").value_or(query.from + default_window);
        if (query.to < query.from)
            errors.push_back({"?to", "bad_request", "must not be before 'from'"});
        for (const std::string& name : query.names) {
            if (const auto zone = zones.find(name); !zone)
                errors.push_back(
                    {"?zone", std::string(to_string(zone.error().code)), zone.error().message});
        }
        if (!errors.empty()) return validation_failed(std::move(errors));
        return query;
    }

    static Response impact_json(const TzImpact& impact, const Request& request) {
        base::JsonWriter json;
        json.begin_object().member("inForce", impact.in_effect).member("release", impact.release);
        json.key("data").begin_array();
        for (const auto& move : impact.moves) json.raw(move_json(move));
        return end_page(std::move(json), request, impact.last.has_value(),
                        impact.last ? key_of(*impact.last) : PageKey{});
    }

    TimezoneApi api_;
};

}  // namespace

void add_timezone_routes(Router& router, TimezoneApi api) {
    const TimezoneRoutes routes(api);
    router.add("GET", "/v1/timezones",
               [routes](const Request& request) { return routes.list(request); });
    router.add("GET", "/v1/timezones/impact",
               [routes](const Request& request) { return routes.impact(request); });
}

}  // namespace sundial::http
