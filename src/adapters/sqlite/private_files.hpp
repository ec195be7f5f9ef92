#pragma once

#include <filesystem>

#include "base/log.hpp"

namespace sundial::sqlite {

/// Opens a file that only its owner may read and write (mode 0600), and makes it if it is absent.
/// Returns the descriptor, or -1 with errno.
[[nodiscard]] int open_private(const std::filesystem::path& file);

/// Lets only their owner read or write the database `file` and the files beside it (`-wal`, `-shm`,
/// `-lock`). Makes an empty database of mode 0600 if there is none, since SQLite gives the other
/// files the same mode. Takes the rights of group and others from existing files. Logs what it
/// changed, and what it could not change. For the process that holds the lock of the file.
void keep_private(const std::filesystem::path& file, base::Log& log);

}  // namespace sundial::sqlite
