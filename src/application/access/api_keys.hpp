#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
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

/// A valid key with an expiry.
struct ExpiringKey {
    ApiKeyId id;
    Role role;
    Instant at;
    friend bool operator==(const ExpiringKey&, const ExpiringKey&) = default;
};
struct ExpiringKeys {
    Instant as_of{};                  // by the database's clock
    std::vector<ExpiringKey> keys{};  // the soonest first
};

/// The log and the health checks warn this long before a key expires, so that a person has time to
/// replace it wherever it is used.
inline constexpr std::chrono::days expiry_warning{14};

/// The valid keys, cached in RAM so that no request waits for the database. The first request after
/// `fresh_for` reads them again, for all requests. A key that was revoked on any instance, or has
/// expired, is refused after `stale_after` at the latest: from then on requests need the database.
/// Thread-safe.
class ApiKeyRing {
public:
    static constexpr std::chrono::seconds fresh_for{2};
    static constexpr std::chrono::seconds stale_after{5};

    ApiKeyRing(Store& store, const ApiKeySecrets& secrets, const MonotonicClock& monotonic)
        : store_(store), secrets_(secrets), monotonic_(monotonic) {}

    /// The holder of this key; empty if the key is not valid. Throws Unavailable if the database
    /// was needed and did not answer.
    [[nodiscard]] std::optional<KeyHolder> holder_of(std::string_view key_text);
    /// The holder of the key with that handle, for a session that began with the key; empty if the
    /// key is no longer valid. Throws Unavailable as above.
    [[nodiscard]] std::optional<KeyHolder> with_handle(std::string_view handle);
    /// Whether there are no keys at all, valid or expired. Throws Unavailable as above.
    [[nodiscard]] bool empty();

    /// The same by the last reading, however old; empty if the keys were never read. Does not read
    /// the database, so it can be called where waiting for it is not allowed.
    [[nodiscard]] std::optional<bool> last_known_empty() const;
    /// By the last reading. Does not read the database.
    [[nodiscard]] ExpiringKeys expiring() const;

    /// A key was made or revoked here: reads the keys again. Does not throw; if the database does
    /// not answer, the next request reads them.
    void check_again();
    /// Reads the keys again unless the last reading is fresh. Throws Unavailable.
    void refresh() { (void)known(); }
    /// Replaces the keys of the operator's file.
    void fix(std::vector<FixedKey> keys);
    [[nodiscard]] std::vector<Role> fixed_roles() const;
    /// Stores which keys have been used since the last call. Throws Unavailable.
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
    std::mutex reading_;                  // held while reading the database; locked before mutex_
    mutable std::mutex mutex_;            // all below
    std::shared_ptr<const Known> known_;  // null: a request reads first
    std::shared_ptr<const Known> last_;   // the last reading, however old
    std::uint64_t generation_ = 0;        // counts the changes made here
    std::map<std::string, FixedKey, std::less<>> fixed_;  // by handle
    std::map<ApiKeyId, Instant> uses_;                    // not yet stored
};

/// Bounds the memory: every instance holds all keys in RAM.
inline constexpr std::size_t max_api_keys = 1'000;

struct NewApiKey {
    std::string name{};
    Role role = Role::read;
    std::optional<Instant> expires_at{};
};

struct CreatedApiKey {
    ApiKey key;
    std::string text;  // the key itself, shown only once
};

/// Makes a key, which gives the right to use the API.
class CreateApiKey {
public:
    /// `fixed_roles`: of keys that are in no database, as of now.
    CreateApiKey(Store& store, ApiKeySecrets& secrets, Ids& ids,
                 std::function<std::vector<Role>()> fixed_roles)
        : store_(store), secrets_(secrets), ids_(ids), fixed_roles_(std::move(fixed_roles)) {}
    /// Errors: ValidationFailed, FirstKeyNotAdmin, LastAdminKey.
    [[nodiscard]] ApiKeyResult<CreatedApiKey> run(const NewApiKey& requested, const Caller& caller);

private:
    Store& store_;
    ApiKeySecrets& secrets_;
    Ids& ids_;
    std::function<std::vector<Role>()> fixed_roles_;
};

/// Removes a key. Every ApiKeyRing refuses it within seconds.
class RevokeApiKey {
public:
    /// `fixed_roles`: of keys that are in no database, as of now.
    RevokeApiKey(Store& store, Ids& ids, std::function<std::vector<Role>()> fixed_roles)
        : store_(store), ids_(ids), fixed_roles_(std::move(fixed_roles)) {}
    /// By its id or its ten characters. Errors: NotFound, LastAdminKey.
    [[nodiscard]] ApiKeyResult<void> run(std::string_view reference, const Caller& caller);

private:
    Store& store_;
    Ids& ids_;
    std::function<std::vector<Role>()> fixed_roles_;
};

}  // namespace sundial
