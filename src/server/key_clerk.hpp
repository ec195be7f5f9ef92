#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "application/access/api_key_ring.hpp"
#include "base/log.hpp"

namespace sundial::server {

/// Records in the database once a minute which keys were used. Runs on a thread of its own, so no
/// request waits for it.
class KeyClerk {
public:
    KeyClerk(ApiKeyRing& keys, base::Log& log);
    ~KeyClerk();
    KeyClerk(const KeyClerk&) = delete;
    KeyClerk& operator=(const KeyClerk&) = delete;

private:
    void run();
    void note_uses();

    ApiKeyRing& keys_;
    base::Log& log_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool end_ = false;
    std::thread thread_;
};

}  // namespace sundial::server
