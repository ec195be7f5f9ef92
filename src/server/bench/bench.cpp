#include "server/bench/bench.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <vector>

#include "adapters/zones/cctz_time_zones.hpp"
#include "application/ports/failures.hpp"
#include "base/check.hpp"
#include "server/bench/site.hpp"
#include "server/version.hpp"

namespace sundial::bench {

using namespace std::chrono_literals;

Progress::Progress(std::ostream& out, const MonotonicClock& clock)
    : out_(out), clock_(clock), reported_at_(clock.now()) {}

void Progress::at(std::string_view what, std::size_t done, std::size_t of) {
    constexpr auto often_enough = 5s;
    const std::lock_guard lock(mutex_);
    if (clock_.now() - reported_at_ < often_enough) return;
    reported_at_ = clock_.now();
    out_ << what << ": " << done << " of " << of << '\n' << std::flush;
}

namespace {

using Measure = Measured (*)(const Site& site);
Measure measure_of(std::string_view work) {
    if (work == "drain") return drain;
    if (work == "create") return create;
    if (work == "lateness") return lateness;
    if (work == "peak") return peak;
    if (work == "claim") return claim;
    if (work == "append") return append;
    base::check(work == "time");
    return time_rules;
}

/// By default the product must not call a receiver on its own machine.
void let_through_to_this_machine(server::Settings& settings) {
    settings.delivery.allow_private = true;
}

}  // namespace

std::span<const Work> works() {
    static const std::array all{
        Work{"drain",
             "due events to a handler that does nothing, full history kept",
             {.events = 100'000}},
        Work{"create",
             "events stored one by one, or --batch rows in a transaction",
             {.events = 20'000}},
        Work{"lateness",
             "how late deliveries start under a steady load",
             {.events = 2'000, .runs = 1}},
        Work{"peak",
             "events due at one instant, to a receiver on this machine over HTTP",
             {.events = 100'000}},
        Work{"claim",
             "claims and settlements alone, without the worker",
             {.events = 100'000, .batch = 100}},
        Work{"append",
             "recorded events appended to streams, one for each writer",
             {.events = 20'000, .in_flight = 1, .batch = 100}},
        Work{"time", "the next occurrence of rules", {.events = 1'000'000}},
    };
    return all;
}

int run(const Work& work, const Options& options, server::Settings settings, std::ostream& out,
        std::ostream& progress) {
    system::LogSettings quiet;
    quiet.level = base::LogLevel::error;
    quiet.version = server::product_version();
    system::JsonLog log(quiet);
    const system::BootClock clock;
    const zones::CctzTimeZones zones;
    system::SystemIds ids;
    Progress lines(progress, clock);

    const auto scratch = ScratchDatabase::make(options.db, log);
    if (options.keep) scratch->keep();
    settings.storage.url = scratch->url();
    settings.storage.listen_url.clear();
    let_through_to_this_machine(settings);
    if (server::sqlite_file(settings.storage.url) && options.instances > 1 && work.name == "drain")
        throw CannotStart("--instances: a SQLite file belongs to one process");

    std::vector<Measured> runs;
    for (std::size_t number = 1; number <= options.runs; ++number) {
        const Site site{work, options, settings, *scratch, zones, ids, log, clock, lines, number};
        if (number == 1) fill(site);
        runs.push_back(measure_of(work.name)(site));
        out << (options.json ? run_json(runs.back(), number) : run_text(runs.back(), number))
            << '\n'
            << std::flush;
    }
    if (options.keep) progress << "kept: " << scratch->url() << '\n';
    out << (options.json ? summary_json(work.name, runs) : summary_text(work.name, runs)) << '\n';
    return std::ranges::all_of(runs, [](const Measured& each) { return each.faults.empty(); }) ? 0
                                                                                               : 1;
}

}  // namespace sundial::bench
