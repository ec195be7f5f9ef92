#pragma once

#include <atomic>
#include <filesystem>
#include <future>
#include <thread>

#include "adapters/sqlite/connection.hpp"
#include "base/log.hpp"

namespace sundial::sqlite {

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
