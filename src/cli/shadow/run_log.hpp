#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

/// The runs of another scheduler, read from its log.
namespace sundial::cli {

enum class RunLogFormat : std::uint8_t { syslog, csv, ndjson };

struct RunLogOptions {
    RunLogFormat format = RunLogFormat::syslog;
    std::string time_column = "time";  // of CSV and NDJSON
    std::string name_column = "name";
    std::string user{};  // syslog: runs of other users are left out; empty: none
};

/// One run in the log.
struct LoggedRun {
    std::size_t line = 0;
    Instant at{};
    std::string name{};  // of cron: the command
    std::string user{};  // of cron; else empty
};

/// A line that is a run, but cannot be read.
struct UnreadRun {
    std::size_t line = 0;
    std::string reason{};
};

struct RunLog {
    std::vector<LoggedRun> runs{};
    std::vector<UnreadRun> unread{};
};

/// `zone` is for times without an offset. A time that occurs twice belongs to the second pass if an
/// earlier line of the log is later than its first. Times without a year are of the latest year
/// that does not place them after `now`. Lines of a syslog that are not starts of cron jobs are
/// left out.
[[nodiscard]] RunLog read_run_log(std::string_view text, const RunLogOptions& options,
                                  const Zone& zone, Instant now);

/// `text` as cron writes a command into the system's log: without outer blanks, and with control
/// characters and bytes beyond ASCII in an escaped form.
[[nodiscard]] std::string as_cron_logs(std::string_view command);

}  // namespace sundial::cli
