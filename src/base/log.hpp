#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sundial::base {

enum class LogLevel : std::uint8_t { debug, info, warn, error };

/// One log entry for operators. `event_name` is one of the fixed names of docs/reference/logs.md,
/// or empty for a line that only people read. Never contains names, birth dates, payloads or
/// secrets.
struct LogLine {
    using Value = std::variant<std::string, std::int64_t, double, bool>;

    LogLevel level = LogLevel::info;
    std::string event_name;
    std::string message;
    std::string correlation_id;  // req-… | evt-… | sys-…; empty: the sink's own sys-…
    std::vector<std::pair<std::string, Value>> fields;
};

/// The destination of log lines. Thread-safe; never blocks on a slow disk for long; never throws.
class Log {
public:
    virtual ~Log() = default;
    virtual void write(LogLine line) = 0;
    /// Whether lines of that level are written. A caller with many lines checks first.
    [[nodiscard]] virtual bool wants(LogLevel /*level*/) const { return true; }
};

/// Replaces credentials in `text` by `***`: the secrets of API keys (`sundial_sk_…`), signing
/// secrets (`whsec_…`), bearer tokens, and passwords in URLs and in libpq's connection strings.
/// Every log line and every display of settings passes through this one function. Names and
/// payloads must not be in such texts in the first place.
[[nodiscard]] std::string redacted(std::string_view text);

}  // namespace sundial::base
