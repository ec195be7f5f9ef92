#include "adapters/http/api/health_routes.hpp"

#include "adapters/http/api/answers.hpp"

namespace sundial::http {

void add_health_routes(Router& router, HealthApi api) {
    // That a thread of the pool runs this is the answer: connections turn and handlers are free.
    router.add("GET", "/livez", [](const Request&) { return text(200, "text/plain", "alive\n"); });
    router.add("GET", "/readyz", [api](const Request& request) {
        const auto reason = api.unready();
        if (reason) return refused({.code = Code::not_ready, .detail = *reason}, request);
        return text(200, "text/plain", "ready\n");
    });
    router.add("GET", "/openapi.json",
               [api](const Request&) { return json(200, std::string(api.openapi)); });
}

}  // namespace sundial::http
