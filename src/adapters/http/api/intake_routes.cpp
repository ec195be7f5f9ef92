#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/paging.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/routes.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

std::string_view status_of(const OutboxState& state, Instant now) {
    if (!state.failure.empty()) return "LOST";
    return state.followed_by && state.lease_ends > now ? "FOLLOWED" : "IDLE";
}

void write_intake(base::JsonWriter& json, const OutboxState& state, Instant now) {
    const std::string_view status = status_of(state, now);
    json.begin_object().member("name", state.name).member("source", state.source);
    json.member("status", status);
    json.member("failure", state.failure.empty() ? std::nullopt : std::optional(state.failure));
    json.member("since", format_instant_millis(state.changed_at));
    json.member("taken", state.taken).member("refused", state.refused);
    json.member("lastId", state.last_id)
        .member("lastTakenAt", format_instant_millis(state.taken_at));
    json.member("followedBy", state.followed_by && status != "IDLE"
                                  ? std::optional(to_string(*state.followed_by))
                                  : std::nullopt);
    json.end_object();
}

void write_refused(base::JsonWriter& json, const RefusedRow& row) {
    json.begin_object().member("id", row.id);
    json.member("kind", row.kind.empty() ? std::nullopt : std::optional(row.kind));
    json.member("code", row.code).member("detail", row.detail).key("errors").raw(row.errors);
    json.member("refusedAt", format_instant_millis(row.refused_at)).end_object();
}

/// The position that a page continues behind.
std::optional<std::int64_t> id_after(const PageRequest& page) {
    if (!page.after) return std::nullopt;
    return std::stoll(page.after->value);
}

class IntakeRoutes {
public:
    explicit IntakeRoutes(IntakeApi api) : api_(api) {}

    [[nodiscard]] Response list(const Request& request) const {
        const auto page = page_request(request, SortValue::text);
        if (!page) return refused(page.error(), request);
        const auto after = page->after ? std::optional{page->after->value} : std::nullopt;
        const Intakes found = api_.queries.intakes(after, page->limit);
        return page_response(found.page, request, [&](auto& json, const OutboxState& state) {
            write_intake(json, state, found.now);
            return PageKey{.value = state.name, .id = {}};
        });
    }

    [[nodiscard]] Response refused_rows(const Request& request) const {
        const auto page = page_request(request, SortValue::number);
        if (!page) return refused(page.error(), request);
        const auto rows =
            api_.queries.refused_rows(intake_of(request), id_after(*page), page->limit);
        return page_response(rows, request, [](auto& json, const RefusedRow& row) {
            write_refused(json, row);
            return PageKey{.value = std::to_string(row.id), .id = {}};
        });
    }

    [[nodiscard]] Response taken(const Request& request) const {
        const auto page = page_request(request, SortValue::number);
        if (!page) return refused(page.error(), request);
        const auto ranges =
            api_.queries.taken_ranges(intake_of(request), id_after(*page), page->limit);
        return page_response(ranges, request, [](auto& json, const TakenRange& range) {
            json.begin_object().member("first", range.ids.first).member("last", range.ids.last);
            json.end_object();
            return PageKey{.value = std::to_string(range.ids.last), .id = {}};
        });
    }

private:
    static std::string intake_of(const Request& request) {
        return text_value(request, "intake").value_or("");
    }

    IntakeApi api_;
};

}  // namespace

void add_intake_routes(Router& router, IntakeApi api) {
    const IntakeRoutes routes(api);
    router.add("GET", "/v1/intakes",
               [routes](const Request& request) { return routes.list(request); });
    router.add("GET", "/v1/intakes/refused",
               [routes](const Request& request) { return routes.refused_rows(request); });
    router.add("GET", "/v1/intakes/taken",
               [routes](const Request& request) { return routes.taken(request); });
}

}  // namespace sundial::http
