#pragma once

#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/session.hpp"

namespace sundial::sqlite {

class Health;
class Time;

/// A pool of read-only connections. The last free one is for the scheduler's threads only
/// (SchedulerScope). Thread-safe.
class Readers {
public:
    Readers(const std::filesystem::path& file, std::size_t count, Time& time, Health& health);
    /// Runs `work` on one snapshot of committed data. Throws Unavailable if every reader that this
    /// thread may use is busy for 5 s.
    void run(const std::function<void(Session&)>& work);

private:
    [[nodiscard]] Connection& take();
    void release(Connection& reader);

    Time& time_;
    Health& health_;
    std::vector<std::unique_ptr<Connection>> readers_;
    std::mutex mutex_;
    std::condition_variable free_again_;
    std::vector<Connection*> free_;
};

}  // namespace sundial::sqlite
