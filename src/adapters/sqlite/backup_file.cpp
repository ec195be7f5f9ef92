#include "adapters/sqlite/backup_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "adapters/sqlite/database_file.hpp"

namespace sundial::sqlite {
namespace {

namespace fs = std::filesystem;

void sync_to_disk(const fs::path& path, int flags) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
    const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
    const int error = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (!synced) {
        throw CannotStart{"cannot write " + path.string() +
                          " to the disk: " + std::generic_category().message(error)};
    }
}

}  // namespace

std::string quoted_name(const std::string& name) {
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? std::string{"\"\""} : std::string{c};
    return text + "\"";
}

std::vector<std::string> tables_to_save(sqlite3* database) {
    BackupRows rows{database,
                    "SELECT name FROM sqlite_schema WHERE type = 'table'"
                    " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
                    " AND name NOT LIKE 'sundial\\_backup%' ESCAPE '\\' ORDER BY name"};
    std::vector<std::string> names;
    while (rows.next()) names.push_back(rows.text(0));
    return names;
}

std::int64_t number_of(sqlite3* database, const std::string& sql) {
    BackupRows rows{database, sql};
    return rows.next() ? rows.number(0) : 0;
}

bool has_table(sqlite3* database, const char* name) {
    BackupRows rows{database, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1"};
    rows.bind(1, name);
    return rows.next();
}

std::string name_to_read(const fs::path& file) {
    if (fs::exists(file.string() + "-wal")) return file.string();
    std::string name = "file:";
    constexpr std::string_view digits = "0123456789ABCDEF";
    for (const char c : fs::absolute(file).string()) {
        if (c == '%' || c == '?' || c == '#') {
            name += '%';
            name += digits[static_cast<unsigned char>(c) >> 4];
            name += digits[static_cast<unsigned char>(c) & 15];
        } else {
            name += c;
        }
    }
    return name + "?immutable=1";
}

void rename_for_good(const fs::path& from, const fs::path& to) {
    sync_to_disk(from, O_RDWR);
    fs::rename(from, to);
    sync_to_disk(fs::absolute(to).parent_path(), O_RDONLY | O_DIRECTORY);
}

void make_empty(const fs::path& file) {
    for (const char* const ending : {"", "-journal", "-wal", "-shm"}) {
        fs::remove(file.string() + ending);
    }
    const int made = open_private(file);
    if (made < 0) {
        throw CannotStart{"cannot create " + file.string() + ": " +
                          std::generic_category().message(errno)};
    }
    ::close(made);
}

void remove_quietly(const fs::path& file) noexcept {
    std::error_code ignored;
    for (const char* const ending : {"", "-journal", "-wal", "-shm"}) {
        fs::remove(file.string() + ending, ignored);
    }
}

void refuse_used(const fs::path& file, const std::string& instead) {
    if (!fs::exists(file) || fs::file_size(file) == 0) return;
    const BackupFile old{file.string(), SQLITE_OPEN_READWRITE};
    const bool is_ours = has_table(old.handle(), "events") && has_table(old.handle(), "users");
    const bool has_followers =
        has_table(old.handle(), "outcome_followers") &&
        number_of(old.handle(), "SELECT EXISTS (SELECT 1 FROM outcome_followers)") != 0;
    const bool used = !is_ours || has_followers ||
                      number_of(old.handle(),
                                "SELECT EXISTS (SELECT 1 FROM events)"
                                " OR EXISTS (SELECT 1 FROM event_history)"
                                " OR EXISTS (SELECT 1 FROM users)"
                                // The first migration stores one.
                                " OR EXISTS (SELECT 1 FROM schedules WHERE version > 1"
                                " OR external_id IS NOT 'birthday')"
                                " OR EXISTS (SELECT 1 FROM endpoints)"
                                " OR EXISTS (SELECT 1 FROM api_keys)"
                                " OR EXISTS (SELECT 1 FROM outboxes)"
                                " OR EXISTS (SELECT 1 FROM streams)"
                                " OR EXISTS (SELECT 1 FROM checkpoints)"
                                " OR EXISTS (SELECT 1 FROM recorded_events)") != 0;
    if (used) {
        throw CannotStart{"the database " + file.string() + " has data. " + instead};
    }
}

void finish_log(const fs::path& file) {
    if (!fs::exists(file.string() + "-wal")) return;
    bool lost = !fs::exists(file);
    if (!lost) {
        const BackupFile old{file.string(), SQLITE_OPEN_READWRITE};
        constexpr const char* finish =
            "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE";
        const int code = sqlite3_exec(old.handle(), finish, nullptr, nullptr, nullptr) & 0xff;
        lost = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
        if (code != SQLITE_OK && !lost) old.fail();
    }
    if (lost) {
        for (const char* const ending : {"-wal", "-shm"}) fs::remove(file.string() + ending);
    }
    if (fs::exists(file.string() + "-wal")) {
        throw CannotStart{"another program has " + file.string() +
                          " open. Close it, then try again"};
    }
    // Before another database gets the name: if the log came back after a power failure, SQLite
    // would apply it to that database.
    sync_to_disk(fs::absolute(file).parent_path(), O_RDONLY | O_DIRECTORY);
}

std::int64_t end_claims(const BackupFile& restored, Instant now) {
    BackupRows update{
        restored.handle(),
        "UPDATE events SET claimable_at = min(claimable_at, ?1), version = version + 1"
        " WHERE claimed_by IS NOT NULL"};
    update.bind(1, static_cast<std::int64_t>(now.time_since_epoch().count()));
    update.next();
    return sqlite3_changes64(restored.handle());
}

RestoredWork work_left(sqlite3* database, Instant now) {
    RestoredWork work;
    work.live = number_of(database, "SELECT count(*) FROM events");
    BackupRows rows{database,
                    "SELECT coalesce(endpoint.external_id, endpoint.name, 'no endpoint'), count(*)"
                    "  FROM events LEFT JOIN endpoints AS endpoint ON endpoint.id = endpoint_id"
                    " WHERE claimable_at <= ?1 GROUP BY 1 ORDER BY 2 DESC, 1"};
    rows.bind(1, static_cast<std::int64_t>(now.time_since_epoch().count()));
    while (rows.next()) work.due.push_back({rows.text(0), rows.number(1)});
    BackupRows oldest{database,
                      "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', min(due) / 1000000, 'unixepoch')"
                      "  FROM events WHERE claimable_at <= ?1 HAVING count(*) > 0"};
    oldest.bind(1, static_cast<std::int64_t>(now.time_since_epoch().count()));
    if (oldest.next()) work.oldest_due = oldest.text(0);
    return work;
}

}  // namespace sundial::sqlite
