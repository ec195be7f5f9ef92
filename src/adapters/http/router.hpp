#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/handler.hpp"
#include "adapters/http/keyed_answers.hpp"
#include "adapters/http/message.hpp"
#include "adapters/http/schema.hpp"
#include "base/log.hpp"

namespace sundial::http {

/// A handler that calls a member function on a copy of `routes`.
template <class Routes>
[[nodiscard]] Handler handler_of(const Routes& routes,
                                 Response (Routes::*member)(const Request&) const) {
    return [routes, member](const Request& request) { return (routes.*member)(request); };
}

/// Finds the handler of a request. Only admitted callers pass (see Guard), and only requests that
/// the OpenAPI document allows: path, method, media types, query, body. Add all routes first;
/// `handle` is thread-safe.
class Router {
public:
    /// `require_if_match`: a request that may state its expected version must state it. `keyed`
    /// answers requests with an Idempotency-Key; if null, the header is ignored.
    Router(const ApiSchema& schema, Guard& guard, base::Log& log, bool require_if_match = false,
           const KeyedAnswers* keyed = nullptr)
        : schema_(schema),
          guard_(guard),
          log_(log),
          require_if_match_(require_if_match),
          keyed_(keyed) {}

    /// Adds a route for `method` ("GET" also answers HEAD) on `pattern`; `{name}` matches one
    /// segment, and a literal segment takes precedence. Throws std::logic_error if the OpenAPI
    /// document lacks the operation, or the guard has no rule for it.
    void add(std::string method, std::string pattern, Handler handler,
             Effects effects = Effects::in_store);
    /// The same for a handler whose effects depend on the request.
    void add(std::string method, std::string pattern, Handler handler,
             std::function<Effects(const Request&)> effects);

    [[nodiscard]] std::vector<Operation> routes() const;

    /// Never throws.
    [[nodiscard]] Response handle(Request request) const;

private:
    struct Route {
        Operation operation;
        std::vector<std::string> segments;
        Handler handler;
        std::function<Effects(const Request&)> effects;
    };
    struct Found;

    [[nodiscard]] Found find(const Request& request) const;
    [[nodiscard]] Response admit_and_answer(Request& request, const Found& found) const;
    [[nodiscard]] Response answer(Request& request, const Found& found) const;
    [[nodiscard]] Response check_and_run(Request& request, const Route& route) const;
    /// The handler's response, or if the request is heavy the work that makes it.
    [[nodiscard]] Response run(Request& request, const Route& route) const;
    /// The handler's response; if the request has a key, possibly the stored response of an earlier
    /// request.
    [[nodiscard]] Response carry_out(const Request& request, const Route& route) const;
    [[nodiscard]] static Response on_a_seat(const Request& request, std::function<Response()> work);
    /// Puts the same boundary around what the response leaves for later.
    void guard_the_rest(Response& response, const std::shared_ptr<const Request>& request) const;
    [[nodiscard]] bool lacks_version(const Request& request, const Operation& operation) const;
    [[nodiscard]] Response no_such_method(const Request& request, const Found& found) const;
    [[nodiscard]] Response no_such_route(const Request& request) const;
    /// The result of `answer`; an exception becomes the problem that names the cause.
    [[nodiscard]] Response guarded(const Request& request,
                                   const std::function<Response()>& answer) const;
    [[nodiscard]] std::shared_ptr<const Later> guarded(
        const std::shared_ptr<const Request>& request,
        const std::shared_ptr<const Later>& later) const;
    [[nodiscard]] std::shared_ptr<const Stream> guarded(
        const std::shared_ptr<const Request>& request,
        const std::shared_ptr<const Stream>& stream) const;

    const ApiSchema& schema_;
    Guard& guard_;
    base::Log& log_;
    const bool require_if_match_;
    const KeyedAnswers* const keyed_;
    std::vector<Route> routes_;
};

}  // namespace sundial::http
