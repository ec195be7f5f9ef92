#include "server/backups.hpp"

#include <algorithm>
#include <array>
#include <ctime>

#include "adapters/postgres/backup.hpp"
#include "adapters/sqlite/backup.hpp"
#include "adapters/system/clocks.hpp"
#include "adapters/system/running_digest.hpp"
#include "application/ports/failures.hpp"
#include "server/backup_archive.hpp"
#include "server/database.hpp"
#include "server/partial_file.hpp"
#include "server/version.hpp"

namespace sundial::server {
namespace {

namespace fs = std::filesystem;
using BackupTime = std::chrono::steady_clock;

std::chrono::milliseconds elapsed_since(BackupTime::time_point start) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(BackupTime::now() - start);
}

/// `sundial-20270301T080000Z.backup`
std::string backup_name(const char* ending) {
    const auto seconds = static_cast<std::time_t>(
        std::chrono::duration_cast<std::chrono::seconds>(system::real_time().time_since_epoch())
            .count());
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 64> text{};
    (void)std::strftime(text.data(), text.size(), "sundial-%Y%m%dT%H%M%SZ", &parts);
    return std::string{text.data()} + ending;
}

fs::path file_of_backup(const fs::path& target, const char* ending) {
    return fs::is_directory(target) ? target / backup_name(ending) : target;
}

std::string backup_megabytes(std::uint64_t bytes) {
    return std::to_string(bytes / 1'000'000) + '.' + std::to_string(bytes / 100'000 % 10) + " MB";
}

/// Shows at most five lines a second.
class PacedProgress {
public:
    explicit PacedProgress(const ShowProgress& show) : show_{show} {}
    void show(const std::string& what, std::uint64_t done, const std::string& unit) {
        if (!show_ || BackupTime::now() < next_) return;
        next_ = BackupTime::now() + std::chrono::milliseconds{200};
        const auto milliseconds = std::max<std::int64_t>(1, elapsed_since(start_).count());
        const std::uint64_t rate = done * 1000 / static_cast<std::uint64_t>(milliseconds);
        show_(what + ", " + std::to_string(rate) + ' ' + unit + "/s");
    }

private:
    const ShowProgress& show_;
    const BackupTime::time_point start_ = BackupTime::now();
    BackupTime::time_point next_ = start_;
};

BackupDone back_up_sqlite(const fs::path& file, const fs::path& target, const ShowProgress& show) {
    const auto start = BackupTime::now();
    BackupDone done;
    done.file = file_of_backup(target, ".db");
    if (!fs::exists(file)) throw CannotStart{"there is no database " + file.string()};
    PartialFile partial{done.file};
    PacedProgress progress{show};
    done.content = sqlite::back_up(
        file, partial.path(), system::new_sha256, [&](std::int64_t pages, std::int64_t all) {
            progress.show("page " + std::to_string(pages) + " of " + std::to_string(all),
                          static_cast<std::uint64_t>(pages), "pages");
        });
    partial.publish();
    done.bytes = fs::file_size(done.file);
    done.took = elapsed_since(start);
    return done;
}

DatabaseContent content_of_archive(const fs::path& file) {
    DatabaseContent content;
    try {
        ArchiveReader reader{file, system::new_sha256};
        content.schema_version = reader.header().schema_version;
        for (const ArchivedTable& table : reader.header().tables) {
            const std::string fault = reader.read(table, {});
            if (!fault.empty()) content.faults.push_back(fault);
            content.rows.emplace_back(table.table.name, table.rows);
        }
        if (!reader.at_end()) content.faults.emplace_back("bytes follow the last table");
    } catch (const CannotStart& error) {
        content.faults.emplace_back(error.what());
    }
    return content;
}

BackupDone back_up_postgres(const std::string& url, const fs::path& target,
                            const ShowProgress& show) {
    const auto start = BackupTime::now();
    BackupDone done;
    done.file = file_of_backup(target, ".backup");
    PartialFile partial{done.file};
    ArchiveWriter writer{partial};
    {
        const auto opened = BackupTime::now();
        const auto snapshot = postgres::BackupSnapshot::open(url);
        ArchiveHeader header{snapshot->schema_version(),
                             snapshot->taken_at(),
                             snapshot->server_version(),
                             snapshot->tz_release(),
                             product_version(),
                             {},
                             {}};
        PacedProgress progress{show};
        std::uint64_t rows = 0;
        for (postgres::SavedTable& table : snapshot->tables()) {
            const auto sum = system::new_sha256();
            ArchivedTable archived{std::move(table), 0, 0, {}};
            std::int64_t here = 0;
            archived.rows = snapshot->copy(archived.table, [&](std::string_view row) {
                writer.write(row);
                sum->add(row);
                archived.bytes += row.size();
                progress.show(archived.table.name + ": row " + std::to_string(++here) +
                                  " of about " + std::to_string(archived.table.expected_rows),
                              ++rows, "rows");
            });
            archived.sha256 = sum->finish();
            header.tables.push_back(std::move(archived));
        }
        header.sequences = snapshot->sequences();
        done.transactions = snapshot->transactions_since();
        done.snapshot = elapsed_since(opened);
        writer.complete(header);
    }
    done.content = content_of_archive(partial.path());
    if (!done.content.faults.empty()) {
        throw Corrupt{"the backup was not kept, because its check failed: " +
                      done.content.faults.front()};
    }
    partial.publish();
    done.bytes = fs::file_size(done.file);
    done.took = elapsed_since(start);
    return done;
}

RestoredWork restore_postgres(const Settings& settings, const fs::path& file,
                              const RestoreTerms& terms, const ShowProgress& show, base::Log& log) {
    const DatabaseContent content = content_of_archive(file);
    if (!content.faults.empty()) {
        throw CannotStart{"the backup cannot be restored: " + content.faults.front() +
                          ". Nothing has changed"};
    }
    ArchiveReader reader{file, system::new_sha256};
    if (!terms.dry_run) (void)migrate_database(settings, log);
    const int schema = postgres::applied_schema_version(settings.storage.url);
    if (terms.dry_run && schema < content.schema_version) {
        throw CannotStart{"the backup is sound. A dry run needs a database of its schema version " +
                          std::to_string(content.schema_version) + ", and this one has " +
                          std::to_string(schema) +
                          ": run 'sundial db migrate' first, or restore without --dry-run, which "
                          "does that too. Nothing has changed"};
    }
    if (schema != content.schema_version) {
        throw CannotStart{"the backup has schema version " +
                          std::to_string(content.schema_version) + ", the database " +
                          std::to_string(schema) + ". Restore it with the sundial that made it (" +
                          reader.header().product + "), then upgrade. No data has changed"};
    }
    const auto restoring = postgres::RestoreTransaction::begin(settings.storage.url, terms.replace);
    PacedProgress progress{show};
    std::uint64_t bytes = 0;
    for (const ArchivedTable& table : reader.header().tables) {
        reader.begin(table);
        const std::int64_t rows = restoring->fill(table.table, [&] {
            const std::string_view part = reader.next_part();
            bytes += part.size();
            progress.show(table.table.name + ": " + backup_megabytes(bytes), bytes / 1000, "kB");
            return part;
        });
        std::string fault = reader.end();
        if (fault.empty() && rows != table.rows)
            fault = "table " + table.table.name + ": rows lost";
        if (!fault.empty()) throw CannotStart{fault + ". Nothing has changed"};
    }
    for (const postgres::SavedSequence& each : reader.header().sequences) restoring->set(each);
    RestoredWork work = restoring->finish();
    if (!terms.dry_run) restoring->commit();
    return work;
}

}  // namespace

BackupDone back_up_database(const Settings& settings, const fs::path& target,
                            const ShowProgress& show) {
    if (const auto file = sqlite_file(settings.storage.url)) {
        return back_up_sqlite(*file, target, show);
    }
    return back_up_postgres(settings.storage.url, target, show);
}

RestoredWork restore_backup(const Settings& settings, const fs::path& file,
                            const RestoreTerms& terms, const ShowProgress& show, base::Log& log) {
    if (!fs::is_regular_file(file)) throw CannotStart{"there is no file " + file.string()};
    const auto target = sqlite_file(settings.storage.url);
    if (target.has_value() == is_archive(file)) {
        throw CannotStart{target ? "this is a backup of PostgreSQL. Give a PostgreSQL with --db"
                                 : "this is a backup of SQLite, or none at all. Give a file with "
                                   "--db, or another backup"};
    }
    if (target) {
        return sqlite::restore_database(file, *target, terms, system::new_sha256,
                                        system::real_time());
    }
    return restore_postgres(settings, file, terms, show, log);
}

DatabaseContent check_backup(const fs::path& file) {
    if (!fs::is_regular_file(file)) throw CannotStart{"there is no file " + file.string()};
    if (is_archive(file)) return content_of_archive(file);
    return sqlite::check_database(file, system::new_sha256);
}

DatabaseContent check_live_database(const Settings& settings) {
    if (const auto file = sqlite_file(settings.storage.url)) {
        return sqlite::check_database(*file, {});
    }
    return postgres::check_database(settings.storage.url);
}

}  // namespace sundial::server
