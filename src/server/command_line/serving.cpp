#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "server/command_line/command_tree.hpp"
#include "server/command_line/nouns.hpp"
#include "server/command_line/settings_flags.hpp"
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
};

/// The defaults of `sundial dev`: an inbox, local receivers, a database file of its own.
std::map<std::string, std::string> dev_settings(bool test_clock) {
    return {{"storage.url", test_clock ? "sqlite:sundial-test-clock.db" : "sqlite:sundial-dev.db"},
            {"ui.inbox", "true"},
            {"delivery.allow_private", "true"},
            {"log.level", "warn"},
            {"log.environment", "development"}};
}

void add_serve(CommandTree& tree) {
    const auto flags = std::make_shared<SettingsFlags>();
    add_settings_flags(tree.verb("serve", "serve the API, claim and deliver events",
                                 [flags] { return run_process(load(*flags).settings, {}); }),
                       *flags);
}

void add_dev(CommandTree& tree) {
    const auto flags = std::make_shared<DevFlags>();
    CLI::App& dev =
        tree.verb("dev", "everything in one process, with demo people and an inbox", [flags] {
            return run_process(load(flags->settings, dev_settings(flags->test_clock)).settings,
                               {.test_clock = flags->test_clock, .demo_people = flags->people});
        });
    add_settings_flags(dev, flags->settings);
    dev.add_option("--listen", flags->settings.listen, "address and port (http.listen)")
        ->type_name("HOST:PORT");
    dev.add_option("--users", flags->people, "how many demo people")
        ->check(CLI::Range(1, 1'000'000));
    dev.add_flag("--test-clock", flags->test_clock,
                 "a clock that stands still until 'clock advance' moves it");
}

void add_tick(CommandTree& tree) {
    const auto flags = std::make_shared<TickFlags>();
    CLI::App& tick =
        tree.verb("tick", "one pass over what is due, for an external minute trigger", [flags] {
            return run_tick(load(flags->settings, {{"log.level", "warn"}}).settings, flags->limit,
                            flags->json);
        });
    add_settings_flags(tick, flags->settings);
    tick.add_option("--limit", flags->limit, "claim at most so many")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    tick.add_flag("--json", flags->json, "one JSON object");
}

}  // namespace

void add_serving_commands(CommandTree& tree) {
    add_serve(tree);
    add_dev(tree);
    add_tick(tree);
}

}  // namespace sundial::server
