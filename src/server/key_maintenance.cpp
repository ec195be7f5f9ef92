#include "server/key_maintenance.hpp"

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace sundial::server {
namespace {

constexpr std::chrono::minutes between_rounds{1};

}  // namespace

KeyMaintenance::KeyMaintenance(ApiKeyRing& keys, base::Log& log)
    : keys_(keys), log_(log), thread_([this] { run(); }) {}

KeyMaintenance::~KeyMaintenance() {
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

void KeyMaintenance::run() {
    warn();
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, between_rounds, [this] { return end_; })) {
        lock.unlock();
        note_uses();
        attempt("API keys could not be read", [this] { keys_.refresh(); });
        warn();
        lock.lock();
    }
    lock.unlock();
    note_uses();
}

void KeyMaintenance::attempt(const char* what, const std::function<void()>& task) {
    try {
        task();
    } catch (const std::exception& error) {
        base::LogLine line;
        line.level = base::LogLevel::warn;
        line.message = std::string(what) + ": " + error.what();
        log_.write(std::move(line));
    }
}

/// Best effort: nothing depends on it.
void KeyMaintenance::note_uses() {
    attempt("the last uses of API keys could not be stored", [this] { keys_.note_uses(); });
}

void KeyMaintenance::warn() {
    for (base::LogLine& line : warnings_.due(keys_.expiring())) log_.write(std::move(line));
}

}  // namespace sundial::server
