#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "application/observation/observer.hpp"
#include "application/ports/tracer.hpp"
#include "domain/ids.hpp"

namespace sundial {

/// Makes spans of what the engine does: claims, attempts, settlements. Their times are the
/// database's, so the spans of several instances are in order. Keeps no state: the event determines
/// the ids of its spans.
class TracedEngine final : public EngineObserver {
public:
    /// `share`: of the traces that begin here.
    TracedEngine(Tracer& tracer, InstanceId instance, double share)
        : tracer_(tracer), instance_(instance), share_(share) {}

    void claimed(std::size_t events, std::size_t lost_attempts, Instant at,
                 std::chrono::microseconds duration) override;
    void delivered(const AttemptEnded& attempt_ended) override;
    void settled(const AttemptSettled& attempt_settled) override;

private:
    /// The span of the attempt, without its end and its result.
    [[nodiscard]] Span attempt_of(const Event& event, Instant started_at) const;

    Tracer& tracer_;
    const InstanceId instance_;
    const double share_;
};

/// Host and port of a URL that the rules of webhooks permit; the port is empty if the URL has none.
struct HostOfUrl {
    std::string host, port;
};
[[nodiscard]] HostOfUrl host_of_url(std::string_view url);

}  // namespace sundial
