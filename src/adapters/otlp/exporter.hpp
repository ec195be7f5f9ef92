#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "adapters/otlp/collector.hpp"
#include "adapters/otlp/span_json.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/tracer.hpp"
#include "base/log.hpp"

namespace sundial::otlp {

struct ExporterSettings {
    Resource resource{};
    double share = 1;           // sampled, of the traces that begin here
    std::size_t queue = 4'096;  // maximum of queued spans: those of a second at 4,000 a second
    std::size_t batch = 512;    // OpenTelemetry's default
    std::chrono::milliseconds delay{1'000};  // maximum wait before an incomplete batch is sent
    std::chrono::milliseconds first_pause{1'000};   // before a batch is repeated; doubles
    std::size_t tries = 5;                          // of one batch, which is then dropped
    std::chrono::milliseconds flush_within{2'000};  // for queued spans when the process stops
};

/// Counts of spans since the start, by their outcome.
struct ExportCounts {
    std::uint64_t exported = 0;
    std::uint64_t queue_full = 0;   // dropped: more arrived than were sent
    std::uint64_t unreachable = 0;  // dropped: no attempt to send their batch succeeded
    std::uint64_t refused = 0;      // dropped: the collector rejected them
};

/// Sends spans to a collector, in batches, on a thread of its own.
class Exporter final : public Tracer {
public:
    struct World {
        std::function<std::chrono::nanoseconds()> now;  // the time of day
        Ids& ids;
        Random& random;
        base::Log& log;
        std::function<Receipt(const std::string& body, const std::atomic<bool>& stopping)> send;
    };
    Exporter(ExporterSettings settings, World world);
    /// Sends the queued spans, without repeating failed batches, within `flush_within`.
    ~Exporter() override;
    Exporter(const Exporter&) = delete;
    Exporter& operator=(const Exporter&) = delete;

    [[nodiscard]] std::optional<TraceContext> begin(
        const std::optional<TraceContext>& parent) override;
    [[nodiscard]] std::chrono::nanoseconds now() const override { return world_.now(); }
    void end(Span span) override;

    [[nodiscard]] ExportCounts counts() const;

private:
    void run();
    /// Empty: the exporter stops, and none are left.
    [[nodiscard]] std::vector<Span> next_batch();
    void send(const std::vector<Span>& spans);
    void count_lost(std::size_t spans, bool refused, const std::string& reason);
    /// False if the exporter stops meanwhile.
    [[nodiscard]] bool pause(std::chrono::milliseconds time);

    const ExporterSettings settings_;
    World world_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Span> waiting_;
    ExportCounts counts_;
    bool stop_ = false, ended_ = false;
    std::atomic<bool> stopping_{false};  // ends the request under way
    bool failing_ = false;               // the latest batch was lost; of the thread only
    std::thread thread_;
};

}  // namespace sundial::otlp
