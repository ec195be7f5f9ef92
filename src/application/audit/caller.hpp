#pragma once

#include <string>
#include <utility>

namespace sundial {

/// The caller on whose behalf a change is made, as the change's record names it.
struct Caller {
    /// The program itself.
    Caller() = default;
    /// A caller without a key, such as a user of the library.
    // NOLINTNEXTLINE(google-explicit-constructor): a plain text says all there is to say of it
    Caller(const char* its_correlation_id) : correlation_id(its_correlation_id) {}
    Caller(std::string its_correlation_id, std::string its_actor)
        : correlation_id(std::move(its_correlation_id)), actor(std::move(its_actor)) {}

    std::string correlation_id;  // of the request: "req-…"
    std::string actor;  // "key:7f3a9k2m1q"; "loopback" if no key was required; empty: no request
};

}  // namespace sundial
