#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/json_members.hpp"
#include "adapters/http/api/paging.hpp"
#include "adapters/http/api/problems.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/routes.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

using namespace std::chrono_literals;

/// Proxies commonly close a connection that is silent for longer.
constexpr std::chrono::seconds longest_wait = 60s;

/// The duration in the body's member, or `if_absent`. Adds an invalid one to `errors`.
std::chrono::seconds duration_in(const Members& members, const char* name,
                                 std::chrono::seconds if_absent, std::chrono::seconds max,
                                 std::vector<FieldError>& errors) {
    const auto text = members.text(name);
    if (!text) return if_absent;
    const auto duration = parse_duration(*text);
    if (!duration) {
        errors.push_back({std::string{"/"} + name, "bad_format", duration.error().message});
    } else if (*duration > max) {
        errors.push_back(
            {std::string{"/"} + name, "out_of_range", "must be at most " + format_duration(max)});
    }
    return duration ? *duration : if_absent;
}

struct AcquireRequest {
    LockTerms lock;
    std::chrono::seconds wait;
};

Result<AcquireRequest> acquire_request(const Request& request) {
    const Members members{*request.json};
    std::vector<FieldError> errors;
    AcquireRequest requested{
        .lock = {.name = request.path_value("name"), .holder = members.text("holder").value()},
        .wait = duration_in(members, "wait", 0s, longest_wait, errors)};
    requested.lock.ttl = duration_in(members, "ttl", 30s, 24h, errors);
    if (auto error = refuse_own_lock(requested.lock.name)) errors.push_back(std::move(*error));
    if (!errors.empty()) return ValidationFailed{std::move(errors)};
    return requested;
}

void write_grant(base::JsonWriter& json, FencingToken token, Instant expires_at) {
    json.member("fencingToken", token.value);
    json.member("expiresAt", std::string_view{format_instant_millis(expires_at)});
}

void write_lock(base::JsonWriter& json, const Lock& lock) {
    json.begin_object().member("name", std::string_view{lock.name});
    json.member("holder", std::string_view{lock.holder});
    json.member("acquiredAt", std::string_view{format_instant_millis(lock.acquired_at)});
    write_grant(json, lock.fencing_token, lock.expires_at);
    json.end_object();
}

std::string acquired_json(const AcquiredLock& lock) {
    base::JsonWriter json;
    json.begin_object().member("name", std::string_view{lock.name});
    json.member("holder", std::string_view{lock.holder});
    json.member("lockToken", std::string_view{lock.lock_token});
    write_grant(json, lock.fencing_token, lock.expires_at);
    return std::move(json.end_object()).text();
}

class LockRoutes {
public:
    explicit LockRoutes(LockApi api) : api_{std::move(api)} {}

    [[nodiscard]] Response list(const Request& request) const {
        const auto page = page_request(request, SortValue::text);
        if (!page) return refused(page.error(), request);
        LockQuery query{.prefix = text_value(request, "q"), .limit = page->limit};
        if (page->after) query.after = page->after->value;
        const auto locks = api_.locks.locks.list(query);
        return page_response(locks, request, [](auto& json, const Lock& lock) {
            write_lock(json, lock);
            return PageKey{.value = lock.name, .id = {}};
        });
    }

    [[nodiscard]] Response get(const Request& request) const {
        const std::string& name = request.path_value("name");
        const auto lock = api_.locks.locks.find(name);
        if (!lock) return refused(NotFound{Noun::lock, name}, request);
        base::JsonWriter json;
        write_lock(json, *lock);
        return http::json(200, std::move(json).text());
    }

    [[nodiscard]] Response acquire(const Request& request) const {
        const auto requested = acquire_request(request);
        if (!requested) return refused(requested.error(), request);
        const auto lock = api_.locks.locks.acquire(requested->lock);
        if (!lock && api_.contended) {
            if (const auto* held = std::get_if<LockHeld>(&lock.error())) api_.contended(*held);
        }
        return response_for(lock, *requested, std::make_shared<const Request>(request),
                            requested->wait == 0s);
    }

