#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/log.hpp"

namespace sundial::system {

struct LogSettings {
    base::LogLevel level = base::LogLevel::info;
    std::string service = "sundial";
    std::string environment = "production";
    std::string version;
    std::string start_id;  // lines without a correlation id get "sys-<start_id>"
    bool text = false;     // a short line for people instead of JSON
};

[[nodiscard]] std::optional<base::LogLevel> parse_log_level(std::string_view text);

/// Writes one JSON object per line to standard error, on a thread of its own. The queue holds 8,192
/// lines. If standard error is slower, the oldest lines are dropped, so that logging never delays
/// an event. The destructor writes the queued lines.
class JsonLog final : public base::Log {
public:
    explicit JsonLog(LogSettings settings);
    ~JsonLog() override;
    void write(base::LogLine line) override;
    [[nodiscard]] bool wants(base::LogLevel level) const override {
        return level >= settings_.level;
    }

    /// Returns when all lines written so far are out, or after a second. For a process that ends
    /// without destructors.
    void flush();

private:
    struct Sink;
    LogSettings settings_;
    std::unique_ptr<Sink> sink_;
};

/// The line as JSON; `time` in RFC 3339 with milliseconds.
[[nodiscard]] std::string format_json(const LogSettings& settings, const base::LogLine& line,
                                      std::string_view time);

}  // namespace sundial::system
