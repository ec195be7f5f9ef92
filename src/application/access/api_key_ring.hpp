#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/api_key_secrets.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/store.hpp"
#include "domain/api_key.hpp"

namespace sundial {

/// The holder of a valid key.
struct KeyHolder {
    std::string handle;
    Role role;
};

/// A key from the operator's file instead of the database.
struct FixedKey {
    std::string handle;
    Role role;
    std::string secret_hash;
};

/// The valid keys, cached in RAM so that no request waits for the database. When a request finds
/// the cache older than `fresh_for`, one request reads the keys again for all. A key that was
/// revoked or has expired, on any instance, is refused once `stale_after` has passed: beyond that
/// age every request needs the database. Thread-safe.
class ApiKeyRing {
public:
    static constexpr std::chrono::seconds fresh_for{2};
    static constexpr std::chrono::seconds stale_after{5};

    ApiKeyRing(Store& store, const ApiKeySecrets& secrets, const MonotonicClock& monotonic)
        : store_(store), secrets_(secrets), monotonic_(monotonic) {}

    /// The holder of this key; empty if the key is not valid. Throws Unavailable if the database
    /// was needed and did not answer.
    [[nodiscard]] std::optional<KeyHolder> holder_of(std::string_view key_text);
    /// Whether there are no keys at all, valid or expired. Throws Unavailable as above.
    [[nodiscard]] bool empty();

    /// A key was created or revoked here: the next request sees it.
    void look_again();
    /// Replaces the keys of the operator's file.
    void fix(std::vector<FixedKey> keys);
    /// Stores in the database which keys were used since the last call. Throws Unavailable.
    void note_uses();

private:
    struct Known {
        std::map<std::string, ApiKey, std::less<>> keys;  // by handle
        Instant as_of;
        std::chrono::microseconds read_at;
    };

    [[nodiscard]] std::shared_ptr<const Known> known();
    [[nodiscard]] std::shared_ptr<const Known> known_if_younger(std::chrono::microseconds age);
    [[nodiscard]] std::shared_ptr<const Known> read();

    Store& store_;
    const ApiKeySecrets& secrets_;
    const MonotonicClock& monotonic_;
    std::mutex reading_;  // held while reading the database; taken before mutex_
    std::mutex mutex_;    // guards all below
    std::shared_ptr<const Known> known_;
    std::uint64_t generation_ = 0;                        // number of changes made here
    std::map<std::string, FixedKey, std::less<>> fixed_;  // by handle
    std::map<ApiKeyId, Instant> uses_;                    // not yet stored
};

}  // namespace sundial
