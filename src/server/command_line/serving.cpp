#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"
#include "server/process.hpp"

namespace sundial::server {
namespace {

struct DevFlags {
    SettingsFlags settings{};
    std::size_t people = 12;
    bool test_clock = false;
};

struct TickFlags {
    SettingsFlags settings{};
    std::uint64_t limit = 100;
    bool json = false;
    bool dry_run = false;
};

/// The defaults of `sundial dev`: an inbox, local receivers, a separate database file, and on a
/// terminal a log in text form.
std::map<std::string, std::string> dev_settings(bool test_clock) {
    return {{"storage.url", test_clock ? "sqlite:sundial-test-clock.db" : "sqlite:sundial-dev.db"},
            {"ui.inbox", "true"},
            {"delivery.allow_private", "true"},
            {"log.level", "warn"},
            {"log.format", ::isatty(STDERR_FILENO) == 1 ? "text" : "json"},
            {"log.environment", "development"}};
}

std::vector<http::CommandPage> command_pages() {
    std::vector<http::CommandPage> pages;
    for (const cli::CommandHelp& command : all_commands()->manual()) {
        if (command.has_commands) continue;
        std::string path;
        for (const std::string& word : command.path) path += (path.empty() ? "" : " ") + word;
        pages.push_back({.command = std::move(path),
                         .sentence = command.help,
                         .markdown = cli::command_page(command),
                         .operations = command.operations});
    }
    return pages;
}

void add_serve(CommandTree& tree) {
    const auto flags = std::make_shared<SettingsFlags>();
    add_settings_flags(
        tree.verb("serve", "serve the API, and claim and deliver events",
                  [flags] { return run_process(load(*flags), {.commands = command_pages}); }),
        *flags);
}

void add_dev(CommandTree& tree) {
    const auto flags = std::make_shared<DevFlags>();
    CLI::App& dev =
        tree.verb("dev", "run everything in one process, with demo people and an inbox", [flags] {
            return run_process(load(flags->settings, dev_settings(flags->test_clock)),
                               {.test_clock = flags->test_clock,
                                .demo_people = flags->people,
                                .key_file = "sundial-dev.key",
                                .commands = command_pages});
        });
    add_settings_flags(dev, flags->settings);
    dev.add_option("--listen", flags->settings.listen, "address and port (http.listen)")
        ->type_name("HOST:PORT");
    dev.add_option("--users", flags->people, "number of demo people, at least 12; 0: none")
        ->check(CLI::Range(0, 1'000'000));
    dev.add_flag("--test-clock", flags->test_clock,
                 "use a test clock, which only 'clock advance' moves");
}

void add_tick(CommandTree& tree) {
    const auto flags = std::make_shared<TickFlags>();
    CLI::App& tick = tree.verb(
        "tick", "deliver the due events once, for an external trigger every minute", [flags] {
            const Settings settings = load(flags->settings, {{"log.level", "warn"}}).settings;
            return flags->dry_run ? show_due(settings, flags->json)
                                  : run_tick(settings, flags->limit, flags->json);
        });
    add_settings_flags(tick, flags->settings);
    tick.add_option("--limit", flags->limit, "claim at most this number")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    tick.add_flag("--dry-run", flags->dry_run, "only count the due events");
    tick.add_flag("--json", flags->json, "one JSON object");
}

}  // namespace

void add_serving_commands(CommandTree& tree) {
    add_serve(tree);
    add_dev(tree);
    add_tick(tree);
}

}  // namespace sundial::server
