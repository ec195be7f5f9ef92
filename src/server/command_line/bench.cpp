#include "server/bench/bench.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>

#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"

namespace sundial::server {
namespace {

struct BenchFlags {
    SettingsFlags settings{};
    bench::Options options{};
    double seconds = 0;  // for lateness: replaces the number of events
};

int measure(const bench::Work& work, const BenchFlags& flags) {
    bench::Options options = flags.options;
    options.db = flags.settings.db;
    if (flags.seconds > 0)
        options.events = static_cast<std::size_t>(std::ceil(options.rate * flags.seconds));
    return bench::run(work, options, load(flags.settings).settings, std::cout, std::cerr);
}

CLI::Option& add_number(CLI::App& command, const char* name, std::size_t& number, std::size_t max,
                        const char* help) {
    constexpr std::size_t min = 1;
    return *command.add_option(name, number, help)
                ->check(CLI::Range(min, max))
                ->capture_default_str();
}

void add_rows(CLI::App& command, bench::Options& options) {
    constexpr std::size_t none = 0, max = 100'000'000;
    command
        .add_option("--future-rows", options.future_rows,
                    "future events that the database already has")
        ->check(CLI::Range(none, max));
    command
        .add_option("--finished-rows", options.finished_rows,
                    "delivered events that the history already has")
        ->check(CLI::Range(none, max));
}

/// Flags of this benchmark besides the common ones.
void add_own_flags(CLI::App& command, const std::string& work, BenchFlags& flags) {
    constexpr std::size_t max_threads = 1000, max_rows = 1000;
    bench::Options& options = flags.options;
    if (work == "drain")
        add_number(command, "--instances", options.instances, 64, "number of concurrent engines");
    if (work == "claim")
        add_number(command, "--instances", options.instances, max_threads,
                   "claiming threads; they share storage.pool_size connections");
    if (work == "create" || work == "append")
        add_number(command, "--in-flight", options.in_flight, max_threads, "concurrent calls");
    if (work == "create" || work == "append" || work == "claim")
        add_number(command, "--batch", options.batch, max_rows, "rows of one call");
    if (work == "create")
        command.add_flag("--http", options.http, "over the REST API of a separate server");
    if (work == "lateness") {
        command.add_option("--rate", options.rate, "events a second")
            ->check(CLI::Range(0.1, 1e6))
            ->capture_default_str();
        command.add_option("--seconds", flags.seconds, "duration, instead of --events")
            ->check(CLI::Range(0.1, 1e6));
        command.add_flag("--handler", options.handler,
                         "to a handler in this process instead of over HTTP");
        CLI::Option* const snapshot = command.add_flag(
            "--snapshot", options.snapshot, "keep a read transaction open during the second half");
        command
            .add_option("--snapshot-after", options.snapshot_after,
                        "keep one open from this second on")
            ->check(CLI::Range(0.0, 1e6))
            ->excludes(snapshot);
        command
            .add_option("--window", options.window,
                        "also report each window of this number of seconds")
            ->check(CLI::Range(0.1, 1e6));
    }
    if (work == "peak")
        command.add_flag("--no-database", options.no_database,
                         "also measure the HTTP client alone, for comparison");
    if (work != "time" && work != "append") add_rows(command, options);
}

void add_work(CommandTree& tree, CLI::App& noun, const bench::Work& work) {
    const auto flags = std::make_shared<BenchFlags>();
    flags->options = work.usual;
    const std::string name(work.name);
    CLI::App& command = tree.verb(noun, name.c_str(), std::string(work.help).c_str(),
                                  [flags, &work] { return measure(work, *flags); });
    add_number(command, "--events", flags->options.events, 1'000'000'000, "of each run");
    add_number(command, "--runs", flags->options.runs, 1000, "number of runs; reports the median");
    add_own_flags(command, name, *flags);
    command.add_flag("--keep", flags->options.keep, "keep the database and print its place");
    command.add_flag("--json", flags->options.json,
                     "print a JSON object for each run and a summary as the last line");
    add_settings_flags(command, flags->settings);
    command.get_option("--db")->description(
        "SQLite file that does not exist yet, or postgresql://… of a server on which to create a "
        "database; either is removed afterwards (default: a temporary SQLite file)");
}

}  // namespace

void add_bench_commands(CommandTree& tree) {
    CLI::App& noun =
        tree.noun("bench", "measure the speed on this machine, in a separate database");
    for (const bench::Work& work : bench::works()) add_work(tree, noun, work);
    noun.footer(
        "sundial bench drain --db postgresql://localhost/postgres --runs 5\n"
        "sundial bench lateness --rate 100 --seconds 20 --json\n"
        "sundial bench create --http --in-flight 64");
}

}  // namespace sundial::server
