#include "adapters/http/router.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "adapters/http/problem.hpp"
#include "application/ports/failures.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"

namespace sundial::http {
namespace {

/// Splits first and decodes then: an escaped slash stays inside its segment.
std::vector<std::string> segments_of(std::string_view path) {
    std::vector<std::string> segments;
    path = path.substr(0, path.find('?'));
    while (path.starts_with('/')) {
        path.remove_prefix(1);
        const std::string_view segment = path.substr(0, path.find('/'));
        segments.push_back(percent_decoded(segment, false).value_or(std::string(segment)));
        path.remove_prefix(segment.size());
    }
    return segments;
}

bool is_parameter(std::string_view segment) {
    return segment.starts_with('{') && segment.ends_with('}');
}

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& segments) {
    return std::ranges::equal(pattern, segments, [](const auto& expected, const auto& actual) {
        return is_parameter(expected) ? !actual.empty() : expected == actual;
    });
}

/// A literal takes precedence over a parameter; the leftmost difference decides.
bool more_literal(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::ranges::lexicographical_compare(a, b, {}, is_parameter, is_parameter);
}

std::string all_fields(const Headers& headers, std::string_view name) {
    std::string joined;
    for (const Parameter& field : headers.all()) {
        if (!same_ignoring_case(field.name, name)) continue;
        if (!joined.empty()) joined += ',';
        joined += field.value;
    }
    return joined;
}

std::string list_of(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

/// Forty members for each of a thousand items.
constexpr JsonLimits of_batches{.members = 40'000};

/// Moves the errors within items of the array `batch` out of `errors`, by item, with pointers
/// relative to the item.
std::map<std::size_t, std::vector<FieldError>> take_those_of_items(std::vector<FieldError>& errors,
                                                                   const std::string& batch) {
    std::map<std::size_t, std::vector<FieldError>> of_items;
    const std::string array = '/' + batch + '/';
    std::erase_if(errors, [&](FieldError& error) {
        if (!error.pointer.starts_with(array)) return false;
        std::size_t item = 0;
        const char* const begin = error.pointer.data();
        const char* const end = begin + error.pointer.size();
        const char* const rest = std::from_chars(begin + array.size(), end, item).ptr;
        of_items[item].push_back(
            {std::string(rest, end), std::move(error.code), std::move(error.message)});
        return true;
    });
    return of_items;
}

Problem not_acceptable(const std::vector<std::string>& types) {
    return {.code = Code::not_acceptable, .detail = "This route answers with " + list_of(types)};
}

Problem unsupported_media_type(const std::vector<std::string>& types) {
    return {.code = Code::unsupported_media_type,
            .detail = "Send the body with Content-Type: " + list_of(types) + " (UTF-8)"};
}

Response precondition_required(const Request& request) {
    return to_response(
        {.code = Code::precondition_required,
         .detail =
             "Send the version that the edit is based on as If-Match: \"3\", or * for any version"},
        request);
}

/// Only the body of an append to a stream has this member in the OpenAPI document.
bool names_version(const JsonBody& body) { return body.raw_member("expectedVersion").has_value(); }

}  // namespace

struct Router::Found {
    const Route* route = nullptr;        // for the requested method
    const Route* path = nullptr;         // any route of the pattern
    std::vector<std::string> allowed{};  // methods that the pattern allows
    std::vector<std::string> segments{};

    /// The id of the requested object, if Sundial assigned it. Names that users choose may contain
    /// personal data, so they are not logged.
    [[nodiscard]] std::string subject() const {
        if (path == nullptr) return {};
        for (std::size_t i = 0; i < segments.size(); ++i) {
            if (path->segments[i] == "{id}" && base::parse_uuid(segments[i])) return segments[i];
        }
        return {};
    }
};

void Router::add(std::string method, std::string pattern, Handler handler, Effects effects) {
    add(std::move(method), std::move(pattern), std::move(handler),
        [effects](const Request&) { return effects; });
}

void Router::add(std::string method, std::string pattern, Handler handler,
                 std::function<Effects(const Request&)> effects) {
    Operation operation{std::move(method), std::move(pattern)};
    if (!schema_.has(operation)) {
        throw std::logic_error("route " + operation.method + " " + operation.pattern +
                               " is not in openapi.json");
    }
    if (!guard_.knows(operation)) {
        throw std::logic_error("no access rule exists for " + operation.method + " " +
                               operation.pattern +
                               ": add it to the table in adapters/http/api/access_rules.cpp");
    }
    auto segments = segments_of(operation.pattern);
    routes_.push_back(
        {std::move(operation), std::move(segments), std::move(handler), std::move(effects)});
}

std::vector<Operation> Router::routes() const {
    std::vector<Operation> operations;
    operations.reserve(routes_.size());
    for (const Route& route : routes_) operations.push_back(route.operation);
    std::ranges::sort(operations);
    return operations;
}

Response Router::handle(Request request) const {
    const Found found = find(request);
    if (found.path != nullptr) request.route = found.path->operation.pattern;
    Response response = admit_and_answer(request, found);
    response.route = request.route;
    response.actor = request.actor;
    response.subject = found.subject();
    if (response.later || response.stream) {
        guard_the_rest(response, std::make_shared<const Request>(std::move(request)));
    }
    return response;
}

void Router::guard_the_rest(Response& response,
                            const std::shared_ptr<const Request>& request) const {
    if (response.later) response.later = guarded(request, response.later);
    if (response.stream) response.stream = guarded(request, response.stream);
}

Response Router::on_a_seat(const Request& request, std::function<Response()> work) {
    Response response;
    response.heavy = std::make_shared<const HeavyWork>(HeavyWork{request.actor, std::move(work)});
    return response;
}

Router::Found Router::find(const Request& request) const {
    Found found{.segments = segments_of(request.target)};
    for (const Route& route : routes_) {
        if (!matches(route.segments, found.segments)) continue;
        if (found.path == nullptr || more_literal(route.segments, found.path->segments)) {
            found.path = &route;
        }
    }
    if (found.path == nullptr) return found;
    const std::string method = request.method == "HEAD" ? "GET" : request.method;
    for (const Route& route : routes_) {
        if (route.segments != found.path->segments) continue;
        if (route.operation.method == method) found.route = &route;
        found.allowed.push_back(route.operation.method);
        if (route.operation.method == "GET") found.allowed.emplace_back("HEAD");
    }
    std::ranges::sort(found.allowed);
    return found;
}

Response Router::admit_and_answer(Request& request, const Found& found) const {
    return guarded(request, [&] {
        Admission admission =
            guard_.admit(request, found.route ? &found.route->operation : nullptr);
        Response response =
            admission.refused ? *std::move(admission.refused) : answer(request, found);
        for (const Parameter& field : admission.headers.all()) {
            response.headers.add(field.name, field.value);
        }
        return response;
    });
}

std::shared_ptr<const Later> Router::guarded(const std::shared_ptr<const Request>& request,
                                             const std::shared_ptr<const Later>& later) const {
    auto answer = [this, request, later](bool last) {
        auto work = [this, request, later, last] {
            Response response = guarded(*request, [&] { return later->answer(last); });
            if (response.later) response.later = guarded(request, response.later);
            return response;
        };
        return request->heavy ? on_a_seat(*request, std::move(work)) : work();
    };
    return std::make_shared<const Later>(
        Later{later->at_most, later->listen, std::move(answer), later->check_after});
}

std::shared_ptr<const Stream> Router::guarded(const std::shared_ptr<const Request>& request,
                                              const std::shared_ptr<const Stream>& stream) const {
    auto next = [this, request, stream] {
        auto work = [this, request, stream] {
            return guarded(*request, [&] {
                if (guard_.still_admits(*request)) return stream->next();
                return Response{.status = 401};  // ends the stream
            });
        };
        return request->heavy ? on_a_seat(*request, std::move(work)) : work();
    };
    return std::make_shared<const Stream>(
        Stream{stream->at_most, stream->idle, stream->listen, std::move(next)});
}

/// The boundary for all three kinds of failure: the client always gets a problem.
Response Router::guarded(const Request& request, const std::function<Response()>& answer) const {
    const auto log = [&](base::LogLevel level, std::string message, std::string_view error) {
        log_.write({.level = level,
                    .event_name = "",
                    .message = std::move(message),
                    .correlation_id = request.correlation_id,
                    .fields = {{"method", request.method},
                               {"route", request.route},
                               {"error", std::string(error)}}});
    };
    const auto internal_error = [&](std::string_view error) {
        log(base::LogLevel::error, "a request failed because of an internal error", error);
        return to_response({.code = Code::internal_error,
                            .detail = "An internal error occurred; the server's log has details "
                                      "under this correlationId"},
                           request);
    };
    try {
        return answer();
    } catch (const OutcomeUnknown& error) {
        log(base::LogLevel::warn, "the outcome of a request is unknown", error.what());
        return to_response({.code = Code::commit_outcome_unknown,
                            .detail = "The database did not confirm the change, so it may or may "
                                      "not have happened; check before you repeat the request"},
                           request);
    } catch (const Unavailable& error) {
        log(base::LogLevel::warn, "a request failed because storage is unavailable", error.what());
        return to_response({.code = Code::storage_unavailable,
                            .detail = "The database did not answer; send the request again later"},
                           request);
    } catch (const std::exception& error) {
        return internal_error(error.what());
    } catch (...) {
        return internal_error("not a std::exception");
    }
}

Response Router::answer(Request& request, const Found& found) const {
    if (found.path == nullptr) return no_such_route(request);
    if (found.route == nullptr) return no_such_method(request, found);
    for (std::size_t i = 0; i < found.segments.size(); ++i) {
        const std::string& name = found.route->segments[i];
        if (!is_parameter(name)) continue;
        request.path_parameters.push_back({name.substr(1, name.size() - 2), found.segments[i]});
    }
    return check_and_run(request, *found.route);
}

Response Router::no_such_method(const Request& request, const Found& found) const {
    const Problem problem{
        .code = Code::method_not_allowed,
        .detail = request.path + " allows " + list_of(found.allowed) + ", not " + request.method,
        .members = {{"allow", found.allowed}}};
    Response response = to_response(problem, request);
    response.headers.set("Allow", list_of(found.allowed));
    return response;
}

Response Router::no_such_route(const Request& request) const {
    std::vector<std::string> patterns;
    patterns.reserve(routes_.size());
    for (const Route& route : routes_) patterns.push_back(route.operation.pattern);
    const auto meant = base::nearest(request.path, patterns);
    return to_response({.code = Code::route_not_found,
                        .detail = "There is no route " + request.path +
                                  (meant ? "; did you mean " + *meant + "?" : "")},
                       request);
}

/// For operations that change something with a version.
bool Router::lacks_version(const Request& request, const Operation& operation) const {
    const auto& fields = schema_.version_fields(operation);
    if (!require_if_match_ || std::ranges::find(fields, "If-Match") == fields.end()) return false;
    return std::ranges::none_of(
        fields, [&](const std::string& name) { return request.headers.find(name).has_value(); });
}

Response Router::check_and_run(Request& request, const Route& route) const {
    const Operation& operation = route.operation;
    const auto& answers = schema_.response_types(operation);
    if (!acceptable(all_fields(request.headers, "Accept"), answers)) {
        return to_response(not_acceptable(answers), request);
    }
    const bool needs_version = lacks_version(request, operation);
    if (needs_version && request.body.empty()) return precondition_required(request);
    const auto& types = schema_.request_types(operation);
    if (!request.body.empty() && types.empty()) {
        return to_response(
            validation_failed({{"", "not_allowed", "this operation takes no request body"}}),
            request);
    }
    if (auto errors = schema_.check_query(operation, request.query); !errors.empty()) {
        return to_response(validation_failed(std::move(errors)), request);
    }
    if (types.empty() || (request.body.empty() && !schema_.body_required(operation))) {
        return run(request, route);
    }
    const std::string type = media_type_of(request.headers.find("Content-Type").value_or(""));
    if (std::ranges::find(types, type) == types.end()) {
        return to_response(unsupported_media_type(types), request);
    }
    if (is_json(type)) {
        const std::string& batch = schema_.batch_of(operation);
        const auto body = JsonBody::read(request.body, batch.empty() ? JsonLimits{} : of_batches);
        if (!body) return to_response(body.error(), request);
        if (needs_version && !names_version(*body)) return precondition_required(request);
        auto errors = schema_.check_body(operation, *body);
        if (!batch.empty()) request.refused_items = take_those_of_items(errors, batch);
        if (!errors.empty()) return to_response(validation_failed(std::move(errors)), request);
        request.json = std::make_shared<const JsonBody>(*body);
    }
    return run(request, route);
}

Response Router::run(Request& request, const Route& route) const {
    // A request with an effect may hold locks, so it gets no lower priority.
    const bool has_effect = may_have_key(request.method) && route.effects(request) != Effects::none;
    request.heavy = request.heavy && !has_effect;
    if (!request.heavy) return carry_out(request, route);
    const auto asked = std::make_shared<const Request>(request);
    return on_a_seat(request, [this, asked, &route] {
        Response response = guarded(*asked, [&] { return carry_out(*asked, route); });
        guard_the_rest(response, asked);
        return response;
    });
}

Response Router::carry_out(const Request& request, const Route& route) const {
    if (keyed_ == nullptr || !may_have_key(request.method)) return route.handler(request);
    if (request.headers.find("Idempotency-Key")) {
        const Effects effects = route.effects(request);
        return effects == Effects::none ? route.handler(request)
                                        : keyed_->answer(request, route.handler, effects);
    }
    return schema_.requires_key(route.operation) ? key_missing(request) : route.handler(request);
}

}  // namespace sundial::http
