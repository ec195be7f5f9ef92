#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "application/access/api_key_ring.hpp"
#include "base/log.hpp"
#include "server/key_warnings.hpp"

namespace sundial::server {

/// Once a minute, on its own thread, stores which keys have been used, reads the keys again and
/// warns of keys that expire soon. No request waits for that.
class KeyMaintenance {
public:
    KeyMaintenance(ApiKeyRing& keys, base::Log& log);
    ~KeyMaintenance();
    KeyMaintenance(const KeyMaintenance&) = delete;
    KeyMaintenance& operator=(const KeyMaintenance&) = delete;

private:
    void run();
    /// Runs `task`; logs a failure.
    void attempt(const char* what, const std::function<void()>& task);
    void note_uses();
    void warn();

    ApiKeyRing& keys_;
    base::Log& log_;
    KeyWarnings warnings_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool end_ = false;
    std::thread thread_;
};

}  // namespace sundial::server
