#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "adapters/system/clocks.hpp"
#include "cli/imports/apply_schedules.hpp"
#include "cli/imports/import_people.hpp"
#include "cli/imports/import_schedules.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"
#include "server/command_line/input_files.hpp"
#include "server/process.hpp"

namespace sundial::server {
namespace {

struct ImportFlags {
    ClientFlags client{};
    SettingsFlags settings{};
    std::string file = "-";
    cli::ScheduleImport order{};
    cli::ScheduleApply apply{};
    cli::PeopleImport people{};
    std::string delimiter = ",";
    std::vector<std::string> columns{};  // MEMBER=COLUMN
};
using SharedImportFlags = std::shared_ptr<ImportFlags>;

int import_file(const ImportFlags& flags, cli::ImportFormat format) {
    const auto zones = load_time_zones(load(flags.settings).settings)->current();
    auto text = read_whole_file(flags.file);
    if (!text) return usage;
    cli::ScheduleImport order = flags.order;
    order.format = format;
    order.name = flags.file == "-" ? "line" : flags.file;
    order.text = *std::move(text);
    return cli::import_schedules(client(flags.client), order, *zones, system::real_time(),
                                 output(flags.client));
}

int apply_file(const ImportFlags& flags) {
    auto text = read_whole_file(flags.file);
    if (!text) return usage;
    cli::ScheduleApply order = flags.apply;
    order.name = flags.file;
    order.text = *std::move(text);
    return cli::apply_schedules(client(flags.client), order, person(), output(flags.client));
}

CLI::App& add_import(CommandTree& tree, CLI::App& noun, const SharedImportFlags& flags,
                     const char* name, const char* help, cli::ImportFormat format) {
    CLI::App& command =
        tree.verb(noun, name, help, [flags, format] { return import_file(*flags, format); });
    command.add_option("file", flags->file, "the file; -: standard input")
        ->type_name("FILE")
        ->capture_default_str();
    command.add_option("--endpoint", flags->order.endpoint,
                       "endpoint of the schedules: id or ext:…; without it their events wait");
    command.add_option("--type", flags->order.event_type,
                       "event type of the schedules; the name of the format if not given");
    command.add_option("--timezone", flags->order.read.zone,
                       format == cli::ImportFormat::ics
                           ? "time zone of events that name none"
                           : "time zone of the entries, also of those that name another");
    if (format == cli::ImportFormat::crontab)
        command.add_flag("--system", flags->order.read.with_user,
                         "a user stands before each command, as in /etc/crontab");
    command.add_flag("--dry-run", flags->order.dry_run,
                     "only show rules, next runs, and differences at clock changes");
    command.add_flag("--skip-invalid", flags->order.skip_invalid,
                     "import the other entries if some cannot be expressed");
    add_config_flag(command, flags->settings);
    tree.performs(command, {"createSchedule", "getSchedule"});
    add_client_flags(command, flags->client);
    return command;
}

/// Writes into none of the files that it reads.
void refuse_equal_files(const ImportFlags& flags) {
    const auto same = [](const std::string& one, const std::string& other) {
        std::error_code neither_exists;
        return !one.empty() && !other.empty() &&
               (one == other || std::filesystem::equivalent(one, other, neither_exists));
    };
    const cli::PeopleImport& order = flags.people;
    if (same(flags.file, order.errors) || same(order.progress, order.errors))
        throw cli::BadArgument("--errors would overwrite " + order.errors);
    if (same(flags.file, order.progress))
        throw cli::BadArgument("--progress would overwrite " + order.progress);
}

cli::PeopleOptions people_options(const ImportFlags& flags) {
    cli::PeopleOptions options = flags.people.read;
    if (flags.delimiter != "tab" && flags.delimiter.size() != 1)
        throw cli::BadArgument("--delimiter: must be one character, or tab");
    options.delimiter = flags.delimiter == "tab" ? '\t' : flags.delimiter.front();
    for (const std::string& column : flags.columns) {
        const auto end = column.find('=');
        if (end == std::string::npos)
            throw cli::BadArgument("--column: must be MEMBER=COLUMN, such as dateOfBirth=born");
        options.columns.emplace_back(column.substr(0, end), column.substr(end + 1));
    }
    return options;
}

int import_people_file(const ImportFlags& flags, cli::PeopleFormat format) {
    cli::PeopleImport order = flags.people;
    order.format = format;
    order.read = people_options(flags);
    refuse_equal_files(flags);
    const auto zones = load_time_zones(load(flags.settings).settings)->current();
    std::ifstream file;
    std::istream* in = open_input(flags.file, file);
    if (in == nullptr) return usage;
    order.name = flags.file == "-" ? "line" : flags.file;
    std::error_code of_unknown_size;
    const auto bytes = std::filesystem::file_size(flags.file, of_unknown_size);
    order.bytes = of_unknown_size ? 0 : bytes;
    return cli::import_people(client(flags.client), order, *in, *zones, system::real_time(),
                              wait_options(0), output(flags.client));
}

CLI::App& add_people_import(CommandTree& tree, CLI::App& noun, const SharedImportFlags& flags,
                            const char* name, const char* help, cli::PeopleFormat format) {
    CLI::App& command =
        tree.verb(noun, name, help, [flags, format] { return import_people_file(*flags, format); });
    command.add_option("file", flags->file, "the file; -: standard input")
        ->type_name("FILE")
        ->capture_default_str();
    if (format == cli::PeopleFormat::csv) {
        command
            .add_option("--column", flags->columns,
                        "MEMBER=COLUMN: the column of a member, if it has another name; may be "
                        "given again")
            ->allow_extra_args(false);
        command
            .add_option("--delimiter", flags->delimiter,
                        "character between fields; tab for the tab")
            ->capture_default_str();
    }
    command.add_option("--timezone", flags->people.read.zone,
                       "time zone of people whose row names none");
    command
        .add_option("--errors", flags->people.errors,
                    "file for refused rows, each with its line and the reason, as JSON")
        ->type_name("FILE");
    command
        .add_option("--progress", flags->people.progress,
                    "file that stores the progress: the same command continues from there")
        ->type_name("FILE");
    command.add_flag("--dry-run", flags->people.dry_run,
                     "only check the rows, with this machine's tz database");
    add_config_flag(command, flags->settings);
    tree.performs(command, {"importUsers"});
    add_client_flags(command, flags->client);
    return command;
}

void add_imports(CommandTree& tree) {
    using cli::ImportFormat;
    const auto flags = std::make_shared<ImportFlags>();
    CLI::App& noun = tree.noun("import", "schedules from the files of other schedulers; people");
    add_import(tree, noun, flags, "crontab", "import the lines of a crontab",
               ImportFormat::crontab);
    add_import(tree, noun, flags, "pgcron", "import cron.job of pg_cron, exported as CSV or JSON",
               ImportFormat::pgcron);
    add_import(tree, noun, flags, "quartz",
               "import cron triggers of Quartz: quartz_data XML, or QRTZ_CRON_TRIGGERS as CSV",
               ImportFormat::quartz);
    add_import(tree, noun, flags, "eventbridge",
               "import rules and schedules of Amazon EventBridge from JSON",
               ImportFormat::eventbridge);
    add_import(tree, noun, flags, "ics", "import the recurring events of an iCalendar file",
               ImportFormat::ics);
    add_people_import(tree, noun, flags, "csv",
                      "import people from CSV with a header, by their external ids",
                      cli::PeopleFormat::csv);
    add_people_import(tree, noun, flags, "ndjson",
                      "import people, one JSON object per line, by their external ids",
                      cli::PeopleFormat::ndjson);
    noun.footer(
        "crontab -l | sundial import crontab --timezone Europe/Berlin --dry-run\n"
        "sundial import crontab /etc/crontab --system --endpoint ext:runner --skip-invalid\n"
        "psql -c \"copy cron.job to stdout csv header\" | sundial import pgcron\n"
        "aws events list-rules | sundial import eventbridge --endpoint ext:queue\n"
        "sundial import ics team.ics --timezone Europe/Paris\n"
        "sundial import csv people.csv --dry-run\n"
        "sundial import csv people.csv --column dateOfBirth=born --errors refused.ndjson "
        "--progress people.progress");
}

void add_apply(CommandTree& tree) {
    const auto flags = std::make_shared<ImportFlags>();
    CLI::App& apply =
        tree.verb("apply", "make a server's schedules equal to a TOML file; show the differences",
                  [flags] { return apply_file(*flags); });
    apply.add_option("-f,--file", flags->file, "the file; -: standard input, with --yes")
        ->type_name("FILE")
        ->required();
    apply.add_flag("--prune", flags->apply.prune,
                   "delete schedules that the file made and no longer has");
    apply.add_flag("--dry-run", flags->apply.dry_run,
                   "only show the differences; exit code 2 if there are any");
    apply.add_flag("-y,--yes", flags->apply.yes, "do not ask for confirmation");
    apply.footer(
        "sundial apply -f schedules.toml --dry-run\n"
        "sundial apply -f schedules.toml --prune --yes");
    tree.performs(
        apply, {"listSchedules", "createSchedule", "putSchedule", "deleteSchedule", "getEndpoint"});
    add_client_flags(apply, flags->client);
}

}  // namespace

void add_import_commands(CommandTree& tree) {
    add_imports(tree);
    add_apply(tree);
}

}  // namespace sundial::server
