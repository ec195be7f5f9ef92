#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "application/ports/clock.hpp"
#include "server/settings.hpp"

namespace sundial::bench {

/// Prints a progress line from time to time during long work. Thread-safe.
class Progress {
public:
    Progress(std::ostream& out, const MonotonicClock& clock);
    /// "drain: 400000 of 1000000", unless a line was printed a moment ago.
    void at(std::string_view what, std::size_t done, std::size_t of);

private:
    std::ostream& out_;
    const MonotonicClock& clock_;
    std::mutex mutex_;
    std::chrono::microseconds reported_at_;
};

/// `sundial bench`: measures this program on a given database and machine.

struct Options {
    std::string db{};               // new SQLite file, or postgresql://…; empty: a temporary file
    std::size_t events = 0;         // per run
    std::size_t runs = 3;           // the median of them is reported
    std::size_t instances = 1;      // drain: engines; claim: claimers
    std::size_t in_flight = 64;     // create, append: concurrent calls
    std::size_t batch = 1;          // create, claim, append: rows per call
    std::size_t future_rows = 0;    // stored beforehand, due in years
    std::size_t finished_rows = 0;  // stored beforehand, delivered
    double rate = 100;              // lateness: events per second
    bool http = false;              // create: over the REST API of its own server
    bool handler = false;           // lateness: to a handler in the process, not over HTTP
    bool snapshot = false;          // lateness: a read transaction stays open from half time on
    std::optional<double> snapshot_after{};  // lateness: the same, from this second on
    double window = 0;                       // lateness: seconds of each window; 0: no windows
    bool no_database = false;                // peak: only the HTTP client sends
    bool keep = false;                       // keeps the database afterwards
    bool json = false;  // one JSON object per run, the last line for all of them
};

/// One kind of work, and the defaults of its options.
struct Work {
    std::string_view name;
    std::string_view help;
    Options usual{};
};
[[nodiscard]] std::span<const Work> works();

/// Does `work` in its own database, `options.runs` times, and reports the measurements. `settings`
/// are those of the product, but `options.db` decides the storage. Returns the exit code: 1 if any
/// run is invalid. Throws CannotStart, Unavailable.
[[nodiscard]] int run(const Work& work, const Options& options, server::Settings settings,
                      std::ostream& out, std::ostream& progress);

}  // namespace sundial::bench
