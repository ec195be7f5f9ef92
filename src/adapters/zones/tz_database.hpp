#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sundial::zones {

/// One Zone or Link of the tz database.
struct TzEntry {
    std::string name;
    std::string tzif;  // the compiled zone, RFC 9636
};

/// A tz database as it was at one moment, whole in memory (about 1.5 MB): later changes of the
/// files cannot mix two releases, and no name that a person types reaches the file system.
struct TzDatabase {
    std::string release;           // "2025b"; "unknown" where nothing says it
    std::vector<TzEntry> entries;  // sorted by name, at least one
};

/// Reads the compiled database in `directory`. The names are the Zones and Links of its
/// `tzdata.zi`, or, where that is missing, its files; never `Factory`, `localtime`, `posixrules`,
/// `posix/…` or `right/…`. A link without a file of its own is read from its target. Throws
/// CannotStart when there is no database.
[[nodiscard]] TzDatabase read_tz_database(const std::filesystem::path& directory);

}  // namespace sundial::zones
