#include <CLI/CLI.hpp>
#include <array>
#include <boost/json.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "adapters/system/json_log.hpp"
#include "cli/text_table.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"
#include "server/database.hpp"
#include "server/distribution.hpp"

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

/// "1.2 GB"
std::string size_text(std::int64_t bytes) {
    constexpr std::array units{"kB", "MB", "GB", "TB"};
    std::int64_t tenths = bytes / 100;
    std::size_t unit = 0;
    for (; tenths >= 10'000 && unit + 1 < units.size(); ++unit) tenths /= 1000;
    return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + ' ' + units.at(unit);
}

std::string size_text(const std::optional<std::int64_t>& bytes) {
    return bytes ? size_text(*bytes) : "size unknown, it does not answer";
}

void print_places(const StorageState& state) {
    if (state.shards == 0) return;
    std::cout << "shards    " << state.shards;
    if (!state.distributed) {
        std::cout << " on one machine\n";
    } else {
        std::cout << " in " << state.placements.size() << " parts, distributed by citus "
                  << state.citus << '\n';
    }
    for (const StorageState::Table& table : state.tables) {
        std::cout << "table     " << table.name << ": ";
        if (table.rows) std::cout << "about " << *table.rows << " rows, ";
        std::cout << size_text(table.bytes) << '\n';
    }
    for (const StorageState::Node& node : state.nodes) {
        std::cout << "node      " << cli::harmless(node.address)
                  << (node.coordinator ? " (coordinator)" : " (worker)")
                  << (node.active ? ": " : ", not active: ") << node.placements << " parts with "
                  << node.shards << " shards, " << size_text(node.bytes) << '\n';
    }
}

void print_storage(const SchemaReport& schema, const StorageState& state) {
    std::cout << "database  " << state.software << ", " << cli::harmless(state.place) << ", "
              << size_text(state.bytes);
    if (state.free_bytes > 0) std::cout << ", " << size_text(state.free_bytes) << " of it free";
    std::cout << "\nschema    version " << schema.version << ", ";
    if (schema.up_to_date) {
        std::cout << "up to date\n";
    } else {
        std::cout << schema.pending << " migrations pending\n";
    }
    print_places(state);
    if (state.live_events) std::cout << "events    " << *state.live_events << " live\n";
}

boost::json::value size_or_null(const std::optional<std::int64_t>& number) {
    return number ? boost::json::value(*number) : boost::json::value(nullptr);
}

std::string json_of_storage(const SchemaReport& schema, const StorageState& state) {
    boost::json::array tables, nodes, parts;
    for (const auto& each : state.tables) {
        tables.emplace_back(boost::json::object{{"name", each.name},
                                                {"rowsEstimated", size_or_null(each.rows)},
                                                {"bytes", each.bytes}});
    }
    for (const auto& each : state.nodes) {
        nodes.emplace_back(boost::json::object{{"address", each.address},
                                               {"coordinator", each.coordinator},
                                               {"active", each.active},
                                               {"parts", each.placements},
                                               {"shards", each.shards},
                                               {"bytes", size_or_null(each.bytes)}});
    }
    for (const auto& each : state.placements) {
        parts.emplace_back(boost::json::object{
            {"id", each.id},
            {"node", each.node},
            {"shards", boost::json::array(each.shards.begin(), each.shards.end())},
            {"bytes", size_or_null(each.bytes)}});
    }
    boost::json::object all{{"software", state.software},
                            {"place", state.place},
                            {"bytes", state.bytes},
                            {"freeBytes", state.free_bytes},
                            {"schemaVersion", schema.version},
                            {"pendingMigrations", schema.pending},
                            {"shards", state.shards},
                            {"liveEvents", size_or_null(state.live_events)},
                            {"tables", tables},
                            {"citus", nullptr},
                            {"distributed", state.distributed},
                            {"nodes", nodes},
                            {"parts", parts}};
    if (!state.citus.empty()) all["citus"] = state.citus;
    return boost::json::serialize(all);
}

/// Exit code 1 while a migration is pending.
int show_status(const SettingsFlags& flags, bool json) {
    const Settings settings = load(flags).settings;
    system::JsonLog log(problems_only());
    const SchemaReport schema = database_status(settings, log);
    const StorageState state = storage_state(settings);
    if (json) {
        std::cout << json_of_storage(schema, state) << '\n';
    } else {
        std::cout << schema.text;
        print_storage(schema, state);
    }
    return schema.up_to_date ? ok : failure;
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
    migrate.add_flag("--dry-run", *only_shown, "only list the migrations, applied and pending");
    const auto json = std::make_shared<bool>(false);
    CLI::App& status = tree.verb(
        db, "status",
        "show migrations, sizes, and the nodes of a distributed database (exit code 1 if a "
        "migration is pending)",
        [flags, json] { return show_status(*flags, *json); });
    add_settings_flags(status, *flags);
    status.add_flag("--json", *json, "one JSON object");
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
