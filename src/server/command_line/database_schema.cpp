#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "adapters/system/json_log.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"
#include "server/database.hpp"
#include "server/version.hpp"

namespace sundial::server {
namespace {

/// Exit code 1 while a migration is pending.
template <class Report>
int report_schema(const SettingsFlags& flags, Report report) {
    const Settings settings = load(flags).settings;
    system::LogSettings quiet;
    quiet.level = base::LogLevel::warn;
    quiet.version = product_version();
    system::JsonLog log(quiet);
    const SchemaReport found = report(settings, log);
    std::cout << found.text;
    return found.up_to_date ? ok : failure;
}

int show_settings(const SettingsFlags& flags) {
    for (const auto& [key, value, origin] : load(flags).shown) {
        std::cout << key << " = " << (value.empty() ? "\"\"" : value) << "  (" << origin << ")\n";
    }
    return ok;
}

}  // namespace

void add_database_commands(CommandTree& tree) {
    const auto flags = std::make_shared<SettingsFlags>();
    CLI::App& db = tree.noun("db", "the schema of the database");
    add_settings_flags(tree.verb(db, "migrate", "apply pending migrations",
                                 [flags] { return report_schema(*flags, migrate_database); }),
                       *flags);
    add_settings_flags(
        tree.verb(db, "status",
                  "show applied and pending migrations (exit code 1 if any is pending)",
                  [flags] { return report_schema(*flags, database_status); }),
        *flags);
    CLI::App& config = tree.noun("config", "the settings");
    add_settings_flags(tree.verb(config, "show", "show every setting, its value and its source",
                                 [flags] { return show_settings(*flags); }),
                       *flags);
}

}  // namespace sundial::server
