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

/// Statistics of many durations.
struct Spread {
    double p50_ms = 0, p99_ms = 0, p999_ms = 0, max_ms = 0;
};
/// Nothing if there are none.
[[nodiscard]] std::optional<Spread> spread_of(std::vector<microseconds> durations);

/// Resources used so far.
struct Usage {
    microseconds process{0};                 // CPU, including ended child processes
    std::optional<microseconds> database{};  // CPU of the server's processes, if they run here
    std::uint64_t written = 0;  // PostgreSQL: bytes of WAL. SQLite: bytes that the process wrote
};
[[nodiscard]] Usage operator-(const Usage& after, const Usage& before);

/// A part of a long run: shows whether it slows down.
struct Stretch {
    std::optional<Spread> lateness{};
    std::optional<Spread> claims{};
};
/// A stretch of the length of --window.
struct Window {
    std::chrono::sys_time<microseconds> from{};
    Stretch stretch{};
};

/// The results of one run.
struct Measured {
    std::size_t events = 0;
    microseconds took{0};
    Usage used{};
    std::optional<Spread> latency{};
    std::optional<double> first_ms{};  // peak: until the first delivery
    std::optional<Stretch> first_tenth{}, last_tenth{};
    std::vector<Window> windows{};
    std::vector<std::string> faults{};  // why the run does not count; empty: valid
};

[[nodiscard]] double events_per_second(const Measured& run);
[[nodiscard]] double median(std::vector<double> values);

/// One run, as a JSON object.
[[nodiscard]] std::string run_json(const Measured& run, std::size_t number);
/// All runs, in the members that docs/benchmarks.md names: medians of the runs, the worst of the
/// maxima, valid if each run is.
[[nodiscard]] std::string summary_json(std::string_view work, std::span<const Measured> runs);
/// One run as text for people.
[[nodiscard]] std::string run_text(const Measured& run, std::size_t number);
[[nodiscard]] std::string summary_text(std::string_view work, std::span<const Measured> runs);

/// CPU of this process.
[[nodiscard]] std::chrono::microseconds own_cpu();
/// CPU of another running process.
[[nodiscard]] std::chrono::microseconds cpu_of(int process);
/// Bytes that a process passed to write calls.
[[nodiscard]] std::uint64_t writes_of(int process);
/// CPU of a PostgreSQL server's processes, including ended ones; `backend` is one of them. Nothing
/// if the server does not run on this machine.
[[nodiscard]] std::optional<std::chrono::microseconds> server_cpu(int backend);

}  // namespace sundial::bench
