#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sundial::otlp {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct CollectorSettings {
    std::string endpoint;  // http://collector:4318, without /v1/traces
    Headers headers{};
    std::string user_agent = "sundial/1";
    std::string ca_file{};                      // empty: the system's certificates
    std::chrono::milliseconds timeout{10'000};  // of one request, OTLP's default
};

/// Why `endpoint` cannot be used; empty if it can.
[[nodiscard]] std::optional<std::string> refuse_endpoint(const std::string& endpoint);
/// "Authorization=Bearer%20x", percent-encoded as in OTEL_EXPORTER_OTLP_HEADERS; empty if it is
/// something else.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> header_in(std::string_view text);

/// The meaning of a response for the batch that was sent.
struct Receipt {
    enum class Result : std::uint8_t { accepted, repeat, refused };
    Result result = Result::repeat;
    std::optional<std::chrono::milliseconds> after{};  // at least, before it is repeated
    std::uint64_t rejected = 0;  // spans of an accepted batch that the collector rejected
    std::string reason{};        // for people: why it was not accepted
};

/// Sends one batch and waits, but not longer than the timeout, or until `stopping`. Never throws.
[[nodiscard]] Receipt send_batch(const CollectorSettings& settings, const std::string& body,
                                 const std::atomic<bool>& stopping);

/// The meaning of a response by the protocol: 429, 502, 503 and 504 may be repeated, no other
/// error.
[[nodiscard]] Receipt receipt_of(long status, const std::string& retry_after,
                                 const std::string& body);

}  // namespace sundial::otlp
