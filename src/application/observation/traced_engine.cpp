#include "application/observation/traced_engine.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace sundial {
namespace {

using std::chrono::nanoseconds;

nanoseconds since_1970(Instant instant) { return instant.time_since_epoch(); }

void set(Span& span, std::string name, SpanValue value) {
    span.attributes.emplace_back(std::move(name), std::move(value));
}

/// The receiver, as the conventions for HTTP clients name it; the URL may have a secret in it.
void set_receiver(Span& span, const Endpoint& endpoint) {
    set(span, "sundial.endpoint.id", to_string(endpoint.id));
    const auto [host, port] = host_of_url(endpoint.url);
    if (host.empty()) return;
    span.kind = Span::Kind::client;
    set(span, "server.address", host);
    std::int64_t number = endpoint.url.starts_with("http:") ? 80 : 443;
    std::from_chars(port.data(), port.data() + port.size(), number);
    set(span, "server.port", number);
}

void set_outcome(Span& span, const Outcome& outcome) {
    if (outcome.status_code) {
        set(span, "http.request.method", std::string("POST"));
        set(span, "http.response.status_code", std::int64_t{*outcome.status_code});
    }
    if (outcome.verdict == Verdict::accepted) return;
    span.failed = true;
    const std::string code = outcome.error ? std::string(to_string(*outcome.error)) : "REFUSED";
    set(span, "error.type", outcome.status_code ? std::to_string(*outcome.status_code) : code);
    span.failure = code;
}

}  // namespace

HostOfUrl host_of_url(std::string_view url) {
    const auto scheme = url.find("://");
    if (!url.starts_with("http") || scheme == std::string_view::npos) return {};
    url.remove_prefix(scheme + 3);
    url = url.substr(0, url.find_first_of("/?#"));
    if (const auto at = url.rfind('@'); at != std::string_view::npos) url.remove_prefix(at + 1);
    const auto bracket = url.starts_with('[') ? url.find(']') : std::string_view::npos;
    const auto colon = url.find(':', bracket == std::string_view::npos ? 0 : bracket);
    std::string_view host = url.substr(0, colon);
    if (bracket != std::string_view::npos) host = url.substr(1, bracket - 1);
    return {std::string(host),
            colon == std::string_view::npos ? std::string() : std::string(url.substr(colon + 1))};
}

void TracedEngine::claimed(std::size_t events, std::size_t lost_attempts, Instant at,
                           std::chrono::microseconds duration) {
    Span span{.name = "claim", .context = claim_context(instance_, at, share_)};
    if (!span.context.sampled) return;
    span.start = since_1970(at);
    span.end = span.start + duration;
    set(span, "sundial.claim.events", static_cast<std::int64_t>(events));
    set(span, "sundial.claim.lost_attempts", static_cast<std::int64_t>(lost_attempts));
    tracer_.end(std::move(span));
}

Span TracedEngine::attempt_of(const Event& event, Instant started_at) const {
    Span span{.name = "deliver " + event.type,
              .context = attempt_context(event, share_),
              .parent_id = event.trace ? event.trace->span_id : std::string(),
              .start = since_1970(started_at)};
    set(span, "sundial.event.id", to_string(event.id));
    set(span, "sundial.event.type", event.type);
    set(span, "sundial.event.attempt", std::int64_t{event.attempt.value});
    if (event.occurrence) set(span, "sundial.schedule.id", to_string(event.occurrence->schedule));
    if (is_claimed(event)) {
        const auto& by = std::get<Processing>(event.state).claimed_by;
        const TraceContext claim = claim_context(by->instance, event.updated_at, share_);
        if (claim.sampled) span.links.push_back(claim);
    }
    return span;
}

void TracedEngine::delivered(const AttemptEnded& attempt_ended) {
    const auto& [event, endpoint, outcome, started_at, lateness] = attempt_ended;
    if (held_by_worker(event)) return;  // its settlement makes the span, also without an endpoint
    Span span = attempt_of(event, started_at);
    if (!span.context.sampled) return;
    span.end = span.start + outcome.duration;
    const auto late = std::chrono::floor<std::chrono::milliseconds>(lateness);
    set(span, "sundial.lateness_ms", std::int64_t{late.count()});
    if (endpoint != nullptr) set_receiver(span, *endpoint);
    set_outcome(span, outcome);
    tracer_.end(std::move(span));
}

void TracedEngine::settled(const AttemptSettled& attempt_settled) {
    const auto& [event, status, duration, at, started_at] = attempt_settled;
    const TraceContext attempt = attempt_context(event, share_);
    if (!attempt.sampled || !started_at) return;
    if (held_by_worker(event)) {  // a pull worker reports when it has finished
        Span span = attempt_of(event, *started_at);
        span.end = since_1970(at);
        span.failed = status != EventStatus::completed;
        tracer_.end(std::move(span));
    }
    const auto context = tracer_.begin(attempt);
    if (!context) return;
    Span span{.name = "settle", .context = *context, .parent_id = attempt.span_id};
    span.end = since_1970(at);
    span.start = std::min<nanoseconds>(since_1970(*started_at) + duration, span.end);
    set(span, "sundial.event.id", to_string(event.id));
    set(span, "sundial.event.status", std::string(to_string(status)));
    tracer_.end(std::move(span));
}

}  // namespace sundial
