#include "server/key_maintenance.hpp"

#include <chrono>
#include <exception>
#include <string>
#include <utility>

#include "domain/time/text.hpp"

namespace sundial::server {
namespace {

constexpr std::chrono::hours between_warnings{24};

/// Without the key's name, which may be the name of a person.
base::LogLine line_of(const ExpiringKey& key) {
    return {
        .level = base::LogLevel::warn,
        .event_name = "api_key.expiring",
        .message = "an API key expires soon; create another key and replace it where it is used",
        .correlation_id = "",
        .fields = {{"apiKeyId", to_string(key.id)},
                   {"role", std::string(to_string(key.role))},
                   {"expiresAt", format_instant_millis(key.at)}}};
}

}  // namespace

std::vector<base::LogLine> KeyWarnings::due(const ExpiringKeys& expiring) {
    std::map<ApiKeyId, Instant> warned;  // without keys that are gone
    std::vector<base::LogLine> lines;
    for (const ExpiringKey& key : expiring.keys) {
        if (key.at - expiring.as_of > expiry_warning) break;
        const auto before = warned_.find(key.id);
        const bool warned_today =
            before != warned_.end() && expiring.as_of - before->second < between_warnings;
        warned[key.id] = warned_today ? before->second : expiring.as_of;
        if (!warned_today) lines.push_back(line_of(key));
    }
    warned_ = std::move(warned);
    return lines;
}

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
