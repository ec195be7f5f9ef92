#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// A bucket of `burst` tokens into which `per_second` fall; each request takes one.
struct RateLimit {
    std::uint32_t per_second = 1;
    std::uint32_t burst = 1;
    friend bool operator==(const RateLimit&, const RateLimit&) = default;
};

/// The share that one instance has of an endpoint's requests in flight. A dead instance's is free
/// again when it ends.
struct SlotLease {
    InstanceId by;
    std::uint32_t slots = 0;  // requests that it may have in flight
    Instant ends{};
    Instant lacks_until{};  // so long others leave it its part; over, if it has enough
    friend bool operator==(const SlotLease&, const SlotLease&) = default;
};

/// What all instances share of one endpoint's limits.
struct Limits {
    EndpointId endpoint;
    Instant bucket_full_at{};  // tells how many tokens it has: all of them from then on
    Instant promised_until{};  // the latest moment for which a waiting event was given a place
    std::vector<SlotLease> leases{};
    friend bool operator==(const Limits&, const Limits&) = default;
};

/// What an endpoint allows; empty: as much as anyone likes.
struct LimitRules {
    std::optional<RateLimit> rate{};
    std::optional<std::uint32_t> max_in_flight{};
};

/// What an instance asks for: places for `waiting` events beside the `in_flight` that it has.
struct LimitDemand {
    InstanceId by;
    std::uint32_t in_flight = 0;
    std::uint32_t waiting = 0;
    std::chrono::microseconds mean_try{0};  // how long a request usually takes
    std::chrono::microseconds lease{0};
};
struct LimitGrant {
    std::uint32_t admitted = 0;     // of those that wait
    std::uint32_t slots = 0;        // all that it may have in flight until the lease is over
    std::uint32_t share = 0;        // beyond it nothing new: others want theirs
    std::vector<Instant> places{};  // when those that are not admitted may ask again, in turn
};

struct Shared {
    Limits limits;
    LimitGrant grant;
};
/// Never more slots than there are, whoever asks and how often; never more tokens than have fallen.
[[nodiscard]] Shared share_out(Limits limits, const LimitRules& rules, const LimitDemand& demand,
                               Instant now);

/// Tokens in the bucket at `now`.
[[nodiscard]] std::uint32_t tokens_at(const Limits& limits, const RateLimit& rate, Instant now);

}  // namespace sundial
