#pragma once

#include <atomic>
#include <filesystem>
#include <future>
#include <thread>

#include "adapters/sqlite/connection.hpp"
#include "base/log.hpp"

namespace sundial::sqlite {

class Health;

/// Looks through a file that was not closed properly, on a connection and a thread of its own.
/// Tells the health what it finds.
class FileCheck {
public:
    FileCheck(const std::filesystem::path& file, Health& health, base::Log& log);
    /// Ends it, wherever it is.
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
