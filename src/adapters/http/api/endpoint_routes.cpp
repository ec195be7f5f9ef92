#include <vector>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/paging.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/routes.hpp"

namespace sundial::http {
namespace {

constexpr std::string_view endpoint_by_external_id = "ext:";

/// The required members of a whole endpoint, on a route that also accepts a partial body, and an
/// external id that contradicts the path.
std::vector<FieldError> refuse_whole(const NewEndpoint& endpoint, const std::string& external_id) {
    std::vector<FieldError> errors;
    const auto require = [&](const std::string& text, const char* pointer) {
        if (text.empty())
            errors.push_back(
                {pointer, "required", "is required to create or replace a whole endpoint"});
    };
    require(endpoint.name, "/name");
    require(endpoint.type.value, "/type");
    if (endpoint.external_id.value_or(external_id) != external_id) {
        errors.push_back({"/externalId", "not_allowed",
                          "the path has another externalId; to change an endpoint's externalId, "
                          "PUT or PATCH the endpoint by its id"});
    }
    return errors;
}

class EndpointRoutes {
public:
    explicit EndpointRoutes(EndpointApi api) : api_(api), options_(api.endpoints.kinds.options()) {}

    [[nodiscard]] Response list(const Request& request) const {
        const auto page = page_request(request, SortValue::number);
        if (!page) return refused(page.error(), request);
        EndpointQuery query;
        if (const auto type = request.query_value("type"))
            query.type = EndpointType{std::string{*type}};
        query.enabled = truth_value(request, "enabled");
        query.prefix = text_value(request, "q");
        query.page = *page;

        const Page<Endpoint> endpoints = api_.queries.endpoints(query);
        std::vector<EndpointId> ids;
        ids.reserve(endpoints.items.size());
        for (const Endpoint& endpoint : endpoints.items) ids.push_back(endpoint.id);
        const Circuits circuits = api_.queries.circuits(ids);
        const auto write_row = [&, i = std::size_t{0}](base::JsonWriter& json,
                                                       const Endpoint& endpoint) mutable {
            json.raw(endpoint_json(endpoint, {circuits.circuits[i++], circuits.now, api_.circuit}));
            return PageKey{std::to_string(endpoint.created_at.time_since_epoch().count()),
                           endpoint.id.value};
        };
        return page_response(endpoints, request, write_row);
    }

    [[nodiscard]] Response create(const Request& request) const {
        const auto requested = new_endpoint(*request.json, api_.default_timeout, options_);
        if (!requested) return refused(requested.error(), request);
        const auto made = api_.endpoints.create.run(*requested, caller_of(request));
        if (!made) return refused(made.error(), request);
        return created_answer(made->endpoint, made->secret);
    }

    [[nodiscard]] Response get(const Request& request) const {
        const auto endpoint = api_.queries.endpoint(request.path_value("id"));
        if (!endpoint) return refused(endpoint.error(), request);
        return found(request, endpoint_json(*endpoint, circuit_of(*endpoint)), endpoint->version);
    }

    [[nodiscard]] Response patch(const Request& request) const {
        auto edit = endpoint_edit(*request.json, options_);
        if (!edit) return refused(edit.error(), request);
        edit->retry_waiting = truth_value(request, "retryWaiting").value_or(false);
        const auto endpoint = api_.endpoints.edit.run(request.path_value("id"), *edit,
                                                      expected(request), caller_of(request));
        if (!endpoint) return refused(endpoint.error(), request);
        return with_etag(json(200, endpoint_json(*endpoint, circuit_of(*endpoint))),
                         endpoint->version);
    }

    [[nodiscard]] Response put(const Request& request) const {
        const std::string& id = request.path_value("id");
        return id.starts_with(endpoint_by_external_id)
                   ? put_whole(request, id.substr(endpoint_by_external_id.size()))
                   : patch(request);
    }

    [[nodiscard]] Response remove(const Request& request) const {
        const bool cancels = truth_value(request, "cancelEvents").value_or(false);
        const auto done = api_.endpoints.remove.run(
            request.path_value("id"),
            cancels ? EventsOfEndpoint::cancelled : EventsOfEndpoint::prevent, expected(request),
            caller_of(request));
        return done ? no_content() : refused(done.error(), request);
    }

