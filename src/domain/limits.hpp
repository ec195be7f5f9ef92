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
    std::vector<SlotLease> leases{};
    friend bool operator==(const Limits&, const Limits&) = default;
};

/// The limits of an endpoint; empty: unlimited.
struct LimitRules {
    std::optional<RateLimit> rate{};
    std::optional<std::uint32_t> max_in_flight{};
};

/// The demand of one instance: requests for `waiting` events in addition to its `in_flight` ones.
struct LimitDemand {
    InstanceId by;
    std::uint32_t in_flight = 0;
    std::uint32_t waiting = 0;
    std::chrono::microseconds lease{0};
    /// Tokens that the bucket gains within this time are reserved too. A request that is prepared
    /// before its token is available starts on time, so a bucket of one token loses nothing. At
    /// most 1 s.
    std::chrono::microseconds ahead{0};
    /// Since when events have waited for a token, if this demand is a repetition. The bucket counts
    /// from then on, although the demand comes a little later.
    std::optional<Instant> since{};
};
struct LimitGrant {
    std::uint32_t admitted = 0;  // number of waiting events that may start
    std::uint32_t slots = 0;     // maximum requests in flight until the lease ends
    std::uint32_t share = 0;     // beyond it no new requests: others need theirs
    /// With a rate: when each admitted event may start, ascending.
    std::vector<Instant> starts{};
    /// When the next token is available, if the rate refused an event.
    std::optional<Instant> next_token{};
};

struct Shared {
    Limits limits;
    LimitGrant grant;
};
/// Never grants more slots than the limit in total, and never more tokens than have been added.
[[nodiscard]] Shared share_out(Limits limits, const LimitRules& rules, const LimitDemand& demand,
                               Instant now);

}  // namespace sundial
