#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>

#include "adapters/system/ids.hpp"
#include "base/uuid.hpp"
#include "cli/api_request.hpp"
#include "cli/commands.hpp"
#include "cli/run_command.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"

namespace sundial::server {
namespace {

constexpr std::array common_filters{
    FilterFlag{"--type", "eventType", "event types, with commas between them"},
    FilterFlag{"--endpoint", "endpointId", "of this endpoint; id or ext:…"},
    FilterFlag{"--schedule", "scheduleId", "of this schedule; id or ext:…"},
    FilterFlag{"--user", "userId", "of this user; id or ext:…"},
    FilterFlag{"--priority", "priority", "CRITICAL, HIGH, NORMAL, LOW"},
    FilterFlag{"--reason", "failureReason",
               "prefix of the failure reason: HTTP_STATUS, \"HTTP_STATUS 404\""},
    FilterFlag{"--key", "idempotencyKey", "exactly this idempotency key"},
    FilterFlag{"--failed-from", "executedFrom", "finished at or after: RFC 3339, now-1h"},
    FilterFlag{"--failed-to", "executedTo", "finished before"},
    FilterFlag{"--due-from", "targetFrom", "due at or after"},
    FilterFlag{"--due-to", "targetTo", "due before"},
};
constexpr FilterFlag waiting_filter{"--waiting-for", "waitingFor",
                                    "RETRY, CIRCUIT, LIMIT, ENDPOINT, SCHEDULE"};

/// Where a reschedule moves events: by a duration, or to a time.
constexpr std::array bulk_targets{
    FilterFlag{"--by", "shift", "by an exact duration: PT1H; earlier with =-PT15M"},
    FilterFlag{"--at", "@at",
               "to an instant (RFC 3339, now+1h), or a local time in each event's zone"},
    FilterFlag{"--timezone", "targetTimezone",
               "the zone of a local time; each event's own by default"},
    FilterFlag{"--gap", "gap", "compatible, earlier, later, boundary, skip, reject"},
    FilterFlag{"--overlap", "overlap", "compatible, earlier, later, skip, reject"},
};

/// The flags of both nouns.
struct EventFlags {
    ClientFlags client{};
    cli::EventChoice choice{};
    std::string id{};
    bool new_key = false;
    bool all = false;
    bool no_wait = false;
    std::int64_t timeout = 0;  // seconds; 0: unlimited
    cli::BulkOrder order{};
    std::string file = "-";
    std::string rejects{};
};
using SharedEventFlags = std::shared_ptr<EventFlags>;

void add_filter(CLI::App& command, EventFlags& flags, const FilterFlag& filter) {
    add_filter_flag(command, flags.choice.filters, filter);
}
void add_target(CLI::App& command, EventFlags& flags, const FilterFlag& target) {
    command.add_option_function<std::string>(
        target.flag,
        [&flags, member = std::string(target.member)](const std::string& text) {
            const char* time =
                cli::is_instant(text) ? "targetTimestampUTC" : "targetTimestampLocal";
            flags.order.set.emplace_back(member == "@at" ? time : member, text);
        },
        target.help);
}
void add_filters(CLI::App& command, EventFlags& flags) {
    for (const FilterFlag& filter : common_filters) add_filter(command, flags, filter);
}
void add_id(CLI::App& command, EventFlags& flags) {
    command.add_option("id", flags.id, "the event")->required();
}

/// Flags for ids, filters and pace.
void add_bulk_flags(CLI::App& command, EventFlags& flags) {
    command.add_option("ids", flags.choice.ids,
                       "ids of events; else the events that the filters select");
    add_filters(command, flags);
    command.add_flag("--all", flags.all, "no filter: all events that the action applies to");
    command.add_option("--per-second", flags.order.per_second, "events per second, at most")
        ->check(CLI::Range(1, 1000));
    command.add_flag("--dry-run", flags.order.dry_run, "only count the events and show the first");
    command.add_flag("-y,--yes", flags.order.yes, "do not ask for confirmation");
    command.add_flag("--no-wait", flags.no_wait, "do not wait for the operation; see `sundial op`");
    add_timeout_flag(command, flags.timeout, "seconds to wait; then exit code 8");
}

int run_bulk(EventFlags& flags, const char* action) {
    const bool chosen = !flags.choice.ids.empty() || !flags.choice.filters.empty();
    if (chosen == flags.all) {
        std::cerr << "sundial: select events by ids or filters, or give --all\n";
        return usage;
    }
    if (!flags.choice.ids.empty() && !flags.choice.filters.empty()) {
        std::cerr << "sundial: give either ids or filters, not both\n";
        return usage;
    }
    cli::BulkOrder order = flags.order;
    order.action = action;
    order.choice = flags.choice;
    if (flags.all && order.action == "cancel") {
        order.choice.filters.emplace_back("status", "PENDING,PROCESSING");
    }
    if (flags.all && order.action == "reschedule") {
        order.choice.filters.emplace_back("status", "PENDING");
    }
    order.wait = !flags.no_wait;
    return cli::run_bulk(client(flags.client), order, person(), wait_options(flags.timeout),
                         output(flags.client));
}

/// In bytes; 0 if it is not a regular file.
std::uint64_t size_of(const std::string& file) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    return error ? 0 : size;
}

int import_events(const EventFlags& flags) {
    std::ifstream file;
    const bool from_file = flags.file != "-";
    if (from_file) file.open(flags.file);
    if (from_file && !file) {
        std::cerr << "sundial: cannot read " << flags.file << '\n';
        return usage;
    }
    std::error_code neither_is_there;
    if (from_file && std::filesystem::equivalent(flags.file, flags.rejects, neither_is_there)) {
        std::cerr << "sundial: --rejects would overwrite " << flags.file << '\n';
        return usage;
    }
    std::ofstream rejects;
    if (!flags.rejects.empty()) rejects.open(flags.rejects);
    if (!flags.rejects.empty() && !rejects) {
        std::cerr << "sundial: cannot write " << flags.rejects << '\n';
        return usage;
    }
    const int code =
        cli::import_events(client(flags.client),
                           {.lines = from_file ? file : std::cin,
                            .name = from_file ? flags.file : "line",
                            .key = "import-" + base::to_string(system::SystemIds().fresh()),
                            .refused = rejects.is_open() ? &rejects : nullptr,
                            .dry_run = flags.order.dry_run,
                            .bytes = size_of(flags.file)},
                           wait_options(0), output(flags.client));
    if (flags.rejects.empty() || rejects.flush()) return code;
    std::cerr << "sundial: the refused lines could not be written to " << flags.rejects
              << "; the file is incomplete\n";
    return failure;
}

/// A single event by id is handled at once, with the API's response as the result.
bool is_one(const EventFlags& flags) {
    return flags.choice.ids.size() == 1 && flags.choice.filters.empty() && !flags.order.dry_run;
}

void add_dead_letter_commands(CommandTree& tree, const SharedEventFlags& flags) {
    CLI::App& dlq = tree.noun("dlq");

    CLI::App& retry =
        tree.verb(dlq, "retry", "retry dead letters, each once, by default 50 per second",
                  [flags] { return run_bulk(*flags, "retry"); });
    add_bulk_flags(retry, *flags);

    CLI::App& dismiss =
        tree.verb(dlq, "dismiss", "mark as reviewed; they are no longer dead letters",
                  [flags] { return run_bulk(*flags, "dismiss"); });
    add_bulk_flags(dismiss, *flags);
    dismiss.add_option("--note", flags->order.note, "why, at most 1,000 characters");

    CLI::App& exported =
        tree.verb(dlq, "export", "print all dead letters, one JSON object per line", [flags] {
            return cli::export_dead_letters(client(flags->client), flags->choice,
                                            output(flags->client));
        });
    add_filters(exported, *flags);

    tree.performs(retry, {"bulk"});
    tree.performs(dismiss, {"bulk"});
    tree.performs(exported, {"listEvents"});
    for (CLI::App* const each : {&retry, &dismiss, &exported}) {
        add_client_flags(*each, flags->client);
    }
}

}  // namespace

