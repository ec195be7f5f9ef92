#include "server/backups.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <memory>

#include "adapters/system/json_log.hpp"
#include "cli/output.hpp"
#include "cli/text_table.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"
#include "server/copies.hpp"
#include "server/database.hpp"
#include "server/doctor.hpp"

namespace sundial::server {
namespace {

struct BackupFlags {
    SettingsFlags settings;
    std::string file;
    RestoreTerms terms;
    bool yes = false;
};

/// Progress on standard error, which leaves results alone on standard output.
class BackupProgress {
public:
    BackupProgress() : options_{wait_options(0)}, line_{options_, std::cerr} {}
    ~BackupProgress() { line_.end(); }
    BackupProgress(const BackupProgress&) = delete;
    BackupProgress& operator=(const BackupProgress&) = delete;
    [[nodiscard]] ShowProgress show() {
        return [this](const std::string& text) { line_.show(text); };
    }

private:
    cli::WaitOptions options_;
    cli::LiveLine line_;
};

std::string backup_seconds(std::chrono::milliseconds time) {
    return std::to_string(time.count() / 1000) + '.' + std::to_string(time.count() / 100 % 10) +
           " s";
}

std::int64_t rows_in(const DatabaseContent& content) {
    std::int64_t rows = 0;
    for (const auto& [table, number] : content.rows) rows += number;
    return rows;
}

/// The file of the key that sealed the secrets of a database.
std::string key_place(const Settings& settings) {
    const auto file = sqlite_file(settings.storage.url);
    return file && settings.security.encryption_key.empty() ? *file + ".key"
                                                            : "security.encryption_key";
}

int run_backup(const BackupFlags& flags) {
    const Settings settings = load(flags.settings).settings;
    const BackupDone done = [&] {
        BackupProgress progress;
        return back_up_database(settings, flags.file, progress.show());
    }();
    std::cout << "saved and verified " << done.file.string() << ": " << rows_in(done.content)
              << " rows of " << done.content.rows.size() << " tables, schema version "
              << done.content.schema_version << ", " << done.bytes << " bytes, in "
              << backup_seconds(done.took) << '\n';
    if (done.snapshot) {
        std::cout << "the snapshot was open for " << backup_seconds(*done.snapshot) << " and "
                  << done.transactions << " transactions; vacuum kept the rows that they deleted\n";
    }
    std::cout << "the key for secrets is not in it: keep " << key_place(settings)
              << " in another place\n";
    return ok;
}

/// Prints what the first server will send.
void print_due(const RestoredWork& work) {
    std::int64_t due = 0;
    for (const auto& each : work.due) due += each.events;
    if (due == 0) {
        std::cout << "no event is due\n";
        return;
    }
    std::cout << due << " events are due and will be sent, some of them again; the oldest was due "
              << work.oldest_due.value_or("?") << '\n';
    for (const auto& each : work.due) {
        std::cout << "  " << cli::harmless(each.endpoint) << ": " << each.events << '\n';
    }
}

int run_restore(const BackupFlags& flags) {
    const Settings settings = load(flags.settings).settings;
    if (flags.terms.replace && !flags.terms.dry_run && !flags.yes) {
        const auto refused =
            cli::refuse_unconfirmed("delete all data of the database and restore " + flags.file,
                                    person(), "give -y", output(false));
        if (refused) return *refused;
    }
    system::JsonLog log(problems_only());
    const RestoredWork work = [&] {
        BackupProgress progress;
        return restore_backup(settings, flags.file, flags.terms, progress.show(), log);
    }();
    std::cout << (flags.terms.dry_run ? "would restore " : "restored ") << flags.file << ": "
              << work.live << " live events\n";
    print_due(work);
    std::cout << work.claims_ended
              << " claims ended: their events were being delivered when the backup was made\n"
              << "receivers see events sent since the backup again, with the same webhook-id\n";
    if (flags.terms.dry_run) std::cout << "nothing has changed\n";
    return ok;
}

struct CopyFlags {
    SettingsFlags settings;
    std::string to;
    CopyTerms terms;
    bool yes = false;
    bool json = false;
};

std::string json_of_copy(const CopyFlags& flags, const CopyDone& done, const std::string& key_from,
                         const std::string& key_to) {
    boost::json::array tables, losses, due;
    for (const auto& each : done.tables) {
        boost::json::object table{{"name", each.name}, {"rows", each.rows}};
        if (!each.sha256.empty()) table["sha256"] = each.sha256;
        tables.emplace_back(std::move(table));
    }
    for (const auto& each : done.losses) {
        losses.emplace_back(boost::json::object{
            {"what", each.what}, {"rows", each.rows}, {"refused", each.refused}});
    }
    for (const auto& each : done.work.due) {
        due.emplace_back(boost::json::object{{"endpoint", each.endpoint}, {"events", each.events}});
    }
    boost::json::object all{{"dryRun", flags.terms.dry_run},
                            {"rows", done.rows},
                            {"rowsCopiedBefore", done.rows_before},
                            {"tookMs", done.took.count()},
                            {"tables", tables},
                            {"notCopied", losses},
                            {"liveEvents", done.work.live},
                            {"claimsEnded", done.work.claims_ended},
                            {"due", due},
                            {"oldestDue", nullptr},
                            {"keyFrom", key_from},
                            {"keyTo", key_to}};
    if (done.work.oldest_due) all["oldestDue"] = *done.work.oldest_due;
    return boost::json::serialize(all);
}

void print_copy(const CopyFlags& flags, const CopyDone& done, const std::string& key_from,
                const std::string& key_to) {
    const bool dry = flags.terms.dry_run;
    if (dry) {
        std::cout << "would copy " << done.rows << " rows of " << done.tables.size() << " tables\n";
    } else {
        const auto seconds = std::max<std::int64_t>(1, done.took.count());
        std::cout << "copied and verified " << done.rows << " rows of " << done.tables.size()
                  << " tables in " << backup_seconds(done.took) << " ("
                  << (done.rows - done.rows_before) * 1000 / seconds << " rows/s)";
        if (done.rows_before > 0) {
            std::cout << "; an interrupted copy had stored " << done.rows_before << " of them";
        }
        std::cout << '\n';
    }
    for (const auto& each : done.losses) {
        std::cout << (each.refused ? "REFUSED  " : "not copied: ") << each.rows << ' ' << each.what
                  << '\n';
    }
    std::cout << done.work.live << " live events\n";
    print_due(done.work);
    std::cout << done.work.claims_ended << " claims " << (dry ? "would end" : "ended")
              << ": their events may have arrived, and are sent again with the same webhook-id\n"
              << "the key for secrets is not copied: the one in " << key_from << " must be in "
              << key_to << " before a server starts on the copy\n";
    std::cout
        << (dry ? "nothing has changed\n"
                : "never start a server on the source again: both would send the same events\n");
}

int run_copy(const CopyFlags& flags) {
    const LoadedSettings loaded = load(flags.settings);
    const Settings& source = loaded.settings;
    Settings target = source;
    target.storage.url = database_url(flags.to);
    target.storage.listen_url.clear();
    if (!flags.terms.dry_run && !flags.yes) {
        const auto refused = cli::refuse_unconfirmed(
            "copy the database, after which no server may "
            "start on the source,",
            person(), "give -y", output(false));
        if (refused) return *refused;
    }
    system::JsonLog log(problems_only());
    const CopyDone done = [&] {
        BackupProgress progress;
        return copy_database(source, target, flags.terms, progress.show(), log);
    }();
    const std::string key_from = key_place(source), key_to = key_place(target);
    if (flags.json) {
        std::cout << json_of_copy(flags, done, key_from, key_to) << '\n';
    } else {
        print_copy(flags, done, key_from, key_to);
    }
    const bool refused = std::any_of(done.losses.begin(), done.losses.end(),
                                     [](const CopyLoss& each) { return each.refused; });
    return refused ? failure : ok;
}

int run_check(const BackupFlags& flags) {
    const DatabaseContent content = flags.file.empty()
                                        ? check_live_database(load(flags.settings).settings)
                                        : check_backup(flags.file);
    for (const auto& [table, rows] : content.rows) std::cout << table << "  " << rows << '\n';
    for (const std::string& fault : content.faults) {
        std::cout << "FAULT  " << cli::harmless(fault) << '\n';
    }
    if (content.faults.empty()) {
        std::cout << "sound: " << rows_in(content) << " rows, schema version "
                  << content.schema_version << '\n';
        return ok;
    }
    std::cout << content.faults.size() << " faults\n";
    return failure;
}

}  // namespace

namespace {

struct DoctorFlags {
    SettingsFlags settings;
    bool json = false;
};

const char* name_of_diagnosis(Diagnosis::State state) {
    switch (state) {
        case Diagnosis::State::ok:
            return "ok";
        case Diagnosis::State::warn:
            return "warn";
        case Diagnosis::State::fail:
            return "fail";
    }
    return "fail";
}

int run_doctor(const DoctorFlags& flags) {
    system::JsonLog log(problems_only());
    const std::vector<Diagnosis> all = diagnose(load(flags.settings), log);
    boost::json::array rows;
    bool failed = false;
    for (const Diagnosis& each : all) {
        failed |= each.state == Diagnosis::State::fail;
        if (flags.json) {
            rows.emplace_back(boost::json::object{{"check", each.check},
                                                  {"state", name_of_diagnosis(each.state)},
                                                  {"found", each.found},
                                                  {"remedy", each.remedy}});
            continue;
        }
        std::cout << name_of_diagnosis(each.state) << "  " << each.check << ": "
                  << cli::harmless(each.found) << '\n';
        if (!each.remedy.empty()) std::cout << "      " << cli::harmless(each.remedy) << '\n';
    }
    if (flags.json) std::cout << boost::json::serialize(rows) << '\n';
    return failed ? failure : ok;
}

}  // namespace

void add_backup_commands(CommandTree& tree) {
    const auto doctor = std::make_shared<DoctorFlags>();
    CLI::App& examine = tree.verb(
        "doctor", "check settings, database, disk, clock and files (exit code 1 if any fails)",
        [doctor] { return run_doctor(*doctor); });
    add_settings_flags(examine, doctor->settings);
    examine.add_flag("--json", doctor->json, "one JSON array");
    const auto flags = std::make_shared<BackupFlags>();
    CLI::App& db = tree.noun("db");
    CLI::App& backup = tree.verb(db, "backup", "save the database, also while a server uses it",
                                 [flags] { return run_backup(*flags); });
    add_settings_flags(backup, flags->settings);
    backup.add_option("file", flags->file, "the new file, or a folder for it")->required();
    CLI::App& restore =
        tree.verb(db, "restore", "restore a backup into a database without a server",
                  [flags] { return run_restore(*flags); });
    add_settings_flags(restore, flags->settings);
    restore.add_option("file", flags->file, "the backup")->required();
    restore.add_flag("--replace", flags->terms.replace, "delete the data that the database has");
    restore.add_flag("--dry-run", flags->terms.dry_run,
                     "check the backup and the database, and print what would be sent");
    restore.add_flag("-y,--yes", flags->yes, "do not ask");
    const auto copied = std::make_shared<CopyFlags>();
    CLI::App& copy =
        tree.verb(db, "copy", "copy everything from SQLite to PostgreSQL or back, without servers",
                  [copied] { return run_copy(*copied); });
    add_settings_flags(copy, copied->settings);
    copy.add_option("to", copied->to, "the new database: a file or postgresql://…")->required();
    copy.add_flag("--restart", copied->terms.restart, "discard an interrupted copy");
    copy.add_flag("--dry-run", copied->terms.dry_run,
                  "check both databases, and print what would be copied and sent");
    copy.add_flag("-y,--yes", copied->yes, "do not ask");
    copy.add_flag("--json", copied->json, "one JSON object");
    CLI::App& check =
        tree.verb(db, "check", "look for damage in a backup or the database (exit code 1 if any)",
                  [flags] { return run_check(*flags); });
    add_settings_flags(check, flags->settings);
    check.add_option("file", flags->file, "a backup; the database if absent");
}

}  // namespace sundial::server
