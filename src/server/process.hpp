#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/http/api/doc_pages.hpp"
#include "application/ports/time_zones.hpp"
#include "server/settings.hpp"

namespace sundial::server {

struct ProcessOptions {
    bool test_clock = false;
    std::size_t demo_people = 0;  // 0: no demo
    /// File in which to create a key for secrets if none is set and the database is not SQLite,
    /// whose key file lies beside the database. Empty: do not create one.
    std::string key_file{};
    /// Pages about the commands of the program, for its documents. Null: none.
    std::function<std::vector<http::CommandPage>()> commands{};
};

/// Refuses settings that always prevent a start, before a database is created or migrated. Throws
/// CannotStart.
void check_settings(const Settings& settings);

/// Serves until SIGTERM or SIGINT, then drains; a second signal ends it at once. Returns the exit
/// code. Throws CannotStart before anything has changed.
[[nodiscard]] int run_process(const LoadedSettings& loaded, const ProcessOptions& options);

/// Runs one pass over all due events, for an external trigger every minute. Prints the counts.
[[nodiscard]] int run_tick(const Settings& settings, std::uint64_t limit, bool json);

/// Prints how many events such a pass would find due. Delivers nothing.
[[nodiscard]] int show_due(const Settings& settings, bool json);

/// Loads the tz database of the settings. Throws CannotStart if there is none.
[[nodiscard]] std::unique_ptr<const TimeZones> load_time_zones(const Settings& settings);
/// The same for a directory. Throws CannotStart if it contains none.
[[nodiscard]] std::unique_ptr<const TimeZones> load_time_zones(const std::string& directory);

}  // namespace sundial::server
