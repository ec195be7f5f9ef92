#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/strong.hpp"
#include "base/uuid.hpp"

namespace sundial {

using base::Strong;
using base::Uuid;

using EventId = Strong<struct EventIdTag, Uuid>;
using UserId = Strong<struct UserIdTag, Uuid>;
using ScheduleId = Strong<struct ScheduleIdTag, Uuid>;
using EndpointId = Strong<struct EndpointIdTag, Uuid>;
using OperationId = Strong<struct OperationIdTag, Uuid>;
using CalendarId = Strong<struct CalendarIdTag, Uuid>;
using ApiKeyId = Strong<struct ApiKeyIdTag, Uuid>;
using InstanceId = Strong<struct InstanceIdTag, Uuid>;     // random at every start
using Version = Strong<struct VersionTag, std::uint64_t>;  // one more with every change of the row
using FencingToken = Strong<struct FencingTokenTag, std::uint64_t>;  // of a lock: only grows
using Attempt = Strong<struct AttemptTag, std::uint32_t>;            // number of the latest attempt
using IdempotencyKey = Strong<struct IdempotencyKeyTag, std::string>;  // [A-Za-z0-9_-]{1,128}

template <class Tag>
[[nodiscard]] std::string to_string(const Strong<Tag, Uuid>& id) {
    return base::to_string(id.value);
}

/// The shard of an event: the last byte of its id, taken from a hash of its first key.
[[nodiscard]] inline std::uint32_t shard_of(const EventId& id, std::uint32_t shards) {
    return id.value.bytes.back() % shards;
}

/// The holder of a claim: an instance, or a pull worker that claimed through that instance. An
/// instance converts to a claimant.
struct Claimant {
    InstanceId instance;
    std::string worker;  // the name that the worker gives itself; empty: the instance's own claim

    Claimant(InstanceId itself) : instance(itself) {}
    Claimant(InstanceId asked, std::string name) : instance(asked), worker(std::move(name)) {}
    friend bool operator==(const Claimant&, const Claimant&) = default;
};

/// `claimedBy`: the worker's name, or the instance's id.
[[nodiscard]] inline std::string to_string(const Claimant& claimant) {
    return claimant.worker.empty() ? to_string(claimant.instance) : claimant.worker;
}

}  // namespace sundial
