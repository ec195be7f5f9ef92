#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sundial::bench {

using std::chrono::microseconds;

/// Of many durations.
struct Spread {
    double p50_ms = 0, p99_ms = 0, max_ms = 0;
};
/// Nothing where there are none.
[[nodiscard]] std::optional<Spread> spread_of(std::vector<microseconds> durations);

/// What has been used so far.
struct Usage {
    microseconds process{0};  // CPU, with the processes that it has started and seen end
    std::optional<microseconds> database{};  // CPU of the server's processes, where they run here
    std::uint64_t written = 0;  // PostgreSQL: bytes of WAL. SQLite: bytes that the process wrote
};
[[nodiscard]] Usage operator-(const Usage& after, const Usage& before);

/// The first and the last tenth of a run that lasts: whether it gets slower.
struct Stretch {
    std::optional<Spread> lateness{};
    std::optional<Spread> claims{};
};

/// What one run has shown.
struct Measured {
    std::size_t events = 0;
    microseconds took{0};
    Usage used{};
    std::optional<Spread> latency{};
    std::optional<double> first_ms{};  // peak: until the first delivery
    std::optional<Stretch> first_tenth{}, last_tenth{};
    std::vector<std::string> faults{};  // why it does not count; empty: valid
};

[[nodiscard]] double events_per_second(const Measured& run);
[[nodiscard]] double median(std::vector<double> values);

/// One run, as a JSON object.
[[nodiscard]] std::string run_json(const Measured& run, std::size_t number);
/// All of them, in the members that docs/benchmarks.md names: medians of the runs, the worst of the
/// maxima, valid if each run is.
[[nodiscard]] std::string summary_json(std::string_view work, std::span<const Measured> runs);
/// For people.
[[nodiscard]] std::string run_text(const Measured& run, std::size_t number);
[[nodiscard]] std::string summary_text(std::string_view work, std::span<const Measured> runs);

}  // namespace sundial::bench
