#include "adapters/sqlite/storage_state.hpp"

#include <sqlite3.h>

#include "adapters/sqlite/backup_file.hpp"
#include "adapters/sqlite/open.hpp"

namespace sundial::sqlite {

namespace fs = std::filesystem;

StorageState storage_state(const fs::path& file) {
    StorageState state;
    state.software = "SQLite " + library_version().version;
    state.place = file.string();
    if (!fs::exists(file)) return state;
    std::error_code absent;
    for (const char* const ending : {"", "-wal"}) {
        const auto bytes = fs::file_size(file.string() + ending, absent);
        if (!absent) state.bytes += static_cast<std::int64_t>(bytes);
    }
    const BackupFile opened{name_to_read(file), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI};
    sqlite3* const database = opened.handle();
    if (!has_table(database, "events")) return state;
    state.shards = 1;
    state.free_bytes =
        number_of(database, "PRAGMA freelist_count") * number_of(database, "PRAGMA page_size");
    state.live_events = number_of(database, "SELECT count(*) FROM events");
    return state;
}

}  // namespace sundial::sqlite
