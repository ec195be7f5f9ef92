#pragma once

#include <filesystem>

namespace sundial::sqlite {

/// Keeps a database file for this process alone: an exclusive lock on a file beside it,
/// `<file>-lock`, which also says whose it is. Gone with the process, however that ends.
class FileLock {
public:
    /// Throws CannotStart if another process has it, or the lock's file cannot be made.
    explicit FileLock(const std::filesystem::path& database);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    int descriptor_;
};

}  // namespace sundial::sqlite
