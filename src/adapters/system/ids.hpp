#pragma once

#include <cstdint>
#include <mutex>

#include "application/ports/ids.hpp"

namespace sundial::system {

/// Ids of RFC 9562 and keys, from the system clock and OpenSSL's random source. Thread-safe.
class SystemIds final : public Ids {
public:
    Uuid fresh() override;
    EventId event_id(const IdempotencyKey& first_key) override;
    IdempotencyKey random_key() override;
    IdempotencyKey generated_key(std::string_view schedule, std::optional<UserId> user,
                                 std::string_view occurrence) override;

private:
    std::uint64_t next_tick();

    std::mutex mutex_;
    std::uint64_t last_tick_ =
        0;  // 1/4096 ms since 1970, strictly increasing: ids of one process sort by creation
};

/// Uniform random numbers for jitter and random choices, never for secrets. One generator per
/// thread, seeded from OpenSSL's random source. Thread-safe.
class SystemRandom final : public Random {
public:
    double unit() override;
};

}  // namespace sundial::system
