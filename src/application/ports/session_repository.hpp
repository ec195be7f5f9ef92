#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "domain/time/types.hpp"

namespace sundial {

/// A browser that has logged in with an API key.
struct BrowserSession {
    std::string token_hash;  // of the token in the browser's cookie: 32 bytes
    std::string handle;      // of the key: its rights are the session's
    Instant created_at, expires_at;
    friend bool operator==(const BrowserSession&, const BrowserSession&) = default;
};

class SessionRepository {
public:
    virtual ~SessionRepository() = default;
    virtual void add(const BrowserSession& session) = 0;
    /// In order of their creation.
    virtual std::vector<BrowserSession> all() = 0;
    /// Ends the session, if it exists.
    virtual void remove(const std::string& token_hash) = 0;
    /// Removes the sessions of that key except the newest `kept`.
    virtual void remove_of(const std::string& handle, std::size_t kept) = 0;
    /// Removes the sessions that expired until then, and all others but the newest `most`.
    virtual void forget(Instant until, std::size_t most) = 0;
};

}  // namespace sundial
