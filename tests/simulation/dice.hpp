#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace sundial::simulation {

/// The only source of randomness: the same seed gives the same numbers on every machine
/// (SplitMix64; the distributions of the standard library differ between implementations).
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31U);
    }
    /// Uniform in [0, 1).
    double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
    bool chance(double probability) { return unit() < probability; }
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }
    std::chrono::microseconds between(std::chrono::microseconds low,
                                      std::chrono::microseconds high) {
        return low + std::chrono::microseconds{static_cast<std::int64_t>(
                         below(static_cast<std::uint64_t>((high - low).count()) + 1))};
    }
    /// A random element of a range that is not empty.
    template <class Range>
    auto& pick(Range&& range) {
        return *std::next(std::begin(range), static_cast<std::ptrdiff_t>(below(std::size(range))));
    }

private:
    std::uint64_t state_;
};

}  // namespace sundial::simulation
