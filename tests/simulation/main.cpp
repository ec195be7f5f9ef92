// A long simulation: `./sundial-dev sim SEED=1 SEEDS=10000 YEARS=0.1 FAULTS=mixed`.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "simulation/simulation.hpp"

namespace {

using namespace sundial::simulation;

constexpr std::string_view usage =
    "usage: sundial-dev sim [SEED=1] [SEEDS=1] [YEARS=0.1] "
    "[FAULTS=none|crash|replies|pause|clock|mixed]\n";

struct Arguments {
    Settings settings;
    std::uint64_t seeds = 1;
};

template <class Number>
bool read(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

bool read_argument(std::string_view argument, Arguments& arguments) {
    const auto equals = argument.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view name = argument.substr(0, equals), value = argument.substr(equals + 1);
    if (name == "SEED") return read(value, arguments.settings.seed);
    if (name == "SEEDS") return read(value, arguments.seeds) && arguments.seeds > 0;
    if (name == "YEARS")
        return read(value, arguments.settings.years) && arguments.settings.years > 0;
    if (name != "FAULTS") return false;
    const auto profile = parse_profile(value);
    arguments.settings.faults = profile.value_or(Profile::none);
    return profile.has_value();
}

/// Sums over all seeds.
class Sum {
public:
    void add(const Run& run, double years) {
        ++seeds_;
        years_ += years;
        counts_.turns += run.counts.turns;
        counts_.calls += run.counts.calls;
        counts_.actions += run.counts.actions;
        counts_.requests += run.counts.requests;
        counts_.accepted += run.counts.accepted;
        counts_.events += run.counts.events;
        for (const auto& [kind, count] : run.counts.faults) counts_.faults[kind] += count;
        for (const auto& [cause, count] : run.verdict.excused) excused_[cause] += count;
    }
    void print() const {
        std::cout << seeds_ << " seeds, " << years_ << " simulated years, " << counts_.actions
                  << " requests of clients, " << counts_.events << " events, " << counts_.requests
                  << " deliveries (" << counts_.accepted << " accepted), " << counts_.turns
                  << " turns, " << counts_.calls << " calls of the database\n";
        for (const auto& [kind, count] : counts_.faults) {
            std::cout << "  fault " << kind << ": " << count << "\n";
        }
        for (const auto& [cause, count] : excused_) {
            std::cout << "  excused " << cause << ": " << count << "\n";
        }
        std::cout << std::flush;
    }

private:
    std::uint64_t seeds_ = 0;
    double years_ = 0;
    Counts counts_;
    std::map<std::string, std::uint64_t> excused_;
};

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        if (read_argument(argv[i], arguments)) continue;
        std::cerr << "cannot read '" << argv[i] << "'\n" << usage;
        return 2;
    }
    Sum sum;
    auto reported_at = std::chrono::steady_clock::now();
    const std::uint64_t first = arguments.settings.seed;
    for (std::uint64_t seed = first; seed < first + arguments.seeds; ++seed) {
        Settings settings{
            .seed = seed, .years = arguments.settings.years, .faults = arguments.settings.faults};
        const Run run = simulate(settings);
        sum.add(run, settings.years);
        if (!run.verdict.good()) {
            std::cout << explain(run) << "FAILED: replay it with ./sundial-dev sim SEED=" << seed
                      << " YEARS=" << settings.years << " FAULTS=" << to_string(settings.faults)
                      << "\n";
            return 1;
        }
        if (arguments.seeds == 1)
            std::cout << "trace hash " << std::hex << run.hash << std::dec << "\n";
        const auto now = std::chrono::steady_clock::now();
        if (now - reported_at > std::chrono::seconds{15}) {
            reported_at = now;
            std::cout << "seed " << seed << ": nothing found so far\n" << std::flush;
        }
    }
    sum.print();
    return 0;
}
