#include <sundial/client.hpp>
#include <sundial/remote.hpp>

/// Nothing listens on that port.
int main() {
    const sundial::Client client{{.server = "http://127.0.0.1:1", .retry = {.max_attempts = 1}}};
    const auto answer = client.call({.path = "/v1/info"});
    const auto two_lines = client.call({.path = "/v1/info", .idempotency_key = "a\nb"});
    const auto event = sundial::RemoteEvents{client}.get("00000000-0000-7000-8000-000000000000");
    const auto not_json = sundial::RemoteEvents{client}.create({.type = "A", .payload = "{"});
    return !event && event.error().code == "UNREACHABLE" && !not_json &&
                   not_json.error().code == "VALIDATION_FAILED" && !answer &&
                   answer.error().code == "UNREACHABLE" && !two_lines &&
                   two_lines.error().code == "VALIDATION_FAILED"
               ? 0
               : 1;
}
