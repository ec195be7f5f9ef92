#include "adapters/sqs/credential_cache.hpp"

#include <utility>

namespace sundial::sqs {
namespace {

/// AWS replaces the keys of roles five minutes before they expire or earlier.
constexpr std::chrono::microseconds refreshed_before = std::chrono::minutes(5);
/// Keys without an end are in files and variables; a file may be replaced at any time.
constexpr std::chrono::microseconds kept_without_end = std::chrono::minutes(5);
constexpr std::chrono::microseconds between_searches = std::chrono::seconds(1);

}  // namespace

CredentialCache::CredentialCache(std::function<CredentialResult()> find, std::function<void()> wake,
                                 const MonotonicClock& clock)
    : find_(std::move(find)), wake_(std::move(wake)), clock_(clock) {}

CredentialCache::~CredentialCache() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
}

CredentialCache::Answer CredentialCache::ask(Instant now) {
    const std::lock_guard lock(mutex_);
    const auto age = clock_.now() - found_at_;
    const auto* credentials = found_ ? std::get_if<Credentials>(&*found_) : nullptr;
    bool usable = false, search = false;
    if (credentials != nullptr) {
        const auto& expires = credentials->expires;
        usable = !refused_ && (!expires || now < *expires);
        const bool is_old = expires ? now + refreshed_before >= *expires : age >= kept_without_end;
        search = (refused_ || is_old) && age >= between_searches;
    } else {
        search = !found_ || age >= between_searches;
    }
    if (search && !searching_) {
        searching_ = true;
        if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
        changed_.notify_one();
    }
    if (usable) return credentials->keys;
    if (searching_) return Pending{};
    if (credentials != nullptr) return NoCredentials{"the AWS credentials have expired"};
    return std::get<NoCredentials>(*found_);
}

void CredentialCache::refuse(const AwsKeys& expired) {
    const std::lock_guard lock(mutex_);
    const auto* credentials = found_ ? std::get_if<Credentials>(&*found_) : nullptr;
    if (credentials != nullptr && credentials->keys == expired) refused_ = true;
}

void CredentialCache::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stopping_ || searching_; });
        if (stopping_) return;
        lock.unlock();
        CredentialResult found = find_();
        lock.lock();
        const auto* before = found_ ? std::get_if<Credentials>(&*found_) : nullptr;
        const auto* now = std::get_if<Credentials>(&found);
        // A failed refresh keeps keys that may still be valid.
        if (now != nullptr || before == nullptr || refused_) {
            if (now != nullptr) refused_ = false;
            found_ = std::move(found);
        }
        found_at_ = clock_.now();
        searching_ = false;
        lock.unlock();
        wake_();
        lock.lock();
    }
}

}  // namespace sundial::sqs
