#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "application/ports/backup.hpp"
#include "base/log.hpp"
#include "server/settings.hpp"

/// `sundial db backup`, `restore` and `check`, for both databases.
namespace sundial::server {

/// Called with a line for people, a few times a second.
using ShowProgress = std::function<void(const std::string&)>;

struct BackupDone {
    std::filesystem::path file;
    DatabaseContent content;
    std::uint64_t bytes = 0;
    std::chrono::milliseconds took{};
    /// PostgreSQL: how long the snapshot was open, and the transactions that ran meanwhile.
    std::optional<std::chrono::milliseconds> snapshot{};
    std::int64_t transactions = 0;
};

/// Saves the database of the settings as the file `target`, or under a name of its own in the
/// folder `target`, and reads the result again. Throws CannotStart, Corrupt or Unavailable; then no
/// file has the name.
BackupDone back_up_database(const Settings& settings, const std::filesystem::path& target,
                            const ShowProgress& show);

/// Checks the whole backup, then puts it in the place of the database of the settings, in one
/// transaction or one rename. Throws CannotStart with nothing changed.
RestoredWork restore_backup(const Settings& settings, const std::filesystem::path& file,
                            const RestoreTerms& terms, const ShowProgress& show, base::Log& log);

/// Checks a backup, or any SQLite file.
[[nodiscard]] DatabaseContent check_backup(const std::filesystem::path& file);
[[nodiscard]] DatabaseContent check_live_database(const Settings& settings);

}  // namespace sundial::server
