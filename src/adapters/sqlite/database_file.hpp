#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include "adapters/sqlite/connection.hpp"
#include "application/ports/failures.hpp"
#include "base/log.hpp"

namespace sundial::sqlite {

/// Whether the file may still be used. After a failed read, write or fsync, or if the file is
/// damaged, no call may be repeated, because the state on disk is unknown (reliability 4).
/// Thread-safe.
class Health {
public:
    /// `on_fatal` is called once, with the reason.
    Health(base::Log& log, std::function<void(const std::string&)> on_fatal);
    void broken(const std::string& why) noexcept;
    /// Throws Unavailable if the file is broken.
    void check() const;
    /// Whether the latest write failed because the disk is full. The file is intact; it only cannot
    /// grow.
    void full(bool is) noexcept { full_ = is; }
    [[nodiscard]] bool is_full() const { return full_; }

private:
    base::Log& log_;
    const std::function<void(const std::string&)> on_fatal_;
    std::atomic<bool> broken_{false};
    std::atomic<bool> full_{false};
};

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

/// Opens a file that only its owner may read and write (mode 0600), and makes it if it is absent.
/// A file that root makes belongs to the owner of the folder: a service that runs as another user
/// has to open the database that an operator has restored. Returns the descriptor, or -1 with
/// errno.
[[nodiscard]] int open_private(const std::filesystem::path& file);

/// Lets only their owner read or write the database `file` and the files beside it (`-wal`, `-shm`,
/// `-lock`). Makes an empty database of mode 0600 if there is none, since SQLite gives the other
/// files the same mode. Takes the rights of group and others from existing files. Logs what it
/// changed, and what it could not change. For the process that holds the lock of the file.
void keep_private(const std::filesystem::path& file, base::Log& log);

class Health;

/// Checks a file that was not closed properly, on its own connection and thread. Reports damage to
/// Health.
class FileCheck {
public:
    FileCheck(const std::filesystem::path& file, Health& health, base::Log& log);
    /// Aborts the check if it is still running.
    ~FileCheck();
    FileCheck(const FileCheck&) = delete;
    FileCheck& operator=(const FileCheck&) = delete;

private:
    void run();

    Connection reader_;
    Health& health_;
    base::Log& log_;
    std::atomic<bool> stopping_{false};
    std::promise<void> done_;
    std::thread thread_;
};

}  // namespace sundial::sqlite
