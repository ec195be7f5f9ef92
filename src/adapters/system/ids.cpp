#include "adapters/system/ids.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <span>
#include <string>

#include "adapters/system/crypto.hpp"
#include "base/text.hpp"

namespace sundial::system {
namespace {

constexpr std::size_t key_bytes = 16;  // 128 bits: no collision to expect at 10^9 events

}  // namespace

std::uint64_t SystemIds::next_tick() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    const auto nanos = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count());
    const std::uint64_t tick = nanos / 1'000'000 * 4096 + nanos % 1'000'000 * 4096 / 1'000'000;
    const std::lock_guard lock(mutex_);
    last_tick_ = std::max(tick, last_tick_ + 1);
    return last_tick_;
}

Uuid SystemIds::fresh() {
    const std::uint64_t tick = next_tick();
    const std::uint64_t millis = tick / 4096;
    const std::uint64_t fraction = tick % 4096;
    const std::uint64_t random = random_number();
    Uuid uuid;  // RFC 9562 section 5.7; the fraction uses method 3 of section 6.2
    for (std::size_t i = 0; i < 6; ++i) {
        uuid.bytes[i] = static_cast<std::uint8_t>(millis >> (40 - 8 * i));
    }
    uuid.bytes[6] = static_cast<std::uint8_t>(0x70 | fraction >> 8);
    uuid.bytes[7] = static_cast<std::uint8_t>(fraction);
    std::memcpy(&uuid.bytes[8], &random, sizeof(random));
    uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3F) | 0x80);
    return uuid;
}

EventId SystemIds::event_id(const IdempotencyKey& first_key) {
    Uuid uuid = fresh();
    uuid.bytes.back() = static_cast<std::uint8_t>(sha256(first_key.value).back());
    return EventId{uuid};
}

IdempotencyKey SystemIds::random_key() {
    return IdempotencyKey{"event-" + base::to_hex(random_bytes(key_bytes))};
}

IdempotencyKey SystemIds::generated_key(std::string_view schedule, std::optional<UserId> user,
                                        std::string_view occurrence) {
    std::string name{schedule};
    name.append(1, '\n').append(user ? to_string(*user) : "").append(1, '\n').append(occurrence);
    return IdempotencyKey{"event-" +
                          base::to_hex(std::string_view(sha256(name)).substr(0, key_bytes))};
}

double SystemRandom::unit() {
    // Reading entropy for each number took a twelfth of the worker thread's time in a drain.
    thread_local std::mt19937_64 generator{random_number()};
    return static_cast<double>(generator() >> 11) * 0x1.0p-53;
}

}  // namespace sundial::system
