#pragma once

#include <string>
#include <utility>

namespace sundial {

/// On whose behalf something is changed: what the record of a change says of it.
struct Caller {
    /// Nobody: the program's own doing.
    Caller() = default;
    /// One who shows no key, such as a library's user.
    // NOLINTNEXTLINE(google-explicit-constructor): a plain text says all there is to say of it
    Caller(const char* its_correlation_id) : correlation_id(its_correlation_id) {}
    Caller(std::string its_correlation_id, std::string its_actor)
        : correlation_id(std::move(its_correlation_id)), actor(std::move(its_actor)) {}

    std::string correlation_id;  // of the request: "req-…"
    std::string actor;  // "key:7f3a9k2m1q"; "loopback" where none was asked for; empty: no request
};

}  // namespace sundial
