#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "application/ports/backup.hpp"
#include "base/log.hpp"
#include "domain/time/types.hpp"

/// Backups of a SQLite database: an SQLite file with two more tables, which have the number of rows
/// and the SHA-256 of each table (ADR 0048).
namespace sundial::sqlite {

using OnPages = std::function<void(std::int64_t done, std::int64_t all)>;

/// Copies the database `file` as of one instant to the empty file `to`, and verifies the copy. Runs
/// beside the process that uses `file`: it only reads, and that process goes on writing. Throws
/// Corrupt if the copy is not sound.
DatabaseContent back_up(const std::filesystem::path& file, const std::filesystem::path& to,
                        const NewDigest& digest, const OnPages& on_pages);

/// Reads all of a database, or of a backup, whose digests it compares. Changes nothing.
/// `must_be_backup`: a file without digests is at fault. `digest`: empty for a database in use,
/// which may have begun as a copy of a backup and differs from it by now.
[[nodiscard]] DatabaseContent check_database(const std::filesystem::path& file,
                                             const NewDigest& digest, bool must_be_backup = false);

/// Puts the backup in the place of `file`, after checking it. Until the new file is complete the
/// old one stays. Throws CannotStart, with nothing changed, also while a process uses `file`.
RestoredWork restore_database(const std::filesystem::path& backup,
                              const std::filesystem::path& file, const RestoreTerms& terms,
                              const NewDigest& digest, Instant now);

}  // namespace sundial::sqlite
