#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "adapters/system/json_log.hpp"
#include "adapters/system/monotonic_clock.hpp"
#include "adapters/system/real_time.hpp"
#include "application/ports/failures.hpp"
#include "base/suggest.hpp"
#include "cli/commands.hpp"
#include "cli/next/batch.hpp"
#include "cli/next/show_next.hpp"
#include "cli/zone/zone_commands.hpp"
#include "server/database.hpp"
#include "server/process.hpp"
#include "server/settings.hpp"
#include "server/version.hpp"

extern char** environ;

namespace {

using namespace sundial;

enum ExitCode : int { ok = 0, failure = 1, usage = 2, unreachable = 6 };

/// What the command line says, before it is known which command it was.
struct Options {
    std::string config{};
    std::string db{};
    std::string server = "http://127.0.0.1:8080";
    bool json = false;
    std::map<std::string, std::string> settings{};
    std::string listen{};
    std::size_t people = 12;
    bool test_clock = false;
    std::uint64_t limit = 100;
    std::string zone_part{};
    cli::ZoneShowOptions zone_show{};
    cli::ZoneConvertOptions zone_convert{};
    cli::ZoneDiffOptions zone_diff{};
    std::vector<std::string> tz_databases{};
    std::string by{}, to{};
    std::vector<std::string> expression{};
    cli::NextOptions next{};
    std::string id{};
    bool running = false;
    std::int64_t timeout = 0;  // 0: none
};

std::map<std::string, std::string> environment() {
    std::map<std::string, std::string> variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text{*entry};
        const auto equals = text.find('=');
        if (equals != std::string_view::npos)
            variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return variables;
}

server::LoadedSettings load(const Options& options,
                            std::map<std::string, std::string> defaults = {}) {
    server::SettingsSources sources;
    sources.environment = environment();
    sources.file = options.config;
    if (const auto named = sources.environment.find("SUNDIAL_CONFIG");
        sources.file.empty() && named != sources.environment.end()) {
        sources.file = named->second;
    }
    sources.defaults = std::move(defaults);
    for (const auto& [key, text] : options.settings) sources.flags[key] = text;
    if (!options.db.empty()) sources.flags["storage.url"] = server::database_url(options.db);
    if (!options.listen.empty()) sources.flags["http.listen"] = options.listen;
    return server::load_settings(sources);
}

/// What `sundial dev` sets where nobody says otherwise: an inbox, local receivers, a file of its
/// own.
std::map<std::string, std::string> dev_settings(const Options& options) {
    return {{"storage.url",
             options.test_clock ? "sqlite:sundial-test-clock.db" : "sqlite:sundial-dev.db"},
            {"ui.inbox", "true"},
            {"delivery.allow_private", "true"},
            {"log.level", "warn"},
            {"log.environment", "development"}};
}

int dev(const Options& options) {
    return server::run_process(load(options, dev_settings(options)).settings,
                               {.test_clock = options.test_clock, .demo_people = options.people});
}

int show_settings(const Options& options) {
    for (const auto& [key, value, origin] : load(options).shown) {
        std::cout << key << " = " << (value.empty() ? "\"\"" : value) << "  (" << origin << ")\n";
    }
    return ok;
}

int print_schema(const server::SchemaReport& report) {
    std::cout << report.text;
    return report.up_to_date ? ok : failure;
}

template <class Work>
int with_log(const server::Settings& settings, Work work) {
    system::LogSettings quiet;
    quiet.level = base::LogLevel::warn;
    quiet.version = server::product_version();
    system::JsonLog log(quiet);
    return print_schema(work(settings, log));
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

/// An expression for people, or else requests of the batch format.
int answer_rules(Options options) {
    const auto zones = server::load_time_zones(load(options).settings);
    if (options.expression.empty()) {
        if (!options.json)
            throw CLI::RequiredError("EXPR, or --json with requests on standard input,");
        std::ios::sync_with_stdio(false);
        cli::answer_lines(std::cin, std::cout, *zones);
        return std::cout ? ok : failure;
    }
    options.next.expression = joined(options.expression);
    return cli::show_next(options.next, *zones, system::real_time(),
                          {std::cout, std::cerr, options.json});
}

int explain_rule(Options options) {
    options.next.expression = joined(options.expression);
    return cli::show_explanation(options.next, {std::cout, std::cerr, false});
}

using ZoneCommand = std::function<int(const TzData& zones, Instant now, const cli::Output& output)>;

/// With the tz database that the settings name.
int ask_zones(const Options& options, const ZoneCommand& ask) {
    const auto zones = server::load_time_zones(load(options).settings)->current();
    return ask(*zones, system::real_time(), {std::cout, std::cerr, options.json});
}

/// `which` is a directory, or the release of the tz database that the settings name.
std::shared_ptr<const TzData> named_tzdata(const std::string& which,
                                           const std::shared_ptr<const TzData>& configured) {
    if (which == configured->release()) return configured;
    if (std::filesystem::is_directory(which)) return server::load_time_zones(which)->current();
    throw CannotStart("'" + which + "' is neither a directory nor the release in use (" +
                      configured->release() +
                      "): give the directory of an unpacked tz database, as /usr/share/zoneinfo");
}

int diff_zones(const Options& options) {
    const auto configured = server::load_time_zones(load(options).settings)->current();
    const auto first = named_tzdata(options.tz_databases.front(), configured);
    const bool one = options.tz_databases.size() == 1;
    const auto second = one ? first : named_tzdata(options.tz_databases.back(), configured);
    return cli::diff_zones(options.zone_diff, one ? *configured : *first, *second,
                           system::real_time(), {std::cout, std::cerr, options.json});
}

std::optional<std::string> if_given(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

/// The tree of commands; `run` is what the chosen one does.
class CommandLine {
public:
    CommandLine() {
        app_.set_help_all_flag("--help-all", "help of every command");
        app_.require_subcommand(1);
        app_.get_formatter()->column_width(34);
        serving();
        maintaining();
        asking();
        reckoning();
        telling_zones();
    }

    int run(int argc, char** argv) {
        app_.parse(argc, argv);
        return run_();
    }
    int explain(const CLI::ParseError& error, int argc, char** argv) {
        const int code = app_.exit(error);
        if (code != 0) suggest(argc, argv);
        return code == 0 ? ok : usage;
    }

private:
    /// What was probably meant by a flag or command that nobody knows.
    void suggest(int argc, char** argv) {
        std::vector<std::string> known;
        collect(app_, known);
        for (int i = 1; i < argc; ++i) {
            std::string word = argv[i];
            if (const auto equals = word.find('='); word.starts_with("--"))
                word.erase(std::min(equals, word.size()));
            if (std::ranges::find(known, word) != known.end() || (i > 1 && !word.starts_with("--")))
                continue;
            if (const auto meant = base::nearest(word, known))
                std::cerr << "did you mean '" << *meant << "'?\n";
            return;
        }
    }

    static void collect(CLI::App& app, std::vector<std::string>& names) {
        for (const CLI::Option* option : app.get_options()) {
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        }
        for (CLI::App* below : app.get_subcommands({})) {
            if (!below->get_name().empty()) names.push_back(below->get_name());
            collect(*below, names);
        }
    }

    CLI::App* command(CLI::App& parent, const char* name, const char* help,
                      std::function<int()> run) {
        CLI::App* const added = parent.add_subcommand(name, help);
        added->callback([this, run = std::move(run)] { run_ = run; });
        return added;
    }

    void settings_of(CLI::App* to) {
        to->add_option("--config", options_.config, "TOML file")->type_name("FILE");
        to->add_option("--db", options_.db, "SQLite file, or postgresql://… (storage.url)")
            ->type_name("FILE|URL");
        for (const server::SettingKey& setting : server::setting_keys()) {
            const std::string key{setting.key};
            const auto take = [this, key](const std::string& text) {
                options_.settings[key] = text;
            };
            to->add_option_function<std::string>("--" + key, take, std::string(setting.help))
                ->group("Settings");
        }
    }

    void serving() {
        CLI::App* const serve =
            command(app_, "serve", "serve the API, claim and deliver events",
                    [this] { return server::run_process(load(options_).settings, {}); });
        settings_of(serve);

        CLI::App* const dev_command =
            command(app_, "dev", "everything in one process, with demo people and an inbox",
                    [this] { return dev(options_); });
        settings_of(dev_command);
        dev_command->add_option("--listen", options_.listen, "address and port (http.listen)")
            ->type_name("HOST:PORT");
        dev_command->add_option("--users", options_.people, "how many demo people")
            ->check(CLI::Range(1, 1'000'000));
        dev_command->add_flag("--test-clock", options_.test_clock,
                              "a clock that stands still until 'clock advance' moves it");

        CLI::App* const tick = command(
            app_, "tick", "one pass over what is due, for an external minute trigger", [this] {
                return server::run_tick(load(options_, {{"log.level", "warn"}}).settings,
                                        options_.limit, options_.json);
            });
        settings_of(tick);
        tick->add_option("--limit", options_.limit, "claim at most so many")
            ->check(CLI::Range(1, 1000))
            ->capture_default_str();
        tick->add_flag("--json", options_.json, "one JSON object");
    }

    void maintaining() {
        CLI::App* const db = app_.add_subcommand("db", "the database's schema");
        db->require_subcommand(1);
        settings_of(command(*db, "migrate", "apply what is pending", [this] {
            return with_log(load(options_).settings, server::migrate_database);
        }));
        settings_of(
            command(*db, "status", "what is applied and what is pending (exit code 1)",
                    [this] { return with_log(load(options_).settings, server::database_status); }));

        CLI::App* const config = app_.add_subcommand("config", "the settings");
        config->require_subcommand(1);
        settings_of(command(*config, "show", "every setting, its value and where it came from",
                            [this] { return show_settings(options_); }));
    }

    void asking() {
        CLI::App* const clock = app_.add_subcommand("clock", "the clock that decides what is due");
        clock->require_subcommand(1);
        client_of(command(*clock, "show", "mode and time",
                          [this] { return cli::show_clock(client(), output()); }));
        CLI::App* const advance = command(
            *clock, "advance", "move a test clock through everything due on the way", [this] {
                return cli::advance_clock(client(), if_given(options_.by), if_given(options_.to),
                                          output());
            });
        client_of(advance);
        CLI::App* const how_far = advance->add_option_group("how far");
        how_far->add_option("--by", options_.by, "a duration, such as PT24H");
        how_far->add_option("--to", options_.to, "an instant, such as 2027-01-01T00:00:00Z");
        how_far->require_option(1);

        CLI::App* const op = app_.add_subcommand("op", "long jobs: edits of schedules, …");
        op->require_subcommand(1);
        CLI::App* const list = command(*op, "list", "newest first", [this] {
            return cli::list_operations(client(), options_.running, output());
        });
        client_of(list);
        list->add_flag("--running", options_.running, "only those under way");
        CLI::App* const wait = command(*op, "wait", "until it is over, with its progress", [this] {
            return cli::wait_for_operation(client(), options_.id, patience(), output());
        });
        operation_of(wait);
        wait->add_option("--timeout", options_.timeout, "seconds; after them exit code 8")
            ->check(CLI::PositiveNumber);
        operation_of(command(*op, "stop", "end it; what it has done stays", [this] {
            return cli::stop_operation(client(), options_.id, output());
        }));

        client_of(command(app_, "info", "versions of a running server and its parts",
                          [this] { return cli::show_info(client(), output()); }));
        command(app_, "version", "version of this program", [] {
            std::cout << "sundial " << server::product_version() << " (" << server::product_commit()
                      << ")\n";
            return ok;
        });
    }

    void reckoning() {
        CLI::App* const next = command(app_, "next", "when a rule occurs next",
                                       [this] { return answer_rules(options_); });
        expression_of(next);
        next->add_option("--gap", options_.next.flags.gap,
                         "for times that do not exist: compatible, earlier, "
                         "later, boundary, skip");
        next->add_option("--overlap", options_.next.flags.overlap,
                         "for times that occur twice: compatible, earlier, later, both, skip");
        next->add_option("--config", options_.config, "TOML file")->type_name("FILE");
        next->add_option("-n,--count", options_.next.count, "how many")
            ->check(CLI::Range(1, 10'000))
            ->capture_default_str();
        next->add_option("--from", options_.next.from, "strictly after this instant (now)");
        next->add_flag("--plain", options_.next.plain, "fields between tabs, without names");
        next->add_flag("--json", options_.json,
                       "one JSON document; without EXPR: requests as JSON Lines on standard input, "
                       "an answer for each");
        next->footer(
            "sundial next '30 2 * * *' --zone Europe/Berlin -n 5\n"
            "sundial next yearly 02-29 --zone Europe/Paris --leap mar1\n"
            "sundial next every PT36H --dtstart 2026-01-17T00:00:00Z\n"
            "sundial next 'FREQ=MONTHLY;BYDAY=-1FR' --dtstart 2026-11-20T09:00 --zone "
            "Asia/Tokyo\n"
            "sundial next --json < requests.jsonl");

        CLI::App* const schedule = app_.add_subcommand("schedule", "rules that recur");
        schedule->require_subcommand(1);
        expression_of(command(*schedule, "explain", "a rule in plain words", [this] {
            return explain_rule(options_);
        }))->required();
    }

    void telling_zones() {
        CLI::App* const zone = app_.add_subcommand("zone", "time zones and the tz database");
        zone->require_subcommand(1);
        CLI::App* const list =
            command(*zone, "list", "zones, their offsets now and their next changes", [this] {
                return ask_zones(options_, [this](const auto& zones, Instant now, const auto& out) {
                    return cli::list_zones(options_.zone_part, zones, now, out);
                });
            });
        list->add_option("PART", options_.zone_part, "part of the name, in any case");

        CLI::App* const show = command(*zone, "show", "when a zone changes its clock", [this] {
            return ask_zones(options_, [this](const auto& zones, Instant now, const auto& out) {
                return cli::show_zone(options_.zone_show, zones, now, out);
            });
        });
        show->add_option("ZONE", options_.zone_show.zone, "Europe/Berlin")->required();
        show->add_option("--from", options_.zone_show.from, "an instant (now)");
        show->add_option("--to", options_.zone_show.to, "an instant (three years later)");

        CLI::App* const convert =
            command(*zone, "convert", "a time on the clocks of other zones", [this] {
                return ask_zones(options_, [this](const auto& zones, Instant, const auto& out) {
                    return cli::convert_time(options_.zone_convert, zones, out);
                });
            });
        convert
            ->add_option("TIME", options_.zone_convert.time,
                         "local (2027-01-05T09:00) or an instant (2027-01-05T08:00:00Z)")
            ->required();
        convert->add_option("--from", options_.zone_convert.from, "the local time's zone");
        convert->add_option("--to", options_.zone_convert.to, "zones to show it in (UTC)")
            ->delimiter(',');
        convert->add_option("--gap", options_.zone_convert.gap,
                            "for a time that does not exist: compatible, earlier, later, boundary, "
                            "reject");
        convert->add_option("--overlap", options_.zone_convert.overlap,
                            "for a time that occurs twice: compatible, earlier, later, reject");

        CLI::App* const diff =
            command(*zone, "diff", "which zones differ between two tz databases, and from when on",
                    [this] { return diff_zones(options_); });
        diff->add_option("DATABASE", options_.tz_databases,
                         "one or two directories; the release in use may stand for its own, and is "
                         "compared with where there is one only")
            ->required()
            ->expected(1, 2);
        diff->add_option("--from", options_.zone_diff.from, "an instant (now)");
        diff->add_option("--to", options_.zone_diff.to, "an instant (ten years later)");

        for (CLI::App* const each : {list, show, convert, diff}) {
            each->add_option("--config", options_.config, "TOML file")->type_name("FILE");
            each->add_option_function<std::string>(
                "--tz.dir", [this](const std::string& text) { options_.settings["tz.dir"] = text; },
                "directory of the tz database, in place of the system's");
            each->add_flag("--json", options_.json, "one JSON document");
        }
        zone->footer(
            "sundial zone list paris\n"
            "sundial zone show America/Vancouver --to 2030-01-01T00:00:00Z\n"
            "sundial zone convert 2027-03-28T02:30 --from Europe/Paris --to UTC,Asia/Tokyo\n"
            "sundial zone diff 2025b /tmp/tzdata/usr/share/zoneinfo");
    }

    /// A rule for people, and the flags that belong to it.
    CLI::Option* expression_of(CLI::App* to) {
        CLI::Option* const expression =
            to->add_option("EXPR", options_.expression,
                           "cron (5 or 6 fields, @daily), RRULE, iCalendar text, 'yearly MM-DD', "
                           "or 'every PT15M'");
        cli::ExpressionFlags& flags = options_.next.flags;
        to->add_option("--zone", flags.zone, "whose clock: Europe/Berlin, UTC");
        to->add_option("--dtstart", flags.dtstart, "where an RRULE or an interval starts");
        to->add_option("--at", flags.at, "time of day of 'yearly' (09:00)");
        to->add_option("--leap", flags.leap, "29 February in common years: feb28, mar1, skip");
        return expression;
    }

    void client_of(CLI::App* to) {
        to->add_option("--server", options_.server, "server to ask")
            ->envname("SUNDIAL_SERVER")
            ->capture_default_str();
        to->add_flag("--json", options_.json, "the answer as the API gave it");
    }
    void operation_of(CLI::App* to) {
        client_of(to);
        to->add_option("id", options_.id, "the operation")->required();
    }
    [[nodiscard]] cli::Patience patience() const {
        const auto clock = std::make_shared<system::BootClock>();
        const auto in_milliseconds = [clock] {
            return std::chrono::duration_cast<std::chrono::milliseconds>(clock->now());
        };
        const auto begin = in_milliseconds();
        return {.elapsed = [in_milliseconds, begin] { return in_milliseconds() - begin; },
                .sleep = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); },
                .timeout = options_.timeout > 0
                               ? std::optional(std::chrono::seconds(options_.timeout))
                               : std::nullopt,
                .terminal = ::isatty(STDERR_FILENO) == 1};
    }
    [[nodiscard]] cli::HttpClient client() const { return cli::HttpClient(options_.server); }
    [[nodiscard]] cli::Output output() const { return {std::cout, std::cerr, options_.json}; }

    CLI::App app_{"Sundial delivers each event once, at its local time.", "sundial"};
    Options options_;
    std::function<int()> run_;
};

}  // namespace

int main(int argc, char** argv) {
    CommandLine command_line;
    try {
        return command_line.run(argc, argv);
    } catch (const CLI::ParseError& error) {
        return command_line.explain(error, argc, argv);
    } catch (const cli::Unreachable& error) {
        std::fprintf(stderr, "sundial: %s\n", error.what());
        return unreachable;
    } catch (const CannotStart& error) {
        std::fprintf(stderr, "sundial: %s\n", error.what());
        return failure;
    } catch (const Unavailable& error) {
        std::fprintf(stderr, "sundial: the database does not answer: %s\n", error.what());
        return unreachable;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "sundial: %s\n", error.what());
        return failure;
    }
}
