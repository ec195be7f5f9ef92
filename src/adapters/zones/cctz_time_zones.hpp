#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/time_zones.hpp"
#include "domain/time/zone.hpp"

// cctz asks one place in the process for zones. So of shared libraries only `time` contains this
// adapter, and the engine uses it there.
#pragma GCC visibility push(default)

namespace sundial::zones {

/// The zone in the compiled form `tzif` (RFC 9636); null if `tzif` is invalid. Thread-safe. cctz
/// keeps what it has parsed until the process ends. Each content is parsed once, regardless of how
/// often and under how many names it is loaded.
[[nodiscard]] std::shared_ptr<const Zone> parse_zone(std::string name, const std::string& tzif);

/// The release if the files do not state it.
inline constexpr std::string_view unknown_release = "unknown";

/// One Zone or Link of the tz database.
struct TzEntry {
    std::string name;
    std::string tzif;    // the compiled zone, RFC 9636
    std::string target;  // the zone that a link names; otherwise its own name
    friend bool operator==(const TzEntry&, const TzEntry&) = default;
};

/// A snapshot of a tz database, completely in memory (about 1.5 MB). Later changes of the files
/// cannot mix two releases, and names that users type never reach the file system.
struct TzDatabase {
    std::string release;               // "2025b", or unknown_release
    std::vector<TzEntry> entries;      // sorted by name, at least one
    std::vector<std::string> missing;  // listed in `tzdata.zi`, but without a file
    friend bool operator==(const TzDatabase&, const TzDatabase&) = default;
};

/// Reads the compiled database in `directory`. The names are the Zones and Links of its
/// `tzdata.zi`, or its files if that is missing; never `Factory`, `localtime`, `posixrules`,
/// `posix/…` or `right/…`. A link without a file of its own is read from its target. Symbolic links
/// in `directory` are resolved once, before any file is read. Throws CannotStart if there is no
/// database.
[[nodiscard]] TzDatabase read_tz_database(const std::filesystem::path& directory);

struct TzDatabase;

/// Where the package tzdata installs the compiled database.
inline constexpr std::string_view system_directory = "/usr/share/zoneinfo";

/// The tz database of a directory, evaluated by cctz. Thread-safe.
class CctzTimeZones final : public TimeZones {
public:
    /// Throws CannotStart if `directory` contains no database.
    explicit CctzTimeZones(std::filesystem::path directory = system_directory);
    ~CctzTimeZones() override;

    /// Its `find` throws Corrupt if the zone's file was damaged when it was loaded.
    [[nodiscard]] std::shared_ptr<const TzData> current() const override;
    /// Never a database that is damaged, half copied, or lacks zones of the current one.
    [[nodiscard]] std::shared_ptr<const TzData> at_source() const override;
    /// Makes `data`, a result of `at_source`, the current database.
    void replace(std::shared_ptr<const TzData> data);

private:
    class Loaded;
    [[nodiscard]] std::shared_ptr<const Loaded> loaded() const;
    [[nodiscard]] std::shared_ptr<const Loaded> seen(TzDatabase found) const;

    const std::filesystem::path directory_;
    mutable std::mutex mutex_;
    std::shared_ptr<const Loaded> current_;
    mutable std::shared_ptr<const Loaded> seen_;  // the last database read from the directory
};

}  // namespace sundial::zones

#pragma GCC visibility pop
