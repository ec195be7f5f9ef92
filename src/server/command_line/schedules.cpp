#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"

/// Commands that change many schedules at once.
namespace sundial::server {
namespace {

constexpr std::array schedule_filters{
    FilterFlag{"--tag", "tag", "with this tag"},
    FilterFlag{"--type", "eventType", "event types, with commas between them"},
    FilterFlag{"--trigger", "trigger", "yearly, cron, rrule, every"},
    FilterFlag{"--endpoint", "endpointId", "whose events go there; id or ext:…"},
    FilterFlag{"--q", "q", "prefix of the id, the external id or the event type"},
};
constexpr std::array schedule_truths{
    FilterFlag{"--enabled", "enabled", "enabled, or with =false paused"},
    FilterFlag{"--per-user", "perUser", "run for each user, or with =false not"},
};

struct ScheduleFlags {
    ClientFlags client{};
    cli::BulkOrder order{};
    bool no_wait = false;
    std::int64_t timeout = 0;  // seconds; 0: unlimited
};
using SharedScheduleFlags = std::shared_ptr<ScheduleFlags>;

int change_many(const ScheduleFlags& flags, const char* action) {
    const auto& choice = flags.order.choice;
    if (choice.ids.empty() == choice.filters.empty()) {
        std::cerr << "sundial: select schedules either by ids or by filters\n";
        return usage;
    }
    cli::BulkOrder order = flags.order;
    order.resource = cli::BulkOrder::Resource::schedules;
    order.action = action;
    order.wait = !flags.no_wait;
    return cli::run_bulk(client(flags.client), order, person(), wait_options(flags.timeout),
                         output(flags.client));
}

void add_selection(CLI::App& command, ScheduleFlags& flags) {
    command.add_option("ids", flags.order.choice.ids,
                       "ids of schedules or ext:…; else those that the filters select");
    for (const FilterFlag& filter : schedule_filters) {
        add_filter_flag(command, flags.order.choice.filters, filter);
    }
    for (const FilterFlag& filter : schedule_truths) {
        command.add_flag_function(
            filter.flag,
            [&flags, member = std::string(filter.member)](std::int64_t count) {
                flags.order.choice.filters.emplace_back(member, count > 0 ? "true" : "false");
            },
            filter.help);
    }
    command.add_flag("--dry-run", flags.order.dry_run, "only count them and show the first");
    command.add_flag("-y,--yes", flags.order.yes, "do not ask for confirmation");
    command.add_flag("--no-wait", flags.no_wait, "do not wait for the operation; see `sundial op`");
    add_timeout_flag(command, flags.timeout, "seconds to wait; then exit code 8");
}

}  // namespace

void add_schedule_commands(CommandTree& tree) {
    const auto flags = std::make_shared<ScheduleFlags>();
    CLI::App& noun = tree.noun("schedule");
    const auto verb = [&](const char* name, const char* help, const char* action) -> CLI::App& {
        CLI::App& command =
            tree.verb(noun, name, help, [flags, action] { return change_many(*flags, action); });
        add_selection(command, *flags);
        tree.performs(command, {"bulkSchedules"});
        return command;
    };
    CLI::App& pause = verb("pause-many", "pause schedules; their planned events wait", "pause");
    pause.add_option("--note", flags->order.note, "why, at most 1,000 characters");
    CLI::App& resume = verb("resume-many", "resume paused schedules, from now on", "resume");
    CLI::App& tag = verb("tag-many", "add tags to schedules, or remove some", "tag");
    tag.add_option("--add-tag", flags->order.add_tags, "a tag to add; repeatable");
    tag.add_option("--remove-tag", flags->order.remove_tags, "a tag to remove; repeatable");
    CLI::App& removal =
        verb("delete-many", "delete schedules and cancel their planned events", "delete");
    for (CLI::App* const each : {&pause, &resume, &tag, &removal}) {
        add_client_flags(*each, flags->client);
    }
}

}  // namespace sundial::server
