#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/http_client.hpp"
#include "cli/output.hpp"

/// `sundial apply`: schedules as a file, compared with those of the server.
namespace sundial::cli {

/// A schedule of the file.
struct WantedSchedule {
    std::string name{};
    /// Members of `POST /v1/schedules`, as JSON.
    std::vector<std::pair<std::string, std::string>> members{};
};

/// A file of schedules. The file owns the schedules whose external id is `apply:<set>:<name>`.
struct ScheduleFile {
    std::string set{};
    std::vector<WantedSchedule> schedules{};
    std::string error{};  // with file and line; empty: the file is sound
};
/// Reads TOML: `set`, a table `defaults`, and a table `schedules.<name>` for each schedule, with
/// the members of `POST /v1/schedules` and of its `trigger`.
[[nodiscard]] ScheduleFile read_schedule_file(const std::string& text, const std::string& name);

struct ScheduleApply {
    std::string name{};  // of the file, for messages
    std::string text{};
    bool prune = false;    // deletes the schedules of this set that the file no longer has
    bool dry_run = false;  // only shows the differences
    bool yes = false;      // does not ask for confirmation
};

/// Shows the differences, asks, and creates, changes and deletes. Changes are conditional on the
/// version that was shown. Returns 0; 1 if the person declines; 2 if the file is invalid, there is
/// no terminal to ask, or a dry run finds differences; 7 if some requests were refused; the API's
/// code if the schedules cannot be listed.
[[nodiscard]] int apply_schedules(const HttpClient& client, const ScheduleApply& file,
                                  const Person& person, const Output& output);

}  // namespace sundial::cli
