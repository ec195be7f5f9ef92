#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "adapters/system/clocks.hpp"
#include "cli/imports/apply_schedules.hpp"
#include "cli/imports/import_schedules.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"
#include "server/process.hpp"

namespace sundial::server {
namespace {

struct ImportFlags {
    ClientFlags client{};
    SettingsFlags settings{};
    std::string file = "-";
    cli::ScheduleImport order{};
    cli::ScheduleApply apply{};
};
using SharedImportFlags = std::shared_ptr<ImportFlags>;

/// The content of a file, `-` for standard input. Empty, with a message, if it cannot be read.
std::optional<std::string> read_whole_file(const std::string& name) {
    std::ifstream file;
    const bool from_file = name != "-";
    if (from_file) file.open(name, std::ios::binary);
    std::istream& in = from_file ? file : std::cin;
    std::ostringstream text;
    // A directory can be opened, but not read. The stream keeps that as its state.
    if (in && in.peek() != std::char_traits<char>::eof()) text << in.rdbuf();
    if (in.bad() || (from_file && !file.is_open())) {
        std::cerr << "sundial: cannot read " << name << '\n';
        return std::nullopt;
    }
    return text.str();
}

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

void add_imports(CommandTree& tree) {
    using cli::ImportFormat;
    const auto flags = std::make_shared<ImportFlags>();
    CLI::App& noun = tree.noun("import", "schedules from the files of other schedulers");
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
    noun.footer(
        "crontab -l | sundial import crontab --timezone Europe/Berlin --dry-run\n"
        "sundial import crontab /etc/crontab --system --endpoint ext:runner --skip-invalid\n"
        "psql -c \"copy cron.job to stdout csv header\" | sundial import pgcron\n"
        "aws events list-rules | sundial import eventbridge --endpoint ext:queue\n"
        "sundial import ics team.ics --timezone Europe/Paris");
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
