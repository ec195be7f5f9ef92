#include "adapters/http/api/access_rules.hpp"

#include <algorithm>
#include <array>

namespace sundial::http {
namespace {

constexpr std::optional<Role> any_caller{};
constexpr auto read = Role::read;    // reads
constexpr auto write = Role::write;  // also changes users, schedules, events, endpoints
constexpr auto admin = Role::admin;  // also manages keys and the clock
constexpr bool heavy = true;         // few of these run at once

constexpr auto rules = std::to_array<AccessRule>({
    {"GET", "/livez", any_caller},
    {"GET", "/readyz", any_caller},
    {"GET", "/healthz", any_caller},
    {"GET", "/", any_caller},
    {"GET", "/docs", any_caller},
    {"GET", "/docs/", any_caller},
    {"GET", "/ui", any_caller},
    {"GET", "/ui/", any_caller},
    {"GET", "/ui/{version}/{file}", any_caller},
    {"GET", "/openapi.json", any_caller},
    {"GET", "/docs/errors", any_caller},
    {"GET", "/docs/errors/{code}", any_caller},
    {"GET", "/docs/{page}", any_caller},
    {"GET", "/docs/{folder}/{page}", any_caller},
    {"GET", "/llms.txt", any_caller},
    {"GET", "/llms-full.txt", any_caller},

    {"GET", "/v1/users", read, heavy},
    {"POST", "/v1/users", write},
    {"POST", "/v1/users/batch", write},
    {"POST", "/v1/users/import", write},
    {"GET", "/v1/users/{id}", read},
    {"PUT", "/v1/users/{id}", write},
    {"PATCH", "/v1/users/{id}", write},
    {"DELETE", "/v1/users/{id}", write},
    {"POST", "/user", write},
    {"GET", "/user/{id}", read},
    {"PUT", "/user/{id}", write},
    {"DELETE", "/user/{id}", write},
    {"POST", "/users", write},
    {"GET", "/users/{id}", read},
    {"PUT", "/users/{id}", write},
    {"DELETE", "/users/{id}", write},

    {"GET", "/v1/events", read, heavy},
    {"POST", "/v1/events", write},
    {"POST", "/v1/events/batch", write},
    {"GET", "/v1/events/{id}", read},
    {"PATCH", "/v1/events/{id}", write},
    {"DELETE", "/v1/events/{id}", write},
    {"POST", "/v1/events/{id}/retry", write},
    {"GET", "/v1/events/{id}/explain", read, heavy},
    {"POST", "/v1/events/{id}/complete", write},
    {"POST", "/v1/events/{id}/fail", write},
    {"POST", "/v1/events/{id}/release", write},
    {"POST", "/v1/events/{id}/extend", write},

    {"GET", "/v1/endpoints", read},
    {"POST", "/v1/endpoints", write},
    {"GET", "/v1/endpoints/{id}", read},
    {"PUT", "/v1/endpoints/{id}", write},
    {"PATCH", "/v1/endpoints/{id}", write},
    {"DELETE", "/v1/endpoints/{id}", write},
    {"POST", "/v1/endpoints/{id}/rotate-secret", write},
    {"POST", "/v1/endpoints/{id}/test", write},
    {"POST", "/v1/endpoints/{id}/claim", write},
    {"GET", "/v1/endpoints/{id}/inbox", read, heavy},
    {"DELETE", "/v1/endpoints/{id}/inbox", write},

    {"GET", "/v1/schedules", read, heavy},
    {"POST", "/v1/schedules", write},
    {"GET", "/v1/schedules/{id}", read},
    {"PUT", "/v1/schedules/{id}", write},
    {"PATCH", "/v1/schedules/{id}", write},
    {"DELETE", "/v1/schedules/{id}", write},
    {"POST", "/v1/schedules/{id}/trigger", write},
    {"POST", "/v1/schedules/{id}/backfill", write, heavy},
    {"POST", "/v1/schedules/bulk", write, heavy},
    {"POST", "/v1/preview", read, heavy},  // computes; stores nothing
    {"GET", "/v1/occurrences", read, heavy},

    {"GET", "/v1/intakes", read},
    {"GET", "/v1/intakes/refused", read},
    {"GET", "/v1/intakes/taken", read},

    {"GET", "/v1/operations", read},
    {"GET", "/v1/operations/{id}", read},
    {"GET", "/v1/operations/{id}/errors", read, heavy},
    {"DELETE", "/v1/operations/{id}", write},
    {"POST", "/v1/bulk", write, heavy},
    {"GET", "/v1/stats/failures", read, heavy},
    {"GET", "/v1/live", read},
    {"GET", "/v1/stats", read},
    {"GET", "/v1/stats/series", read},
    {"GET", "/v1/stats/heatmap", read, heavy},
    {"GET", "/v1/instances", read},
    {"POST", "/v1/instances/{id}/drain", admin},
    {"GET", "/v1/attempts", read, heavy},
    {"GET", "/v1/attempts/{id}", read},

    {"GET", "/v1/streams", read, heavy},
    {"GET", "/v1/streams/{aggregateType}/{aggregateId}", read, heavy},
    {"POST", "/v1/streams/{aggregateType}/{aggregateId}", write},
    {"GET", "/v1/streams/{aggregateType}/{aggregateId}/snapshot", read},
    {"PUT", "/v1/streams/{aggregateType}/{aggregateId}/snapshot", write},
    {"GET", "/v1/feed", read, heavy},
    {"GET", "/v1/checkpoints/{name}", read},
    {"PUT", "/v1/checkpoints/{name}", write},

    {"GET", "/v1/locks", read},
    {"GET", "/v1/locks/{name}", read},
    {"POST", "/v1/locks/{name}", write},
    {"PUT", "/v1/locks/{name}", write},
    {"DELETE", "/v1/locks/{name}", write},

    {"POST", "/v1/session", any_caller},
    {"GET", "/v1/session", read},
    {"DELETE", "/v1/session", any_caller},

    {"GET", "/v1/api-keys", admin},
    {"POST", "/v1/api-keys", admin},
    {"DELETE", "/v1/api-keys/{id}", admin},

    {"GET", "/v1/calendars", read},
    {"POST", "/v1/calendars", write},
    {"DELETE", "/v1/calendars/{id}", write},
    {"GET", "/calendar/{token}", any_caller, heavy},  // the token in the path grants access

    {"GET", "/v1/clock", read},
    {"PUT", "/v1/clock", admin},
    {"POST", "/v1/clock/advance", admin},
    {"POST", "/v1/tick", write},
    {"GET", "/v1/timezones", read},
    {"GET", "/v1/timezones/impact", read, heavy},
    {"GET", "/v1/info", read},
    {"GET", "/v1/settings", admin},
    {"GET", "/metrics", read},
});

}  // namespace

std::span<const AccessRule> access_rules() { return rules; }

const AccessRule* access_rule(const Operation& operation) {
    const auto found = std::ranges::find_if(rules, [&](const AccessRule& rule) {
        return rule.method == operation.method && rule.pattern == operation.pattern;
    });
    return found == rules.end() ? nullptr : &*found;
}

}  // namespace sundial::http
