#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "adapters/system/json_log.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"
#include "server/database.hpp"

namespace sundial::server {
namespace {

/// Exit code 1 while a migration is pending.
template <class Report>
int report_schema(const SettingsFlags& flags, Report report) {
    const Settings settings = load(flags).settings;
    system::JsonLog log(problems_only());
    const SchemaReport found = report(settings, log);
    std::cout << found.text;
    return found.up_to_date ? ok : failure;
}

int give_rights(const SettingsFlags& flags, const Grant& grant, bool dry_run) {
    const Settings settings = load(flags).settings;
    system::JsonLog log(problems_only());
    if (!dry_run) grant_rights(settings, grant, log);
    std::cout << "role " << grant.role << (dry_run ? " would be allowed to " : " may ")
              << (grant.calls ? "call Sundial's SQL functions" : "read Sundial's views");
    if (grant.calls && (grant.reads || grant.payloads)) std::cout << " and read its views";
    std::cout << (grant.payloads ? ", with payloads\n" : "\n");
    return ok;
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
    CLI::App& db = tree.noun("db", "the database: its schema, backups, checks");
    const auto only_shown = std::make_shared<bool>(false);
    CLI::App& migrate = tree.verb(db, "migrate", "apply pending migrations", [flags, only_shown] {
        if (!*only_shown) return report_schema(*flags, migrate_database);
        (void)report_schema(*flags, database_status);
        return static_cast<int>(ok);
    });
    add_settings_flags(migrate, *flags);
    migrate.add_flag("--dry-run", *only_shown, "only list the migrations, as db status");
    add_settings_flags(
        tree.verb(db, "status",
                  "show applied and pending migrations (exit code 1 if any is pending)",
                  [flags] { return report_schema(*flags, database_status); }),
        *flags);
    const auto grant = std::make_shared<Grant>();
    const auto only_reads = std::make_shared<bool>(false);
    const auto dry_run = std::make_shared<bool>(false);
    CLI::App& give =
        tree.verb(db, "grant", "let a role of PostgreSQL call the SQL functions, or read the views",
                  [flags, grant, only_reads, dry_run] {
                      grant->calls = !*only_reads;
                      grant->reads |= *only_reads;
                      return give_rights(*flags, *grant, *dry_run);
                  });
    add_settings_flags(give, *flags);
    give.add_option("--to", grant->role, "the role")->required();
    give.add_flag("--read", grant->reads, "also the views, without payloads");
    give.add_flag("--dry-run", *dry_run, "only show what the role would be allowed to do");
    give.add_flag("--read-only", *only_reads, "the views, and no function");
    give.add_flag("--payloads", grant->payloads, "the payloads of events in the views, too");
    CLI::App& config = tree.noun("config", "the settings");
    add_settings_flags(tree.verb(config, "show", "show every setting, its value and its source",
                                 [flags] { return show_settings(*flags); }),
                       *flags);
}

}  // namespace sundial::server
