#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "adapters/system/clocks.hpp"
#include "cli/next/batch.hpp"
#include "cli/next/show_next.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"
#include "server/process.hpp"

namespace sundial::server {
namespace {

struct RuleFlags {
    SettingsFlags settings{};
    std::vector<std::string> expression{};
    cli::NextOptions next{};
    bool json = false;
};

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

/// Evaluates the expression in the flags, or requests in the batch format if there is none.
int answer_rules(RuleFlags& flags) {
    const auto zones = load_time_zones(load(flags.settings).settings);
    if (flags.expression.empty()) {
        if (!flags.json) {
            throw CLI::RequiredError("EXPR, or --json with requests on standard input,");
        }
        std::ios::sync_with_stdio(false);
        cli::answer_lines(std::cin, std::cout, *zones);
        return std::cout ? ok : failure;
    }
    flags.next.expression = joined(flags.expression);
    return cli::show_next(flags.next, *zones, system::real_time(), output(flags.json));
}

int explain_rule(RuleFlags& flags) {
    flags.next.expression = joined(flags.expression);
    return cli::show_explanation(flags.next, output(false));
}

/// A rule as an expression, and the flags that belong to it.
CLI::Option& add_expression(CLI::App& command, RuleFlags& rule) {
    CLI::Option& expression =
        *command.add_option("EXPR", rule.expression,
                            "cron (5 or 6 fields, @daily), RRULE, iCalendar text, 'yearly MM-DD', "
                            "or 'every PT15M'");
    cli::ExpressionFlags& flags = rule.next.flags;
    command.add_option("--zone", flags.zone, "time zone: Europe/Berlin, UTC");
    command.add_option("--dtstart", flags.dtstart, "start of an RRULE or an interval");
    command.add_option("--at", flags.at, "time of day of 'yearly' (09:00)");
    command.add_option("--leap", flags.leap, "29 February in common years: feb28, mar1, skip");
    return expression;
}

void add_next(CommandTree& tree) {
    const auto flags = std::make_shared<RuleFlags>();
    CLI::App& next = tree.verb("next", "show the next occurrences of a rule",
                               [flags] { return answer_rules(*flags); });
    add_expression(next, *flags);
    next.add_option("--gap", flags->next.flags.gap,
                    "for times that do not exist: compatible, earlier, later, boundary, skip");
    next.add_option("--overlap", flags->next.flags.overlap,
                    "for times that occur twice: compatible, earlier, later, both, skip");
    add_config_flag(next, flags->settings);
    next.add_option("-n,--count", flags->next.count, "how many")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    next.add_option("--from", flags->next.from, "strictly after this instant (now)");
    next.add_flag("--plain", flags->next.plain, "fields between tabs, without names");
    next.add_flag("--json", flags->json,
                  "one JSON document; without EXPR: requests as JSON Lines on standard input, "
                  "an answer for each");
    next.footer(
        "sundial next '30 2 * * *' --zone Europe/Berlin -n 5\n"
        "sundial next yearly 02-29 --zone Europe/Paris --leap mar1\n"
        "sundial next every PT36H --dtstart 2026-01-17T00:00:00Z\n"
        "sundial next 'FREQ=MONTHLY;BYDAY=-1FR' --dtstart 2026-11-20T09:00 --zone Asia/Tokyo\n"
        "sundial next --json < requests.jsonl");
}

void add_schedule(CommandTree& tree) {
    const auto flags = std::make_shared<RuleFlags>();
    CLI::App& schedule = tree.noun("schedule");
    add_expression(tree.verb(schedule, "explain", "describe a rule in words",
                             [flags] { return explain_rule(*flags); }),
                   *flags)
        .required();
}

}  // namespace

void add_rule_commands(CommandTree& tree) {
    add_next(tree);
    add_schedule(tree);
}

}  // namespace sundial::server
