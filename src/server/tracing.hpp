#pragma once

#include <memory>
#include <string>

#include "adapters/http/server.hpp"
#include "adapters/otlp/exporter.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/tracer.hpp"
#include "base/log.hpp"
#include "server/settings.hpp"

namespace sundial::server {

/// Throws CannotStart for settings with which no trace can be sent.
void check_traces(const Settings& settings);

/// The traces of this process: their exporter, and the spans of requests. Without
/// `traces.endpoint` it records nothing.
class Tracing final : public http::RequestObserver {
public:
    /// `next` gets each call, too. Throws CannotStart.
    Tracing(const Settings& settings, InstanceId instance, Ids& ids, Random& random, base::Log& log,
            http::RequestObserver& next);

    [[nodiscard]] bool enabled() const { return exporter_ != nullptr; }
    [[nodiscard]] Tracer& tracer() {
        if (exporter_) return *exporter_;
        return no_tracer;
    }
    /// Meaningless without an exporter.
    [[nodiscard]] otlp::ExportCounts counts() const { return exporter_->counts(); }
    /// Adds what makes the server begin a span for each request.
    void add_to(http::ServerWorld& world);

    void answered(const http::AnsweredRequest& request) override;
    void note_shortage(http::Shortage of) override { next_.note_shortage(of); }

private:
    http::RequestObserver& next_;
    const std::string scheme_;
    std::unique_ptr<otlp::Exporter> exporter_;
};

/// The share of new traces that is sampled. Without an exporter all are, so that receivers decide.
[[nodiscard]] double trace_share(const Settings& settings);

}  // namespace sundial::server
