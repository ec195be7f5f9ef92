#include "adapters/system/json_log.hpp"

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::system {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_flush = 1s;

constexpr std::array<std::string_view, 4> level_names{"debug", "info", "warn", "error"};

std::string_view name_of(base::LogLevel level) {
    return level_names[static_cast<std::size_t>(level)];
}

std::string format_text(const base::LogLine& line, std::string_view time) {
    std::string text{time};
    text += ' ';
    text += name_of(line.level);
    text += ' ';
    text += line.message;
    for (const auto& [name, value] : line.fields) {
        base::JsonWriter json;
        std::visit([&](const auto& v) { json.value(v); }, value);
        text += ' ' + name + '=' + json.text();
    }
    return text;
}

/// Standard error. Every line is written at once, so a flush only marks how far the queue has been
/// processed.
class StandardError final : public spdlog::sinks::stderr_sink_mt {
public:
    void flush() override {
        const std::lock_guard lock(flushing_);
        ++flushed_;
        one_more_.notify_all();
    }
    [[nodiscard]] std::uint64_t flushed() {
        const std::lock_guard lock(flushing_);
        return flushed_;
    }
    void wait_for_more_than(std::uint64_t flushed) {
        std::unique_lock lock(flushing_);
        one_more_.wait_for(lock, longest_flush, [&] { return flushed_ > flushed; });
    }

private:
    std::mutex flushing_;
    std::condition_variable one_more_;
    std::uint64_t flushed_ = 0;
};

}  // namespace

std::optional<base::LogLevel> parse_log_level(std::string_view text) {
    for (std::size_t i = 0; i < level_names.size(); ++i) {
        if (level_names[i] == text) return static_cast<base::LogLevel>(i);
    }
    return std::nullopt;
}

std::string format_json(const LogSettings& settings, const base::LogLine& line,
                        std::string_view time) {
    base::JsonWriter json;
    json.begin_object()
        .member("time", time)
        .member("level", name_of(line.level))
        .member("msg", line.message);
    json.member("correlationId",
                line.correlation_id.empty() ? "sys-" + settings.start_id : line.correlation_id);
    json.member("serviceName", settings.service).member("environment", settings.environment);
    json.member("version", settings.version);
    json.member("eventName", line.event_name);
    for (const auto& [name, value] : line.fields) {
        json.key(name);
        std::visit([&](const auto& v) { json.value(v); }, value);
    }
    return std::move(json.end_object()).text();
}

struct JsonLog::Sink {
    std::mutex flushing;
    std::shared_ptr<StandardError> standard_error = std::make_shared<StandardError>();
    std::shared_ptr<spdlog::details::thread_pool> pool;
    std::shared_ptr<spdlog::async_logger> logger;
};

JsonLog::JsonLog(LogSettings settings)
    : settings_(std::move(settings)), sink_(std::make_unique<Sink>()) {
    constexpr std::size_t waiting_lines = 8192;
    sink_->pool = std::make_shared<spdlog::details::thread_pool>(waiting_lines, 1);
    sink_->logger =
        std::make_shared<spdlog::async_logger>("sundial", sink_->standard_error, sink_->pool,
                                               spdlog::async_overflow_policy::overrun_oldest);
    sink_->logger->set_pattern("%v");
    sink_->logger->set_level(spdlog::level::trace);
}

JsonLog::~JsonLog() = default;  // the pool's destructor writes the queued lines

void JsonLog::write(base::LogLine line) {
    if (!wants(line.level)) return;
    const auto now =
        std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
    const std::string time = format_instant_millis(now);
    line.message = base::redacted(line.message);
    for (auto& [name, value] : line.fields) {
        if (auto* const text = std::get_if<std::string>(&value)) *text = base::redacted(*text);
    }
    sink_->logger->log(
        spdlog::level::info, "{}",
        settings_.text ? format_text(line, time) : format_json(settings_, line, time));
}

void JsonLog::flush() {
    const std::lock_guard one_at_a_time(sink_->flushing);
    const std::uint64_t flushed = sink_->standard_error->flushed();
    sink_->logger->flush();  // queued after the lines
    sink_->standard_error->wait_for_more_than(flushed);
}

}  // namespace sundial::system
