#include "adapters/http/api/answers.hpp"

namespace sundial::http {
namespace {

Response with_place(int status, std::string body, Version version, std::string_view place) {
    Response response = with_etag(json(status, std::move(body)), version);
    response.headers.set("Location", std::string(place));
    return response;
}

}  // namespace

Response with_etag(Response response, Version version) {
    response.headers.set("ETag", etag(version));
    return response;
}

Response created(std::string body, Version version, std::string_view place) {
    return with_place(201, std::move(body), version, place);
}

Response accepted(std::string body, Version version, std::string_view place) {
    return with_place(202, std::move(body), version, place);
}

Response found(const Request& request, std::string body, Version version) {
    if (not_modified(request, version)) return with_etag(Response{.status = 304}, version);
    return with_etag(json(200, std::move(body)), version);
}

Response showing_secret(Response response) {
    response.secret = true;
    return response;
}

Response refused(const Error& error, const Request& request) {
    return refused(problem_of(error), request);
}

Response refused(const Problem& problem, const Request& request) {
    return to_response(problem, request);
}

}  // namespace sundial::http
