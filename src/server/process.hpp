#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "application/ports/time_zones.hpp"
#include "server/settings.hpp"

namespace sundial::server {

struct ProcessOptions {
    bool test_clock = false;
    std::size_t demo_people = 0;  // 0: no demo
    /// Where a key for secrets is made if none is set and the database is no SQLite file, which has
    /// one beside it. Empty: nowhere.
    std::string key_file{};
};

/// Serves until SIGTERM or SIGINT, then drains; a second signal ends it at once. Returns the exit
/// code. Throws CannotStart before anything has changed.
[[nodiscard]] int run_process(const LoadedSettings& loaded, const ProcessOptions& options);

/// One pass over what is due, then the end: for an external minute trigger. Prints what it did.
[[nodiscard]] int run_tick(const Settings& settings, std::uint64_t limit, bool json);

/// The tz database of the settings. Throws CannotStart where there is none.
[[nodiscard]] std::unique_ptr<const TimeZones> load_time_zones(const Settings& settings);
/// Of a directory. Throws CannotStart when it holds none.
[[nodiscard]] std::unique_ptr<const TimeZones> load_time_zones(const std::string& directory);

}  // namespace sundial::server
