#include "adapters/otlp/exporter.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "domain/trace_context.hpp"

namespace sundial::otlp {

using std::chrono::milliseconds;

Exporter::Exporter(ExporterSettings settings, World world)
    : settings_(std::move(settings)), world_(std::move(world)) {
    waiting_.reserve(settings_.queue);
    thread_ = std::thread([this] { run(); });
}

Exporter::~Exporter() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, settings_.flush_within, [this] { return ended_; });
    }
    stopping_ = true;
    thread_.join();
}

std::optional<TraceContext> Exporter::begin(const std::optional<TraceContext>& parent) {
    return new_context(world_.ids.fresh(), parent, settings_.share);
}

void Exporter::end(Span span) {
    if (!span.context.sampled) return;
    const std::lock_guard lock(mutex_);
    if (stop_ || waiting_.size() >= settings_.queue) {
        ++counts_.queue_full;
        return;
    }
    waiting_.push_back(std::move(span));
    if (waiting_.size() == settings_.batch) changed_.notify_all();
}

ExportCounts Exporter::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

void Exporter::run() {
    for (auto batch = next_batch(); !batch.empty(); batch = next_batch()) send(batch);
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
}

std::vector<Span> Exporter::next_batch() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait_for(lock, settings_.delay,
                          [this] { return stop_ || waiting_.size() >= settings_.batch; });
        if (waiting_.empty() && !stop_) continue;
        const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), settings_.batch));
        const auto end = waiting_.begin() + count;
        std::vector<Span> batch(std::make_move_iterator(waiting_.begin()),
                                std::make_move_iterator(end));
        waiting_.erase(waiting_.begin(), end);
        return batch;
    }
}

void Exporter::send(const std::vector<Span>& spans) {
    const std::string body = request_body(settings_.resource, spans);
    milliseconds wait = settings_.first_pause;
    Receipt receipt;
    for (std::size_t tries = 1;; ++tries) {
        receipt = world_.send(body, stopping_);
        if (receipt.result != Receipt::Result::repeat || tries == settings_.tries) break;
        // Between half and all of the delay, so that instances that failed together do not retry
        // together.
        const auto spread =
            std::chrono::duration_cast<milliseconds>(wait * (0.5 + world_.random.unit() / 2));
        if (!pause(std::max(spread, receipt.after.value_or(milliseconds(0))))) break;
        wait *= 2;
    }
    if (receipt.result != Receipt::Result::accepted) {
        return count_lost(spans.size(), receipt.result == Receipt::Result::refused, receipt.reason);
    }
    failing_ = false;
    const auto rejected = std::min<std::uint64_t>(receipt.rejected, spans.size());
    const std::lock_guard lock(mutex_);
    counts_.exported += spans.size() - rejected;
    counts_.refused += rejected;
}

void Exporter::count_lost(std::size_t spans, bool refused, const std::string& reason) {
    {
        const std::lock_guard lock(mutex_);
        (refused ? counts_.refused : counts_.unreachable) += spans;
    }
    if (std::exchange(failing_, true)) return;  // one line for each outage
    world_.log.write(
        {.level = base::LogLevel::warn,
         .event_name = "traces.lost",
         .message = "the trace collector accepted no batch: spans are dropped until it accepts one",
         .correlation_id = {},
         .fields = {{"spans", static_cast<std::int64_t>(spans)}, {"reason", reason}}});
}

bool Exporter::pause(milliseconds time) {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, time, [this] { return stop_; });
}

}  // namespace sundial::otlp
