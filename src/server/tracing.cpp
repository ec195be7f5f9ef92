#include "server/tracing.hpp"

#include <utility>

#include "adapters/otlp/collector.hpp"
#include "adapters/system/clocks.hpp"
#include "application/ports/failures.hpp"
#include "server/version.hpp"

namespace sundial::server {
namespace {

constexpr int first_server_error = 500;

otlp::CollectorSettings collector_settings(const Settings& settings) {
    otlp::CollectorSettings collector{.endpoint = settings.traces.endpoint,
                                      .user_agent = settings.delivery.user_agent,
                                      .ca_file = settings.delivery.ca_file};
    for (const std::string& text : settings.traces.headers) {
        if (auto header = otlp::header_in(text)) collector.headers.push_back(*std::move(header));
    }
    return collector;
}

std::chrono::nanoseconds time_of_day() { return system::real_time().time_since_epoch(); }

}  // namespace

void check_traces(const Settings& settings) {
    const Settings::Traces& traces = settings.traces;
    if (traces.endpoint.empty()) {
        if (traces.headers.empty()) return;
        throw CannotStart(
            "traces.headers: without traces.endpoint there is no request to add "
            "them to. Set both, or neither");
    }
    if (const auto defect = otlp::refuse_endpoint(traces.endpoint)) {
        throw CannotStart("traces.endpoint " + *defect);
    }
    for (const std::string& text : traces.headers) {
        if (!otlp::header_in(text)) {
            throw CannotStart(
                "traces.headers takes NAME=VALUE with commas between them; in a "
                "value, %2C is a comma");
        }
    }
}

double trace_share(const Settings& settings) {
    return settings.traces.endpoint.empty() ? 1 : settings.traces.sample;
}

Tracing::Tracing(const Settings& settings, InstanceId instance, Ids& ids, Random& random,
                 base::Log& log, http::RequestObserver& next)
    : next_(next), scheme_(settings.http.tls_cert.empty() ? "http" : "https") {
    check_traces(settings);
    if (settings.traces.endpoint.empty()) return;
    exporter_ = std::make_unique<otlp::Exporter>(
        otlp::ExporterSettings{.resource = {.service = settings.traces.service,
                                            .version = product_version(),
                                            .instance = to_string(instance)},
                               .share = settings.traces.sample},
        otlp::Exporter::World{
            .now = time_of_day,
            .ids = ids,
            .random = random,
            .log = log,
            .send = [collector = collector_settings(settings)](const std::string& body,
                                                               const std::atomic<bool>& stopping) {
                return otlp::send_batch(collector, body, stopping);
            }});
}

void Tracing::add_to(http::ServerWorld& world) {
    if (!enabled()) return;
    world.begin_span = [this](const std::optional<TraceContext>& caller) {
        return exporter_->begin(caller);
    };
}

void Tracing::answered(const http::AnsweredRequest& request) {
    next_.answered(request);
    if (!request.trace.span || !request.trace.span->sampled) return;
    const bool matched = request.route != "none";
    Span span{.name = std::string(request.method) +
                      (matched ? ' ' + std::string(request.route) : std::string()),
              .kind = Span::Kind::server,
              .context = *request.trace.span,
              .parent_id = request.trace.caller ? request.trace.caller->span_id : std::string(),
              .end = exporter_->now(),
              .failed = request.status >= first_server_error};
    span.start = span.end - request.duration;
    // "_OTHER" is the convention's word for a method that it does not know. Without the path, which
    // contains ids that users choose.
    span.attributes = {
        {"http.request.method",
         request.method == "OTHER" ? std::string("_OTHER") : std::string(request.method)},
        {"url.scheme", scheme_},
        {"http.response.status_code", std::int64_t{request.status}}};
    if (matched) span.attributes.emplace_back("http.route", std::string(request.route));
    if (span.failed) span.attributes.emplace_back("error.type", std::to_string(request.status));
    exporter_->end(std::move(span));
}

}  // namespace sundial::server
