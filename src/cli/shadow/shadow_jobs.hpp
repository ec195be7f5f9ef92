#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/shadow/run_log.hpp"
#include "domain/time/types.hpp"

/// Which schedules of Sundial are which jobs of the old scheduler.
namespace sundial::cli {

/// A schedule, and when its events were completed.
struct ShadowSchedule {
    std::string id{};
    std::string reference{};           // ext:… or the id, for people
    std::vector<std::string> names{};  // in logs: its ids, and what its payload has of its entry
    std::string command{};             // of a crontab or of pg_cron
    std::string user{};                // of a crontab with users
    Instant created{};
    std::vector<Instant> runs{};
};

/// Runs and schedules of one name. A crontab may have the same command in several lines.
struct ShadowJob {
    std::string name{};
    std::vector<std::string> schedules{};  // references
    std::vector<Instant> old{}, current{};
    Instant created{};  // when the last of the schedules was
};

struct ShadowJobs {
    std::vector<ShadowJob> jobs{};
    std::map<std::string, std::size_t> unknown{};  // names without a schedule, and their runs
};

/// The names of a schedule, from the response of the API. `payload` is a template: its doubled
/// braces are single here.
[[nodiscard]] ShadowSchedule shadow_schedule(const std::string& schedule, Instant created);

/// Each schedule belongs to one job; a schedule without a name in the log is a job of its own. All
/// runs are in ascending order.
[[nodiscard]] ShadowJobs match_jobs(const std::vector<LoggedRun>& logged,
                                    std::vector<ShadowSchedule> schedules);

}  // namespace sundial::cli