void add_event_commands(CommandTree& tree) {
    const auto flags = std::make_shared<EventFlags>();
    CLI::App& event = tree.noun("event");

    CLI::App& imported =
        tree.verb(event, "import", "store events from a file with one JSON object per line",
                  [flags] { return import_events(*flags); });
    imported.add_option("file", flags->file, "the file; -: standard input")
        ->type_name("FILE")
        ->capture_default_str();
    imported.add_option("--rejects", flags->rejects, "file for refused lines")->type_name("FILE");
    imported.add_flag("--dry-run", flags->order.dry_run, "only check that the lines are JSON");

    CLI::App& retry =
        tree.verb(event, "retry", "send FAILED events again; end the wait for a retry", [flags] {
            if (flags->new_key || is_one(*flags)) {
                if (!is_one(*flags)) {
                    std::cerr << "sundial: --new-key is for one event\n";
                    return static_cast<int>(usage);
                }
                return cli::retry_event(client(flags->client), flags->choice.ids.front(),
                                        flags->new_key, output(flags->client));
            }
            return run_bulk(*flags, "retry");
        });
    add_bulk_flags(retry, *flags);
    add_filter(retry, *flags, waiting_filter);
    retry.add_flag(
        "--new-key", flags->new_key,
        "use a new idempotency key: also for COMPLETED events; the receiver sees a new event");

    CLI::App& cancel =
        tree.verb(event, "cancel", "cancel events that are PENDING or wait for a retry", [flags] {
            if (is_one(*flags)) {
                if (!flags->order.yes) {
                    const auto refused =
                        cli::refuse_unconfirmed("cancel event " + flags->choice.ids.front(),
                                                person(), "give -y", output(flags->client));
                    if (refused) return *refused;
                }
                return cli::cancel_event(client(flags->client), flags->choice.ids.front(),
                                         output(flags->client));
            }
            return run_bulk(*flags, "cancel");
        });
    add_bulk_flags(cancel, *flags);
    add_filter(cancel, *flags, waiting_filter);

    CLI::App& reschedule =
        tree.verb(event, "reschedule-many", "move PENDING events to another time", [flags] {
            if (flags->order.set.empty()) {
                std::cerr << "sundial: give --by or --at\n";
                return static_cast<int>(usage);
            }
            return run_bulk(*flags, "reschedule");
        });
    add_bulk_flags(reschedule, *flags);
    for (const FilterFlag& target : bulk_targets) add_target(reschedule, *flags, target);

    CLI::App& watch = tree.verb(
        event, "watch", "follow an event until it is final; exit code 1 if it fails", [flags] {
            const cli::HttpClient asked = client(flags->client);
            const cli::Output out = output(flags->client);
            return cli::watch_event(flags->id, {.client = asked,
                                                .output = out,
                                                .person = person(),
                                                .wait = wait_options(flags->timeout),
                                                .read = cli::files_and(std::cin)});
        });
    add_id(watch, *flags);
    add_timeout_flag(watch, flags->timeout, "seconds to wait; then exit code 8");

    tree.performs(imported, {"createEvents"});
    tree.performs(retry, {"retryEvent", "bulk"});
    tree.performs(cancel, {"cancelEvent", "bulk"});
    tree.performs(reschedule, {"bulk"});
    tree.performs(watch, {"getEvent"});
    for (CLI::App* const each : {&imported, &retry, &cancel, &reschedule, &watch}) {
        add_client_flags(*each, flags->client);
    }
    add_dead_letter_commands(tree, flags);
}

}  // namespace sundial::server