    [[nodiscard]] Response renew(const Request& request) const {
        const Members members{*request.json};
        std::vector<FieldError> errors;
        const auto ttl = duration_in(members, "ttl", 30s, 24h, errors);
        if (!errors.empty()) return refused(ValidationFailed{std::move(errors)}, request);
        const std::string& name = request.path_value("name");
        const auto renewed = api_.locks.locks.renew(name, members.text("lockToken").value(), ttl);
        if (!renewed) return refused(renewed.error(), request);
        base::JsonWriter json;
        json.begin_object().member("name", std::string_view{name});
        write_grant(json, renewed->fencing_token, renewed->expires_at);
        return http::json(200, std::move(json.end_object()).text());
    }

    [[nodiscard]] Response release(const Request& request) const {
        const auto token = request.headers.find("Sundial-Lock-Token");
        if (!token) {
            return refused(
                invalid("Sundial-Lock-Token", "required",
                        "is required: send the token that 'acquire' returned in this header"),
                request);
        }
        const auto released = api_.locks.locks.release(request.path_value("name"), *token);
        if (!released) return refused(released.error(), request);
        return no_content();
    }

private:
    /// The response to a try to acquire; a Later if another caller holds the lock and the request
    /// may still wait.
    [[nodiscard]] Response response_for(const Result<AcquiredLock>& lock,
                                        const AcquireRequest& requested,
                                        const std::shared_ptr<const Request>& request,
                                        bool last) const {
        if (!lock) {
            const bool may_wait = !last && !api_.locks.waits.stopped() &&
                                  std::holds_alternative<LockHeld>(lock.error());
            if (may_wait) return wait(requested, request);
            count_outcome(requested, "held");
            return refused(lock.error(), *request);
        }
        count_outcome(requested, "granted");
        Response response = showing_secret(http::json(201, acquired_json(*lock)));
        response.headers.add("Location", request->path);
        // A client that has disconnected will never release the lock.
        response.undelivered = [&locks = api_.locks.locks, had = *lock] {
            try {
                (void)locks.release(had.name, had.lock_token);
            } catch (const std::exception&) {
                return;  // the lease expires by itself
            }
        };
        return response;
    }

    void count_outcome(const AcquireRequest& requested, std::string_view outcome) const {
        if (requested.wait > 0s && api_.waited) api_.waited(outcome);
    }

    [[nodiscard]] Response wait(const AcquireRequest& requested,
                                const std::shared_ptr<const Request>& request) const {
        auto listen = [&waits = api_.locks.waits, name = requested.lock.name](
                          std::function<void()> wake) { return waits.wait(name, std::move(wake)); };
        auto answer = [routes = *this, requested, request](bool last) {
            return routes.response_for(routes.api_.locks.locks.acquire(requested.lock), requested,
                                       request, last);
        };
        Response response;
        response.later = std::make_shared<const Later>(
            Later{requested.wait, std::move(listen), std::move(answer)});
        return response;
    }

    LockApi api_;
};

}  // namespace

void add_lock_routes(Router& router, LockApi api) {
    const LockRoutes routes{std::move(api)};
    const auto add = [&](const char* method, const char* pattern,
                         Response (LockRoutes::*handle)(const Request&) const) {
        router.add(
            method, pattern,
            [routes, handle](const Request& request) { return (routes.*handle)(request); },
            Effects::outside);  // locks may be stored in Redis
    };
    add("GET", "/v1/locks", &LockRoutes::list);
    add("GET", "/v1/locks/{name}", &LockRoutes::get);
    add("POST", "/v1/locks/{name}", &LockRoutes::acquire);
    add("PUT", "/v1/locks/{name}", &LockRoutes::renew);
    add("DELETE", "/v1/locks/{name}", &LockRoutes::release);
}

}  // namespace sundial::http