    [[nodiscard]] Response rotate(const Request& request) const {
        const auto decoded = request.json ? rotation(*request.json) : Result<Rotation>(Rotation{});
        if (!decoded) return refused(decoded.error(), request);
        const auto made = api_.endpoints.rotate.run(request.path_value("id"), *decoded,
                                                    expected(request), caller_of(request));
        if (!made) return refused(made.error(), request);
        return showing_secret(with_etag(
            json(200, endpoint_json(made->endpoint, circuit_of(made->endpoint), made->secret)),
            made->endpoint.version));
    }

    [[nodiscard]] Response test(const Request& request) const {
        const auto tested = api_.endpoints.test.run(request.path_value("id"), caller_of(request));
        return tested ? json(200, test_json(*tested)) : refused(tested.error(), request);
    }

    [[nodiscard]] Response read_inbox(const Request& request) const {
        const auto page = page_request(request, SortValue::none);
        if (!page) return refused(page.error(), request);
        const auto received = api_.endpoints.read_inbox.run(request.path_value("id"), *page);
        if (!received) return refused(received.error(), request);
        return page_response(*received, request, [](auto& json, const CheckedRequest& one) {
            json.raw(inbox_json(one));
            return PageKey{.value = {}, .id = one.received.id};
        });
    }

    [[nodiscard]] Response clear_inbox(const Request& request) const {
        const auto done = api_.endpoints.clear_inbox.run(request.path_value("id"));
        return done ? no_content() : refused(done.error(), request);
    }

private:
    [[nodiscard]] Response put_whole(const Request& request, const std::string& external_id) const {
        const auto requested = new_endpoint(*request.json, api_.default_timeout, options_);
        if (!requested) return refused(requested.error(), request);
        if (auto errors = refuse_whole(*requested, external_id); !errors.empty()) {
            return refused(validation_failed(std::move(errors)), request);
        }
        const auto put =
            api_.endpoints.put.run(external_id, *requested, expected(request), caller_of(request),
                                   truth_value(request, "retryWaiting").value_or(false));
        if (!put) return refused(put.error(), request);
        if (put->created) return created_answer(put->endpoint, put->secret);
        return with_etag(json(200, endpoint_json(put->endpoint, circuit_of(put->endpoint))),
                         put->endpoint.version);
    }

    [[nodiscard]] Response created_answer(const Endpoint& endpoint,
                                          const std::string& secret) const {
        Response response = created(endpoint_json(endpoint, circuit_of(endpoint), secret),
                                    endpoint.version, "/v1/endpoints/" + to_string(endpoint.id));
        response.secret = !secret.empty();
        return response;
    }

    [[nodiscard]] CircuitShown circuit_of(const Endpoint& endpoint) const {
        const Circuits found = api_.queries.circuits(std::vector{endpoint.id});
        return {found.circuits.front(), found.now, api_.circuit};
    }
    [[nodiscard]] std::optional<Version> expected(const Request& request) const {
        return expected_version(request, [&]() -> std::optional<Version> {
            const auto endpoint = api_.queries.endpoint(request.path_value("id"));
            return endpoint ? std::optional(endpoint->version) : std::nullopt;
        });
    }

    EndpointApi api_;
    std::vector<std::string> options_;  // of all types
};

}  // namespace

void add_endpoint_routes(Router& router, EndpointApi api) {
    const EndpointRoutes routes(api);
    const auto add = [&](std::string method, std::string pattern,
                         Response (EndpointRoutes::*handler)(const Request&) const,
                         Effects effects = Effects::in_store) {
        router.add(std::move(method), std::move(pattern), handler_of(routes, handler), effects);
    };
    add("GET", "/v1/endpoints", &EndpointRoutes::list);
    add("POST", "/v1/endpoints", &EndpointRoutes::create);
    add("GET", "/v1/endpoints/{id}", &EndpointRoutes::get);
    add("PATCH", "/v1/endpoints/{id}", &EndpointRoutes::patch);
    add("PUT", "/v1/endpoints/{id}", &EndpointRoutes::put);
    add("DELETE", "/v1/endpoints/{id}", &EndpointRoutes::remove, Effects::in_batches);
    add("POST", "/v1/endpoints/{id}/rotate-secret", &EndpointRoutes::rotate);
    add("POST", "/v1/endpoints/{id}/test", &EndpointRoutes::test, Effects::outside);
    add("GET", "/v1/endpoints/{id}/inbox", &EndpointRoutes::read_inbox);
    add("DELETE", "/v1/endpoints/{id}/inbox", &EndpointRoutes::clear_inbox);
}

}  // namespace sundial::http
