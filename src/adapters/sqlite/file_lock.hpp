#pragma once

#include <filesystem>

namespace sundial::sqlite {

/// Reserves a database file for this process by an exclusive lock on `<file>-lock`, which contains
/// the holder's process id. The lock ends with the process, however that ends.
class FileLock {
public:
    /// Throws CannotStart if another process has the lock, or the lock file cannot be created.
    explicit FileLock(const std::filesystem::path& database);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    int descriptor_;
};

}  // namespace sundial::sqlite
