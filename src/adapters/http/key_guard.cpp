#include "adapters/http/key_guard.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "adapters/http/api/access_rules.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/session_cookie.hpp"
#include "adapters/http/trusted_proxies.hpp"

namespace sundial::http {
namespace {

constexpr std::size_t max_failures = 10;  // of one network in a minute

/// The handle of every caller while no key exists.
constexpr std::string_view no_handle = "";

/// The token in the single Authorization field; null if the field is absent, empty if it contains
/// no key.
std::optional<std::string_view> shown_key(const Headers& headers) {
    const auto is_authorization = [](const Parameter& field) {
        return same_ignoring_case(field.name, "Authorization");
    };
    const auto count = std::ranges::count_if(headers.all(), is_authorization);
    if (count == 0) return std::nullopt;
    constexpr std::string_view scheme = "Bearer ";
    const std::string_view field = headers.find("Authorization").value_or("");
    if (count > 1 || !same_ignoring_case(field.substr(0, scheme.size()), scheme)) return "";
    return field.substr(scheme.size());
}

bool safe(std::string_view method) { return method == "GET" || method == "HEAD"; }

}  // namespace

KeyGuard::KeyGuard(KeyGuardSettings settings, ApiKeyRing& keys, const MonotonicClock& monotonic,
                   BrowserRules browsers, Sessions* sessions)
    : settings_(settings),
      browsers_(std::move(browsers)),
      keys_(keys),
      sessions_(sessions),
      monotonic_(monotonic),
      failures_(max_failures),
      requests_(settings.requests_per_second) {}

bool KeyGuard::knows(const Operation& operation) const { return access_rule(operation) != nullptr; }

Admission KeyGuard::admit(Request& request, const Operation* operation) {
    const AccessRule* const rule = operation ? access_rule(*operation) : nullptr;
    const bool open_route = rule && !rule->role;
    if (needs_no_key(open_route)) {
        if (const auto refusal = browsers_.refusal(request)) {
            return {.refused = to_response(*refusal, request)};
        }
    }
    if (open_route) return {};
    const auto caller = who(request);
    if (!caller) return {.refused = unauthenticated(request)};
    const KeyHolder* const holder = &caller->holder;
    request.actor = holder->handle == no_handle ? "loopback" : "key:" + holder->handle;
    request.role = holder->role;
    request.heavy = rule && rule->heavy;

    Admission admission = within_rate(request, *holder);
    const auto refuse = [&](const Problem& problem) {
        if (!admission.refused) admission.refused = to_response(problem, request);
    };
    if (caller->without_csrf_token) {
        refuse({.code = Code::csrf_token_required,
                .detail = "A change by a browser that has logged in needs the csrfToken of its "
                          "session in the header Sundial-CSRF; GET /v1/session shows it"});
    }
    // RFC 8470: a request sent as early data may be a replay. With an Idempotency-Key a replay does
    // no harm.
    if (request.headers.find("Early-Data") == "1" && !safe(request.method) &&
        !request.headers.find("Idempotency-Key")) {
        refuse({.code = Code::too_early,
                .detail =
                    "This request arrived before the TLS handshake had finished; send it again"});
    }
    if (rule && holder->role < *rule->role) {
        const std::string needed{to_string(*rule->role)};
        refuse({.code = Code::forbidden,
                .detail = "This request needs an API key with the role " + needed +
                          "; this key has the role " + std::string(to_string(holder->role)),
                .members = {{"role", needed}}});
    }
    return admission;
}

bool KeyGuard::still_admits(const Request& request) {
    const auto caller = who(request);
    return caller && caller->holder.role >= request.role;
}

bool KeyGuard::needs_no_key(bool open_route) {
    if (!settings_.loopback) return false;
    return open_route ? keys_.last_known_empty().value_or(true) : keys_.empty();
}

std::optional<KeyGuard::KnownCaller> KeyGuard::who(const Request& request) {
    if (const auto key = shown_key(request.headers)) {
        auto holder = keys_.holder_of(*key);
        if (!holder) return std::nullopt;
        return KnownCaller{*std::move(holder)};
    }
    if (settings_.loopback && keys_.empty()) {
        return KnownCaller{KeyHolder{std::string(no_handle), Role::admin}};
    }
    const auto token = session_token(request.headers);
    if (!sessions_ || !token) return std::nullopt;
    const auto session = sessions_->holder_of(*token);
    if (!session) return std::nullopt;
    const bool shows_token = request.headers.find(csrf_header) == session->csrf_token;
    return KnownCaller{session->holder, !safe(request.method) && !shows_token};
}

Response KeyGuard::unauthenticated(const Request& request) {
    const auto wait = failures_.count(network_of(request.remote_address), monotonic_.now());
    if (wait > std::chrono::seconds(0)) {
        return to_response({.code = Code::rate_limited,
                            .detail = "Too many requests without a valid API key",
                            .retry_after = wait},
                           request);
    }
    Response response = to_response(
        {.code = Code::unauthenticated,
         .detail =
             "This request needs a valid API key; send it as Authorization: Bearer sundial_sk_…"},
        request);
    response.headers.set("WWW-Authenticate", "Bearer");
    return response;
}

/// The header fields are those of the IETF draft "RateLimit header fields for HTTP".
Admission KeyGuard::within_rate(const Request& request, const KeyHolder& holder) {
    if (settings_.requests_per_second == 0 || holder.handle == no_handle) return {};
    const auto token = requests_.take(holder.handle, monotonic_.now());
    Admission admission;
    if (!token.taken) {
        admission.refused = to_response(
            {.code = Code::rate_limited,
             .detail = "A key may make " + std::to_string(settings_.requests_per_second) +
                       " requests a second"},
            request);
    }
    admission.headers.set("RateLimit-Policy",
                          R"("key";q=)" + std::to_string(settings_.requests_per_second) + ";w=1");
    admission.headers.set("RateLimit", R"("key";r=)" + std::to_string(token.left) + ";t=1");
    return admission;
}

}  // namespace sundial::http
