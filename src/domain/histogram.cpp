#include "domain/histogram.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace sundial {
namespace {

using std::chrono::microseconds;

constexpr unsigned steps = 8;  // of a doubling
constexpr unsigned step_bits = 3;
/// About eight years; longer durations count as this.
constexpr std::uint64_t longest = (std::uint64_t{1} << 48U) - 1;
constexpr std::uint16_t buckets = (48 - step_bits + 1) * steps;

std::uint16_t bucket_of(microseconds value) {
    if (value.count() <= 0) return 0;
    const auto number = std::min(static_cast<std::uint64_t>(value.count()), longest);
    if (number < steps) return static_cast<std::uint16_t>(number);
    const auto power = static_cast<unsigned>(std::bit_width(number)) - 1;
    const auto step = static_cast<unsigned>(number >> (power - step_bits)) & (steps - 1);
    return static_cast<std::uint16_t>((power - step_bits + 1) * steps + step);
}

/// The middle of the bucket.
microseconds value_of(std::uint16_t bucket) {
    if (bucket < steps) return microseconds{bucket};
    const unsigned shift = bucket / steps - 1;
    const std::uint64_t low = std::uint64_t{steps + bucket % steps} << shift;
    const std::uint64_t width = std::uint64_t{1} << shift;
    return microseconds{static_cast<microseconds::rep>(low + width / 2)};
}

/// Reads a number at the start of `text` and removes it and the following `end`, if any.
template <class Number>
bool take(std::string_view& text, char end, Number& number) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    if (text.empty()) return true;
    if (text.front() != end) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

void Histogram::add(microseconds value, std::uint64_t times) {
    buckets_[bucket_of(value)] += times;
}

void Histogram::add(const Histogram& other) {
    for (const auto& [bucket, times] : other.buckets_) buckets_[bucket] += times;
}

std::uint64_t Histogram::count() const {
    std::uint64_t all = 0;
    for (const auto& [bucket, times] : buckets_) all += times;
    return all;
}

std::optional<microseconds> Histogram::quantile(double share) const {
    const std::uint64_t all = count();
    if (all == 0) return std::nullopt;
    const auto rank = static_cast<std::uint64_t>(
        std::max(1.0, std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(all))));
    std::uint64_t passed = 0;
    for (const auto& [bucket, times] : buckets_) {
        passed += times;
        if (passed >= rank) return value_of(bucket);
    }
    return value_of(buckets_.rbegin()->first);
}

std::string Histogram::text() const {
    std::string text;
    for (const auto& [bucket, times] : buckets_) {
        if (!text.empty()) text += ' ';
        text += std::to_string(bucket) + ':' + std::to_string(times);
    }
    return text;
}

std::optional<Histogram> Histogram::read(std::string_view text) {
    Histogram histogram;
    while (!text.empty()) {
        std::uint16_t bucket = 0;
        std::uint64_t times = 0;
        if (!take(text, ':', bucket) || !take(text, ' ', times)) return std::nullopt;
        if (bucket >= buckets || times == 0) return std::nullopt;
        if (!histogram.buckets_.emplace(bucket, times).second) return std::nullopt;
    }
    return histogram;
}

}  // namespace sundial
