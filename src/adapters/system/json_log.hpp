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
    std::string start_id;  // correlation id of lines that have none becomes "sys-<start_id>"
    bool text = false;     // a short line for people in place of JSON
};

[[nodiscard]] std::optional<base::LogLevel> parse_log_level(std::string_view text);

/// One JSON object per line on standard error, written by a thread of its own. A queue of 8,192
/// lines; when standard error is slower than that, the oldest waiting lines are dropped rather than
/// an event held up. The destructor writes what waits.
class JsonLog final : public base::Log {
public:
    explicit JsonLog(LogSettings settings);
    ~JsonLog() override;
    void write(base::LogLine line) override;
    [[nodiscard]] bool wants(base::LogLevel level) const override {
        return level >= settings_.level;
    }

    /// Returns when the lines written so far have left, or after a second. For a process that ends
    /// without destructors.
    void flush();

private:
    struct Sink;
    LogSettings settings_;
    std::unique_ptr<Sink> sink_;
};

/// The line as JSON, for `time` in RFC 3339 with milliseconds.
[[nodiscard]] std::string format_json(const LogSettings& settings, const base::LogLine& line,
                                      std::string_view time);

}  // namespace sundial::system
