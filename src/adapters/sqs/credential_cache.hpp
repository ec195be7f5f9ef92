#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "adapters/sqs/credential_chain.hpp"
#include "application/ports/clock.hpp"

namespace sundial::sqs {

/// Finds credentials on a thread of its own, keeps them, and finds new ones before they expire. The
/// thread starts with the first request. Thread-safe.
class CredentialCache {
public:
    struct Pending {};  // a wake-up follows
    using Answer = std::variant<AwsKeys, Pending, NoCredentials>;

    /// `find` blocks and runs on the cache's thread; `wake` runs there after each search.
    CredentialCache(std::function<CredentialResult()> find, std::function<void()> wake,
                    const MonotonicClock& clock);
    ~CredentialCache();
    CredentialCache(const CredentialCache&) = delete;
    CredentialCache& operator=(const CredentialCache&) = delete;

    /// The keys to sign with at `now`, the real time. Keys that expire soon are returned while a
    /// search for new ones runs, keys that have expired are not. A failure is repeated for a second
    /// before the next search.
    [[nodiscard]] Answer ask(Instant now);
    /// The service reports that these keys have expired: searches again, at most once a second.
    void refuse(const AwsKeys& expired);

private:
    void run();

    std::function<CredentialResult()> find_;
    std::function<void()> wake_;
    const MonotonicClock& clock_;
    std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    std::optional<CredentialResult> found_;
    Mono found_at_{0};
    bool searching_ = false;
    bool refused_ = false;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace sundial::sqs
