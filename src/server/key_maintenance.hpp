#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "application/access/api_keys.hpp"
#include "base/log.hpp"

namespace sundial::server {

/// Decides when to log that keys expire soon: once a day for each key.
class KeyWarnings {
public:
    /// The `api_key.expiring` lines to write now.
    [[nodiscard]] std::vector<base::LogLine> due(const ExpiringKeys& expiring);

private:
    std::map<ApiKeyId, Instant> warned_;
};

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
