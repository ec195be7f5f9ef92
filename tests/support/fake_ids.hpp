#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "application/ports/ids.hpp"
#include "support/builders.hpp"

namespace sundial {

/// Unique ids, the same in every run; keys that contain their inputs.
class FakeIds final : public Ids {
public:
    Uuid fresh() override {
        const std::lock_guard lock(mutex_);
        return uuid_of(first + (++count_ << 8U));
    }
    EventId event_id(const IdempotencyKey& first_key) override {
        EventId id{fresh()};
        std::uint8_t sum = 0;
        for (const char c : first_key.value) sum = static_cast<std::uint8_t>(sum * 31 + c);
        id.value.bytes[15] = sum;
        return id;
    }
    IdempotencyKey random_key() override {
        return IdempotencyKey{"random-" + base::to_string(fresh())};
    }
    IdempotencyKey generated_key(std::string_view schedule, std::optional<UserId> user,
                                 std::string_view occurrence) override {
        std::string key{schedule};
        key.append(1, '_').append(user ? to_string(*user) : "").append(1, '_').append(occurrence);
        for (char& c : key) {
            if (c == ':' || c == ' ' || c == '.') c = '-';
        }
        return IdempotencyKey{std::move(key)};
    }

private:
    /// Far from the builders' ids. `event_id` sets the last byte.
    static constexpr std::uint64_t first = 1ULL << 40U;
    std::mutex mutex_;
    std::uint64_t count_ = 0;
};

/// Always the same number: the middle by default.
class FakeRandom final : public Random {
public:
    double unit() override { return value; }
    double value = 0.5;
};

}  // namespace sundial
