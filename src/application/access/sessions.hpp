#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "application/access/api_keys.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// Maximum number of sessions, because every instance holds all of them in RAM. One login more ends
/// the oldest session of its key, or of all keys.
inline constexpr std::size_t max_sessions = 1'000;
/// Maximum for one key, so that one key cannot end the sessions of all others.
inline constexpr std::size_t max_sessions_of_key = 50;

/// A session as a request shows it.
struct SessionHolder {
    KeyHolder holder;        // of the key that logged in
    std::string csrf_token;  // pages must send it with each change
    Instant expires_at;
};

/// Sessions of browsers, which log in with an API key and then show a token in a cookie. The
/// database has the hash of the token only. A session has the rights of its key and ends with it,
/// within seconds on all instances. Thread-safe.
class Sessions {
public:
    /// An unknown token may be of a session that began on another instance, so the sessions are
    /// read again, but not more often than this.
    static constexpr std::chrono::milliseconds reread_after{100};

    struct Ports {
        Store& store;
        ApiKeyRing& keys;
        ApiKeySecrets& secrets;
        const MonotonicClock& monotonic;
    };
    Sessions(const Ports& ports, std::chrono::seconds lifetime)
        : ports_(ports), lifetime_(lifetime) {}

    struct LoggedIn {
        std::string token;  // for the cookie
        SessionHolder session;
    };
    /// Empty if the key is not valid. Throws Unavailable.
    [[nodiscard]] std::optional<LoggedIn> log_in(std::string_view key);
    /// The session with that token; empty if there is none. Throws Unavailable.
    [[nodiscard]] std::optional<SessionHolder> holder_of(std::string_view token);
    /// Ends the session, here at once and on other instances within seconds. Throws Unavailable.
    void log_out(std::string_view token);

    [[nodiscard]] std::chrono::seconds lifetime() const { return lifetime_; }

private:
    struct Known {
        std::map<std::string, BrowserSession, std::less<>> sessions;  // by hash
        Instant as_of;
        Mono read_at;
    };
    [[nodiscard]] std::shared_ptr<const Known> known(const std::string& hash);
    [[nodiscard]] std::shared_ptr<const Known> read();
    void forget_known();
    [[nodiscard]] std::optional<SessionHolder> shown(const BrowserSession& session,
                                                     std::string_view token);

    const Ports ports_;
    const std::chrono::seconds lifetime_;
    std::mutex reading_;  // held while reading the database; locked before mutex_
    std::mutex mutex_;    // all below
    std::shared_ptr<const Known> known_;
};

}  // namespace sundial
