#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace sundial {

/// Counts durations in fixed logarithmic buckets, eight to a doubling. All histograms have the same
/// buckets, so those of any instances and times can be added. A quantile is off by 1/16 at most.
class Histogram {
public:
    void add(std::chrono::microseconds value, std::uint64_t times = 1);
    void add(const Histogram& other);
    [[nodiscard]] std::uint64_t count() const;
    /// `share` from 0 to 1; empty for an empty histogram.
    [[nodiscard]] std::optional<std::chrono::microseconds> quantile(double share) const;

    /// The text that databases store: "bucket:count bucket:count".
    [[nodiscard]] std::string text() const;
    /// Empty if `text` is not the text of a histogram.
    [[nodiscard]] static std::optional<Histogram> read(std::string_view text);

    friend bool operator==(const Histogram&, const Histogram&) = default;

private:
    std::map<std::uint16_t, std::uint64_t> buckets_;
};

}  // namespace sundial
