#include "server/key_clerk.hpp"

#include <chrono>
#include <exception>
#include <string>

namespace sundial::server {
namespace {

constexpr std::chrono::minutes between_notes{1};

}  // namespace

KeyClerk::KeyClerk(ApiKeyRing& keys, base::Log& log)
    : keys_(keys), log_(log), thread_([this] { run(); }) {}

KeyClerk::~KeyClerk() {
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

void KeyClerk::run() {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, between_notes, [this] { return end_; })) {
        lock.unlock();
        note_uses();
        lock.lock();
    }
    lock.unlock();
    note_uses();
}

/// A use that cannot be recorded now is dropped: nothing depends on it.
void KeyClerk::note_uses() {
    try {
        keys_.note_uses();
    } catch (const std::exception& error) {
        base::LogLine line;
        line.level = base::LogLevel::warn;
        line.message = std::string("the last uses of API keys were not noted: ") + error.what();
        log_.write(std::move(line));
    }
}

}  // namespace sundial::server
