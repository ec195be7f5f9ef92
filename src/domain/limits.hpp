#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// A token bucket: holds up to `burst` tokens and gains `per_second`; each request takes one.
struct RateLimit {
    std::uint32_t per_second = 1;
    std::uint32_t burst = 1;
    friend bool operator==(const RateLimit&, const RateLimit&) = default;
};

/// The share that one instance has of an endpoint's requests in flight. When an instance dies, its
/// share becomes free at the end of the lease.
struct SlotLease {
    InstanceId by;
    std::uint32_t slots = 0;  // maximum requests in flight of this instance
    Instant ends{};
    Instant lacks_until{};  // until then others reserve its share; past if it has enough
    friend bool operator==(const SlotLease&, const SlotLease&) = default;
};

/// The state of one endpoint's limits, shared by all instances.
struct Limits {
    EndpointId endpoint;
    Instant bucket_full_at{};  // encodes the number of tokens: the bucket is full from then on
    Instant promised_until{};  // the latest place given to a waiting event
    std::vector<SlotLease> leases{};
    friend bool operator==(const Limits&, const Limits&) = default;
};

/// The limits of an endpoint; empty: unlimited.
struct LimitRules {
    std::optional<RateLimit> rate{};
    std::optional<std::uint32_t> max_in_flight{};
};

/// The demand of one instance: places for `waiting` events in addition to its `in_flight` ones.
struct LimitDemand {
    InstanceId by;
    std::uint32_t in_flight = 0;
    std::uint32_t waiting = 0;
    std::chrono::microseconds mean_attempt{0};  // usual duration of a request
    std::chrono::microseconds lease{0};
};
struct LimitGrant {
    std::uint32_t admitted = 0;     // number of waiting events that may start
    std::uint32_t slots = 0;        // maximum requests in flight until the lease ends
    std::uint32_t share = 0;        // beyond it no new requests: others need theirs
    std::vector<Instant> places{};  // when the events not admitted may ask again, in turn
};

struct Shared {
    Limits limits;
    LimitGrant grant;
};
/// Never grants more slots than the limit in total, and never more tokens than have been added.
[[nodiscard]] Shared share_out(Limits limits, const LimitRules& rules, const LimitDemand& demand,
                               Instant now);

/// Tokens in the bucket at `now`.
[[nodiscard]] std::uint32_t tokens_at(const Limits& limits, const RateLimit& rate, Instant now);

}  // namespace sundial
