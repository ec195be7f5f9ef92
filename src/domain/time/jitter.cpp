#include "domain/time/jitter.hpp"

#include <algorithm>
#include <cstdint>

namespace sundial {
namespace {

using std::chrono::microseconds;

/// 64-bit FNV-1a over the id and the eight bytes of the instant, lowest first.
std::uint64_t hash_of(std::string_view schedule, Instant due) {
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto take = [&hash](std::uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3; };
    for (const char c : schedule) take(static_cast<std::uint8_t>(c));
    const auto instant = static_cast<std::uint64_t>(due.time_since_epoch().count());
    for (unsigned shift = 0; shift < 64; shift += 8)
        take(static_cast<std::uint8_t>(instant >> shift));
    // The last bytes hardly affect FNV's high bits; folding those over the low ones spreads both.
    return hash ^ (hash >> 32);
}

}  // namespace

microseconds jitter_of(std::string_view schedule, Instant due, std::optional<Instant> next,
                       std::chrono::seconds jitter) {
    microseconds below = jitter;
    if (next) below = std::min(below, (*next - due) / 2);
    if (below <= microseconds{0}) return microseconds{0};
    return microseconds{static_cast<std::int64_t>(hash_of(schedule, due) %
                                                  static_cast<std::uint64_t>(below.count()))};
}

}  // namespace sundial
