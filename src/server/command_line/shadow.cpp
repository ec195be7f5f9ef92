#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/system/clocks.hpp"
#include "cli/shadow/shadow_compare.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"
#include "server/command_line/input_files.hpp"
#include "server/process.hpp"

namespace sundial::server {
namespace {

struct ShadowFlags {
    ClientFlags client{};
    SettingsFlags settings{};
    std::string file = "-";
    std::string format = "syslog";
    cli::ShadowComparison order{};
    std::vector<std::string> names{};  // NAME=SCHEDULE
};

cli::RunLogFormat log_format(const std::string& name) {
    if (name == "csv") return cli::RunLogFormat::csv;
    if (name == "ndjson") return cli::RunLogFormat::ndjson;
    return cli::RunLogFormat::syslog;
}

int compare_log(const ShadowFlags& flags) {
    cli::ShadowComparison order = flags.order;
    order.log.format = log_format(flags.format);
    for (const std::string& name : flags.names) {
        const auto end = name.rfind('=');  // no id contains one, and a command may
        if (end == std::string::npos)
            throw cli::BadArgument("--name: must be NAME=SCHEDULE, such as backup=ext:nightly");
        order.names.emplace_back(name.substr(0, end), name.substr(end + 1));
    }
    const auto zones = load_time_zones(load(flags.settings).settings)->current();
    auto text = read_whole_file(flags.file);
    if (!text) return usage;
    order.name = flags.file == "-" ? "line" : flags.file;
    order.text = *std::move(text);
    return cli::compare_shadow(client(flags.client), order, *zones, system::real_time(),
                               output(flags.client));
}

}  // namespace

void add_shadow_commands(CommandTree& tree) {
    const auto flags = std::make_shared<ShadowFlags>();
    CLI::App& noun = tree.noun("shadow", "a trial beside the scheduler that still does the work");
    CLI::App& command = tree.verb(
        noun, "compare", "compare the log of the old scheduler with the events of SHADOW endpoints",
        [flags] { return compare_log(*flags); });
    command.add_option("file", flags->file, "the log; -: standard input")
        ->type_name("FILE")
        ->capture_default_str();
    command
        .add_option("--format", flags->format,
                    "syslog (lines of cron), csv (with a header) or ndjson")
        ->check(CLI::IsMember({"syslog", "csv", "ndjson"}))
        ->capture_default_str();
    command
        .add_option("--time-column", flags->order.log.time_column,
                    "csv, ndjson: where the time of a run is")
        ->capture_default_str();
    command
        .add_option("--name-column", flags->order.log.name_column,
                    "csv, ndjson: where the name of the job is")
        ->capture_default_str();
    command.add_option("--user", flags->order.log.user, "syslog: only the runs of this user");
    command
        .add_option("--timezone", flags->order.zone,
                    "time zone of times without an offset, and of the report")
        ->capture_default_str();
    command.add_option("--endpoint", flags->order.endpoint,
                       "id or ext:…; without it all endpoints of type SHADOW");
    command
        .add_option("--name", flags->names,
                    "NAME=SCHEDULE: the schedule of a name in the log, by id or ext:…, if it is "
                    "not found by itself; may be given again")
        ->allow_extra_args(false);
    command.add_option("--from", flags->order.from,
                       "compare from this instant on (RFC 3339); by default the log's first run");
    command.add_option("--to", flags->order.to,
                       "compare until this instant (RFC 3339); by default the log's last run");
    command
        .add_option("--tolerance", flags->order.tolerance,
                    "runs that are at most this far apart match")
        ->capture_default_str();
    command
        .add_option("--window", flags->order.window,
                    "others that are at most this far apart are early or late")
        ->capture_default_str();
    noun.footer(
        "sundial shadow compare /var/log/syslog --timezone Europe/Berlin --user root\n"
        "journalctl -t CRON -o short-iso | sundial shadow compare\n"
        "sundial shadow compare runs.csv --format csv --time-column start_time "
        "--name-column command\n"
        "sundial shadow compare runs.ndjson --format ndjson --name close-books=ext:books");
    add_config_flag(command, flags->settings);
    tree.performs(command,
                  {"listEndpoints", "getEndpoint", "listSchedules", "getSchedule", "listEvents"});
    add_client_flags(command, flags->client);
}

}  // namespace sundial::server
