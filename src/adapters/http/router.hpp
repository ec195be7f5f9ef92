#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/guard.hpp"
#include "adapters/http/handler.hpp"
#include "adapters/http/keyed_answers.hpp"
#include "adapters/http/message.hpp"
#include "adapters/http/schema.hpp"
#include "base/log.hpp"

namespace sundial::http {

/// Finds the handler of a request and lets through only whom the guard admits, and only what the
/// document allows: path, method, media types, query, body. Add all routes first; `handle` is
/// thread-safe.
class Router {
public:
    /// `require_if_match`: what may be told which version it is meant for must be. `keyed` answers
    /// what comes with an Idempotency-Key; null: nobody looks for one.
    Router(const ApiSchema& schema, Guard& guard, base::Log& log, bool require_if_match = false,
           const KeyedAnswers* keyed = nullptr)
        : schema_(schema),
          guard_(guard),
          log_(log),
          require_if_match_(require_if_match),
          keyed_(keyed) {}

    /// A route for `method` ("GET" answers HEAD too) on `pattern`; `{name}` stands for one segment,
    /// and a literal segment wins over it. Throws std::logic_error if the document lacks it, or the
    /// guard does not know who may use it.
    void add(std::string method, std::string pattern, Handler handler,
             Effects effects = Effects::in_store);
    /// The same where the effects depend on what is asked for.
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
    /// The handler's answer, by whichever request with this key it was given.
    [[nodiscard]] Response run(const Request& request, const Route& route) const;
    [[nodiscard]] bool lacks_version(const Request& request, const Operation& operation) const;
    [[nodiscard]] Response no_such_method(const Request& request, const Found& found) const;
    [[nodiscard]] Response no_such_route(const Request& request) const;
    /// What `answer` says; if it throws, whose fault that is.
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
