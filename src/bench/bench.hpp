#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "server/settings.hpp"

/// `sundial bench`: how fast this program is on that database and that machine.
namespace sundial::bench {

struct Options {
    std::string db{};               // SQLite file that is not there yet, or postgresql://…; empty:
                                    // a temporary file
    std::size_t events = 0;         // of each run
    std::size_t runs = 3;           // the median of them is told
    std::size_t instances = 1;      // drain: engines; claim: claimers
    std::size_t in_flight = 64;     // create, append: calls at once
    std::size_t batch = 1;          // create, claim, append: rows of one call
    std::size_t future_rows = 0;    // there beforehand, due in years
    std::size_t finished_rows = 0;  // there beforehand, delivered
    double rate = 100;              // lateness: events a second
    bool http = false;              // create: over the REST API of a server of its own
    bool handler = false;           // lateness: to a handler in the process, not over HTTP
    bool snapshot = false;          // lateness: a read transaction is open from half time on
    bool no_database = false;       // peak: what the HTTP client alone sends
    bool keep = false;              // leaves the database behind
    bool json = false;              // a JSON object for each run, the last line for all of them
};

/// One kind of work, with what its options are unless others are asked for.
struct Work {
    std::string_view name;
    std::string_view help;
    Options usual{};
};
[[nodiscard]] std::span<const Work> works();

/// Does `work` in a database of its own, `options.runs` times, and tells what it took. `settings`
/// are those of the product; where it stores is decided by `options.db`. Returns the exit code: 1
/// if any run is not valid. Throws CannotStart, Unavailable.
[[nodiscard]] int run(const Work& work, const Options& options, server::Settings settings,
                      std::ostream& out, std::ostream& progress);

}  // namespace sundial::bench
