#include "cli/shadow/shadow_jobs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/json_text.hpp"

namespace sundial::cli {
namespace {

std::string with_single_braces(std::string_view text) {
    std::string single;
    for (std::size_t i = 0; i < text.size(); ++i) {
        single += text[i];
        if (text[i] == '{' && i + 1 < text.size() && text[i + 1] == '{') ++i;
    }
    return single;
}

bool is_run_of(const LoggedRun& run, const ShadowSchedule& schedule) {
    if (std::ranges::find(schedule.names, run.name) != schedule.names.end()) return true;
    if (schedule.command.empty()) return false;
    if (run.user.empty()) return schedule.command == run.name;
    if (as_cron_logs(schedule.command) != run.name) return false;
    return schedule.user.empty() || schedule.user == run.user;
}

/// Sets of schedules: two that have a run in common become one.
class JobSets {
public:
    explicit JobSets(std::size_t schedules) : parents_(schedules) {
        std::iota(parents_.begin(), parents_.end(), std::size_t{0});
    }
    std::size_t set_of(std::size_t schedule) {
        while (parents_[schedule] != schedule)
            schedule = parents_[schedule] = parents_[parents_[schedule]];
        return schedule;
    }
    void join(std::size_t one, std::size_t other) { parents_[set_of(other)] = set_of(one); }

private:
    std::vector<std::size_t> parents_;
};

using Name = std::pair<std::string, std::string>;  // and its user

}  // namespace

ShadowSchedule shadow_schedule(const std::string& schedule, Instant created) {
    constexpr std::array names{"jobname", "trigger", "job", "rule", "uid"};
    const std::string external_id = plain_text(value_at(schedule, "externalId"));
    ShadowSchedule found{.id = plain_text(value_at(schedule, "id"))};
    found.reference = external_id.empty() ? found.id : "ext:" + external_id;
    found.names = {found.id, found.reference};
    if (!external_id.empty()) found.names.push_back(external_id);
    for (const std::string_view member : names) {
        const std::string_view value = value_at(schedule, "payload." + std::string(member));
        if (value.starts_with('"')) found.names.push_back(with_single_braces(plain_text(value)));
    }
    found.command = with_single_braces(plain_text(value_at(schedule, "payload.command")));
    found.user = with_single_braces(plain_text(value_at(schedule, "payload.user")));
    found.created = created;
    return found;
}

ShadowJobs match_jobs(const std::vector<LoggedRun>& logged, std::vector<ShadowSchedule> schedules) {
    std::map<Name, std::vector<Instant>> runs;
    for (const LoggedRun& run : logged) runs[{run.name, run.user}].push_back(run.at);
    ShadowJobs found;
    JobSets sets{schedules.size()};
    std::map<Name, std::size_t> schedule_of;  // the first one of each name
    for (const auto& [name, at] : runs) {
        const LoggedRun run{.name = name.first, .user = name.second};
        std::optional<std::size_t> first;
        for (std::size_t i = 0; i < schedules.size(); ++i) {
            if (!is_run_of(run, schedules[i])) continue;
            if (first) sets.join(*first, i);
            if (!first) first = i;
        }
        if (first) {
            schedule_of.emplace(name, *first);
        } else {
            found.unknown[name.first] += at.size();
        }
    }
    std::map<std::size_t, ShadowJob> jobs;  // by their set
    for (const auto& [name, schedule] : schedule_of) {
        ShadowJob& job = jobs[sets.set_of(schedule)];
        if (job.name.empty()) job.name = name.first;
        const auto& at = runs[name];
        job.old.insert(job.old.end(), at.begin(), at.end());
    }
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        ShadowJob& job = jobs[sets.set_of(i)];
        const ShadowSchedule& schedule = schedules[i];
        if (job.name.empty()) job.name = schedule.reference;
        job.schedules.push_back(schedule.reference);
        job.created =
            job.schedules.size() == 1 ? schedule.created : std::max(job.created, schedule.created);
        job.current.insert(job.current.end(), schedule.runs.begin(), schedule.runs.end());
    }
    for (auto& [set, job] : jobs) {
        std::ranges::sort(job.old);
        std::ranges::sort(job.current);
        found.jobs.push_back(std::move(job));
    }
    return found;
}

}  // namespace sundial::cli
