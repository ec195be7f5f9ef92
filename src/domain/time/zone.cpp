#include "domain/time/zone.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text.hpp"

namespace sundial {
namespace {

/// FNV-1a, 64 bits, over the bytes of numbers, lowest first: the same on every machine.
class Fnv {
public:
    void add(std::int64_t number) {
        auto rest = static_cast<std::uint64_t>(number);
        for (int byte = 0; byte < 8; ++byte, rest >>= 8U) {
            hash_ = (hash_ ^ (rest & 0xffU)) * 0x100000001b3U;
        }
    }
    [[nodiscard]] std::uint64_t value() const { return hash_; }

private:
    std::uint64_t hash_ = 0xcbf29ce484222325U;
};

constexpr std::size_t year_digits = 4;

/// A year and at least one letter.
bool is_release(std::string_view text) {
    return text.size() > year_digits &&
           std::ranges::all_of(text.substr(0, year_digits), base::is_digit) &&
           std::ranges::all_of(text.substr(year_digits), base::is_lower);
}

}  // namespace

Fingerprint fingerprint(const Zone& zone, Instant from) {
    Fnv hash;
    hash.add(zone.offset_at(from).count());
    const Instant end = from + fingerprint_reach;
    for (auto change = zone.next_change(from); change && change->at <= end;
         change = zone.next_change(change->at)) {
        hash.add(change->at.time_since_epoch().count());
        hash.add(change->after.count());
    }
    return Fingerprint{hash.value()};
}

std::optional<Instant> first_difference(const Zone& a, const Zone& b, Instant from, Instant until) {
    while (from < until) {
        if (a.offset_at(from) != b.offset_at(from)) return from;
        const auto of_a = a.next_change(from);
        const auto of_b = b.next_change(from);
        if (!of_a && !of_b) return std::nullopt;
        from = std::min(of_a ? Instant{of_a->at} : never, of_b ? Instant{of_b->at} : never);
    }
    return std::nullopt;
}

bool is_older_release(std::string_view a, std::string_view b) {
    if (!is_release(a) || !is_release(b)) return false;
    // After 2031z comes 2031za.
    const auto rank = [](std::string_view release) {
        return std::pair(release.substr(0, year_digits), release.size());
    };
    return rank(a) != rank(b) ? rank(a) < rank(b) : a < b;
}

}  // namespace sundial
