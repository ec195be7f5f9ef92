#include "server/distribution.hpp"

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <iostream>
#include <memory>

#include "adapters/system/json_log.hpp"
#include "cli/output.hpp"
#include "cli/text_table.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"

namespace sundial::server {
namespace {

struct DistributionFlags {
    SettingsFlags settings;
    postgres::DistributionTerms terms;
    bool yes = false;
    bool json = false;
};

boost::json::array json_list(const std::vector<std::string>& texts) {
    return boost::json::array(texts.begin(), texts.end());
}

std::string json_of_distribution(const postgres::Distribution& done, bool dry_run) {
    return boost::json::serialize(
        boost::json::object{{"dryRun", dry_run},
                            {"distributed", json_list(done.distributed)},
                            {"alreadyDistributed", json_list(done.already)},
                            {"workers", json_list(done.workers)},
                            {"shards", done.shards},
                            {"parts", done.parts},
                            {"flattensHistory", done.flattens_history},
                            {"refusals", json_list(done.refusals)},
                            {"remarks", json_list(done.remarks)}});
}

void print_distribution(const postgres::Distribution& done, bool dry_run) {
    if (done.distributed.empty()) {
        std::cout << "already distributed by shard: " << listed(done.already) << '\n';
    } else {
        if (done.flattens_history) {
            std::cout << (dry_run ? "would give" : "gave")
                      << " event_history one level of partitions, by status and month\n";
        }
        std::cout << (dry_run ? "would distribute " : "distributed ") << listed(done.distributed)
                  << ": " << done.shards << " shards in " << done.parts << " parts over ";
        if (done.workers.empty()) {
            std::cout << "this server\n";
        } else {
            std::cout << done.workers.size() << " workers (" << listed(done.workers) << ")\n";
        }
        std::cout << "all other tables stay on the coordinator\n";
    }
    for (const std::string& each : done.refusals) {
        std::cout << "REFUSED  " << cli::harmless(each) << '\n';
    }
    for (const std::string& each : done.remarks) {
        std::cout << "remark: " << cli::harmless(each) << '\n';
    }
    std::cout << "for trials only: what does not work on Citus yet is in `sundial docs read "
                 "guide beyond-one-machine`\n";
    if (dry_run) std::cout << "nothing has changed\n";
}

int run_distribute(const DistributionFlags& flags) {
    const Settings settings = load(flags.settings).settings;
    if (!flags.terms.dry_run && !flags.yes) {
        const auto refused = cli::refuse_unconfirmed(
            "distribute the tables of events over the machines of the cluster", person(), "give -y",
            output(false));
        if (refused) return *refused;
    }
    system::JsonLog log(problems_only());
    const postgres::Distribution done = distribute_database(settings, flags.terms, log);
    if (flags.json) {
        std::cout << json_of_distribution(done, flags.terms.dry_run) << '\n';
    } else {
        print_distribution(done, flags.terms.dry_run);
    }
    return done.refusals.empty() ? ok : failure;
}

struct ReshardFlags {
    SettingsFlags settings;
    std::int64_t shards = 0;
    bool dry_run = false;
    bool yes = false;
    bool json = false;
};

int run_reshard(const ReshardFlags& flags) {
    const Settings settings = load(flags.settings).settings;
    if (!flags.dry_run && !flags.yes) {
        const auto refused = cli::refuse_unconfirmed("change the number of shards to " +
                                                         std::to_string(flags.shards) +
                                                         ", which rewrites most rows of events",
                                                     person(), "give -y", output(false));
        if (refused) return *refused;
    }
    system::JsonLog log(problems_only());
    const postgres::Resharded done = reshard_database(settings, flags.shards, flags.dry_run, log);
    if (flags.json) {
        boost::json::object moved;
        for (const auto& [table, rows] : done.moved) moved[table] = rows;
        std::cout << boost::json::serialize(boost::json::object{{"dryRun", flags.dry_run},
                                                                {"shardsBefore", done.before},
                                                                {"shards", done.after},
                                                                {"moved", moved}})
                  << '\n';
        return ok;
    }
    if (done.before == done.after) {
        std::cout << "the database has " << done.after << " shards already\n";
        return ok;
    }
    for (const auto& [table, rows] : done.moved) {
        std::cout << table << "  " << rows
                  << (flags.dry_run ? " rows would move\n" : " rows moved\n");
    }
    if (flags.dry_run) {
        std::cout << "would change " << done.before << " shards to " << done.after
                  << "\nnothing has changed\n";
    } else {
        std::cout << "changed " << done.before << " shards to " << done.after
                  << ", and verified that each row is in its own\n";
    }
    return ok;
}

}  // namespace

void add_cluster_commands(CommandTree& tree) {
    CLI::App& db = tree.noun("db");
    const auto flags = std::make_shared<DistributionFlags>();
    CLI::App& distribute = tree.verb(
        db, "distribute",
        "distribute the tables of events over the machines of a Citus cluster, for trials",
        [flags] { return run_distribute(*flags); });
    add_settings_flags(distribute, flags->settings);
    distribute
        .add_option("--parts", flags->terms.parts,
                    "into how many parts Citus splits each table; it moves them as a whole")
        ->check(CLI::Range(1, 1024));
    distribute.add_flag("--dry-run", flags->terms.dry_run,
                        "check the cluster, and print what would be distributed");
    distribute.add_flag("-y,--yes", flags->yes, "do not ask");
    distribute.add_flag("--json", flags->json, "one JSON object");
    const auto resharded = std::make_shared<ReshardFlags>();
    CLI::App& reshard = tree.verb(
        db, "reshard", "change the number of shards of a PostgreSQL database, without servers",
        [resharded] { return run_reshard(*resharded); });
    add_settings_flags(reshard, resharded->settings);
    reshard.add_option("--shards", resharded->shards, "the new number, a power of two up to 256")
        ->required();
    reshard.add_flag("--dry-run", resharded->dry_run, "only count the rows that would move");
    reshard.add_flag("-y,--yes", resharded->yes, "do not ask");
    reshard.add_flag("--json", resharded->json, "one JSON object");
}

}  // namespace sundial::server
