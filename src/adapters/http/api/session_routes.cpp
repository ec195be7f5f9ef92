#include <memory>
#include <optional>
#include <string>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/json_members.hpp"
#include "adapters/http/api/routes.hpp"
#include "adapters/http/browser_rules.hpp"
#include "adapters/http/client_limits.hpp"
#include "adapters/http/session_cookie.hpp"
#include "adapters/http/trusted_proxies.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

constexpr std::size_t max_failed_logins = 10;  // of one network in a minute

std::string session_json(const SessionHolder& session) {
    base::JsonWriter json;
    json.begin_object().member("role", to_string(session.holder.role));
    json.member("key", session.holder.handle).member("csrfToken", session.csrf_token);
    json.member("expiresAt", format_instant_millis(session.expires_at)).end_object();
    return std::move(json).text();
}

/// The caller without a session, who needs no token.
std::string keyed_json(const Request& request) {
    base::JsonWriter json;
    json.begin_object().member("role", to_string(request.role)).key("key").null();
    json.key("csrfToken").null().key("expiresAt").null().end_object();
    return std::move(json).text();
}

class SessionRoutes {
public:
    explicit SessionRoutes(SessionApi api) : api_(api) {}

    [[nodiscard]] Response log_in(const Request& request) const {
        if (!is_private(request)) {
            return refused(
                Problem{.code = Code::https_required,
                        .detail = "This login came over plain http from another machine, where "
                                  "others can read the key. Use https, or a proxy with TLS that "
                                  "sends X-Forwarded-Proto: https; on the machine itself "
                                  "http://localhost works. Replace the key that you sent"},
                request);
        }
        const auto made = api_.sessions.log_in(Members(*request.json).text("key").value_or(""));
        if (!made) return failed(request);
        Response response = json(201, session_json(made->session));
        response.headers.add("Location", "/v1/session");
        response.headers.add("Set-Cookie",
                             set_session_cookie(made->token, api_.sessions.lifetime()));
        return showing_secret(private_answer(std::move(response)));
    }

    [[nodiscard]] Response show(const Request& request) const {
        if (!request.headers.find("Authorization")) {
            if (const auto token = session_token(request.headers)) {
                if (const auto session = api_.sessions.holder_of(*token)) {
                    return private_answer(json(200, session_json(*session)));
                }
            }
        }
        return private_answer(json(200, keyed_json(request)));
    }

    [[nodiscard]] Response log_out(const Request& request) const {
        Response response = no_content();
        response.headers.add("Set-Cookie", set_session_cookie("", {}));
        const auto token = session_token(request.headers);
        const auto session = token ? api_.sessions.holder_of(*token) : std::nullopt;
        if (!session) return response;
        if (request.headers.find(csrf_header) != session->csrf_token) {
            return refused(Problem{.code = Code::csrf_token_required,
                                   .detail = "A logout needs the csrfToken of its session in the "
                                             "header Sundial-CSRF"},
                           request);
        }
        api_.sessions.log_out(*token);
        return response;
    }

private:
    /// Whether others on the network cannot read the request. A proxy may have removed the TLS.
    [[nodiscard]] bool is_private(const Request& request) const {
        if (api_.https || request.headers.find("X-Forwarded-Proto") == "https") return true;
        const auto host = parse_host(request.headers.find("Host").value_or(""));
        return host && is_loopback_host(host->host);
    }

    [[nodiscard]] Response failed(const Request& request) const {
        const auto wait =
            failures_->count(network_of(request.remote_address), api_.monotonic.now());
        if (wait > std::chrono::seconds(0)) {
            return refused(Problem{.code = Code::rate_limited,
                                   .detail = "Too many logins with keys that are not valid",
                                   .retry_after = wait},
                           request);
        }
        return refused(Problem{.code = Code::unauthenticated,
                               .detail = "This is not a valid API key. 'sundial key create' makes "
                                         "one"},
                       request);
    }

    [[nodiscard]] static Response private_answer(Response response) {
        response.headers.set("Cache-Control", "no-store");
        return response;
    }

    SessionApi api_;
    std::shared_ptr<FailureLimit> failures_ = std::make_shared<FailureLimit>(max_failed_logins);
};

}  // namespace

void add_session_routes(Router& router, SessionApi api) {
    const SessionRoutes routes(api);
    const auto add = [&](const char* method,
                         Response (SessionRoutes::*handler)(const Request&) const) {
        router.add(method, "/v1/session", handler_of(routes, handler), Effects::none);
    };
    add("POST", &SessionRoutes::log_in);
    add("GET", &SessionRoutes::show);
    add("DELETE", &SessionRoutes::log_out);
}

}  // namespace sundial::http
