#include <sundial/client.hpp>

/// Nothing listens on that port.
int main() {
    const sundial::Client client{{.server = "http://127.0.0.1:1", .retry = {.max_attempts = 1}}};
    const auto answer = client.call({.path = "/v1/info"});
    const auto two_lines = client.call({.path = "/v1/info", .idempotency_key = "a\nb"});
    return !answer && answer.error().code == "UNREACHABLE" && !two_lines &&
                   two_lines.error().code == "VALIDATION_FAILED"
               ? 0
               : 1;
}
