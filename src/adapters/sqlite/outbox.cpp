#include "application/ports/outbox.hpp"

#include <sqlite3.h>
#include <sys/stat.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "adapters/sqlite/open.hpp"
#include "adapters/sqlite/statement_handle.hpp"
#include "application/ports/failures.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

constexpr int writer_timeout = 2'000;  // ms: without WAL, a commit of the application excludes us
/// Requests of this size are not even loaded. Larger than a request that may be accepted, so that a
/// row slightly too large is reported with its size.
constexpr int largest_value = 2 * static_cast<int>(max_outbox_request);
/// A file that changed more recently than this may change again without a new modification time.
constexpr std::chrono::microseconds settled_after = std::chrono::seconds{1};

constexpr const char* vfs_name = "sundial-outbox";

/// Opens whatever SQLite opens, but never to write, and creates nothing. SQLite itself would create
/// a missing -wal beside a file in WAL mode, owned by us, and the application could then no longer
/// write.
int open_to_read(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags,
                 int* out_flags) {
    sqlite3_vfs* const real = sqlite3_vfs_find(nullptr);
    // Temporary files have no name, and belong to us.
    if (name != nullptr) {
        flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_DELETEONCLOSE);
        flags |= SQLITE_OPEN_READONLY;
    }
    return real->xOpen(real, name, file, flags, out_flags);
}

int delete_nothing(sqlite3_vfs* /*vfs*/, const char* /*name*/, int /*sync*/) {
    return SQLITE_READONLY;
}

void register_vfs() {
    static const bool registered = [] {
        static sqlite3_vfs reading = *sqlite3_vfs_find(nullptr);
        reading.zName = vfs_name;
        reading.pNext = nullptr;
        reading.xOpen = open_to_read;
        reading.xDelete = delete_nothing;
        return sqlite3_vfs_register(&reading, 0) == SQLITE_OK;
    }();
    base::check(registered);
}

/// SQLite's URI of a file.
std::string uri_of(const std::filesystem::path& file, const char* options) {
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(file).string()) {
        if (c == '%' || c == '?' || c == '#') {
            constexpr const char* digits = "0123456789ABCDEF";
            const auto byte = static_cast<unsigned char>(c);
            (uri += '%') += digits[byte >> 4U];
            uri += digits[byte & 15U];
        } else {
            uri += c;
        }
    }
    return uri + "?vfs=" + vfs_name + "&mode=ro&" + options;
}

/// A failure of SQLite. `code` is extended.
struct Refused {
    int code;
    std::string why;
};

struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
};

/// The file, open for one read. Throws Refused.
class Reader {
public:
    explicit Reader(const std::string& uri) {
        sqlite3* opened = nullptr;
        const int code =
            sqlite3_open_v2(uri.c_str(), &opened,
                            SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, vfs_name);
        database_.reset(opened);
        if (code != SQLITE_OK) fail(code);
        sqlite3_extended_result_codes(opened, 1);
        sqlite3_busy_timeout(opened, writer_timeout);
        sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, largest_value);
        sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
        // The schema is another program's: it must not run code here.
        sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        (void)step(*prepare("BEGIN"));
    }

    [[nodiscard]] StatementHandle prepare(const char* sql) {
        sqlite3_stmt* statement = nullptr;
        const int code = sqlite3_prepare_v2(database_.get(), sql, -1, &statement, nullptr);
        StatementHandle prepared{statement};
        if (code != SQLITE_OK) fail(code);
        return prepared;
    }
    /// Whether there is another row.
    [[nodiscard]] bool step(sqlite3_stmt& statement) {
        const int code = sqlite3_step(&statement);
        if (code != SQLITE_ROW && code != SQLITE_DONE) fail(code);
        return code == SQLITE_ROW;
    }
    [[noreturn]] void fail(int code) {
        throw Refused{code, database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code)};
    }

private:
    std::unique_ptr<sqlite3, CloseDatabase> database_;
};

std::optional<std::string> text_in(sqlite3_stmt& row, int column) {
    const int type = sqlite3_column_type(&row, column);
    if (type != SQLITE_TEXT && type != SQLITE_BLOB) return std::nullopt;
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(&row, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(&row, column));
    return bytes == nullptr ? std::string{} : std::string{bytes, size};
}

/// Without AUTOINCREMENT, SQLite gives a new row the id of a deleted one, which counts as taken.
void check_table(Reader& reader) {
    const auto table = reader.prepare(
        "SELECT sql LIKE '%autoincrement%' FROM sqlite_schema "
        "WHERE type = 'table' AND name = 'sundial_outbox'");
    if (!reader.step(*table)) throw Unavailable{"the file has no table sundial_outbox"};
    if (sqlite3_column_int(table.get(), 0) == 0) {
        throw Unavailable{
            "sundial_outbox must declare id INTEGER PRIMARY KEY AUTOINCREMENT, or SQLite gives "
            "new rows the ids of deleted ones"};
    }
}

OutboxRow row_of(Reader& reader, sqlite3_stmt& find, std::int64_t id) {
    OutboxRow row{.id = id};
    sqlite3_reset(&find);
    sqlite3_bind_int64(&find, 1, id);
    const int code = sqlite3_step(&find);
    if (code == SQLITE_TOOBIG) {
        row.too_large = true;
        return row;
    }
    if (code != SQLITE_ROW) reader.fail(code);
    row.kind = text_in(find, 0);
    row.request = text_in(find, 1);
    if (row.request && row.request->size() > max_outbox_request) {
        row.request.reset();
        row.too_large = true;
    }
    return row;
}

OutboxPage read_page(Reader& reader, std::span<const IdInterval> among,
                     const OutboxLimits& limits) {
    check_table(reader);
    OutboxPage page;
    const auto last =
        reader.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'sundial_outbox'");
    page.last_id = reader.step(*last) ? sqlite3_column_int64(last.get(), 0) : 0;

    const auto ids = reader.prepare(
        "SELECT id FROM sundial_outbox WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3");
    const auto find = reader.prepare("SELECT kind, request FROM sundial_outbox WHERE id = ?1");
    std::size_t bytes = 0;
    for (const IdInterval& range : among) {
        sqlite3_reset(ids.get());
        sqlite3_bind_int64(ids.get(), 1, range.first);
        sqlite3_bind_int64(ids.get(), 2, range.last);
        sqlite3_bind_int64(ids.get(), 3,
                           static_cast<sqlite3_int64>(limits.rows - page.rows.size()));
        while (reader.step(*ids)) {
            if (sqlite3_column_type(ids.get(), 0) != SQLITE_INTEGER) {
                throw Unavailable{"sundial_outbox has an id that is not an integer"};
            }
            page.rows.push_back(row_of(reader, *find, sqlite3_column_int64(ids.get(), 0)));
            const OutboxRow& row = page.rows.back();
            bytes += row.too_large ? max_outbox_request : row.request.value_or("").size();
            page.more = page.rows.size() == limits.rows || bytes >= limits.bytes;
            if (page.more) return page;
        }
    }
    return page;
}

std::vector<bool> find_rows(Reader& reader, std::span<const IdInterval> ranges) {
    check_table(reader);
    const auto any =
        reader.prepare("SELECT EXISTS (SELECT 1 FROM sundial_outbox WHERE id BETWEEN ?1 AND ?2)");
    std::vector<bool> found;
    for (const IdInterval& range : ranges) {
        sqlite3_reset(any.get());
        sqlite3_bind_int64(any.get(), 1, range.first);
        sqlite3_bind_int64(any.get(), 2, range.last);
        (void)reader.step(*any);
        found.push_back(sqlite3_column_int(any.get(), 0) != 0);
    }
    return found;
}

/// Changes whenever the file is written.
struct Mark {
    dev_t device{};
    ino_t node{};
    off_t size{};
    std::chrono::microseconds changed{};  // since 1970
    friend bool operator==(const Mark&, const Mark&) = default;
};

std::optional<Mark> mark_of(const std::filesystem::path& file) {
    struct stat status{};
    if (::stat(file.c_str(), &status) != 0) return std::nullopt;
    return Mark{status.st_dev, status.st_ino, status.st_size,
                std::chrono::seconds{status.st_ctim.tv_sec} +
                    std::chrono::microseconds{status.st_ctim.tv_nsec / 1000}};
}

bool is_there(const std::filesystem::path& file) { return mark_of(file).has_value(); }

std::string in_words(const Refused& refused, const std::filesystem::path& file) {
    switch (refused.code & 0xff) {
        case SQLITE_BUSY:
            return "the application is writing: " + refused.why;
        case SQLITE_READONLY:
            return "the application's last transaction was interrupted; its file " + file.string() +
                   " can be read after the application has opened it again";
        case SQLITE_CANTOPEN:
            return "this process cannot read " + file.string() + ", or a file beside it";
        default:
            return "SQLite cannot read " + file.string() + ": " + refused.why;
    }
}

class SqliteOutbox final : public Outbox {
public:
    SqliteOutbox(std::filesystem::path file, std::function<Instant()> real_time)
        : file_{std::move(file)}, real_time_{std::move(real_time)} {
        register_vfs();
    }

    OutboxPage read(std::span<const IdInterval> among, const OutboxLimits& limits) override {
        try {
            return look([&](Reader& reader) { return read_page(reader, among, limits); });
        } catch (const Unsettled&) {
            return {};  // for a second at most: the next read finds the rows
        }
    }
    std::vector<bool> has_rows(std::span<const IdInterval> ranges) override {
        if (ranges.empty()) return {};
        try {
            return look([&](Reader& reader) { return find_rows(reader, ranges); });
        } catch (const Unsettled&) {
            return std::vector<bool>(ranges.size(), true);  // as above
        }
    }

private:
    /// The file is closed between two reads, so no lock of ours outlasts one.
    template <class Work>
    std::invoke_result_t<Work&, Reader&> look(Work work) {
        if (!is_there(file_)) throw Unavailable{"there is no file " + file_.string()};
        try {
            Reader reader{uri_of(file_, "readonly_shm=1")};
            return work(reader);
        } catch (const Refused& refused) {
            const bool closed = !is_there(file_.string() + "-wal") &&
                                !is_there(file_.string() + "-journal") &&
                                (refused.code & 0xff) == SQLITE_CANTOPEN;
            if (!closed) throw Unavailable{in_words(refused, file_)};
        }
        return look_at_closed_file(work);
    }

    /// A file in WAL mode that no program has open: it has no -wal, and everything is in the file
    /// itself. SQLite reads it without locks if it is declared immutable, so we check that no
    /// program has opened it meanwhile.
    template <class Work>
    std::invoke_result_t<Work&, Reader&> look_at_closed_file(Work work) {
        const auto before = mark_of(file_);
        const bool settled =
            before && real_time_().time_since_epoch() - before->changed > settled_after;
        if (!settled) throw Unsettled{"the application has just closed its file"};
        try {
            Reader reader{uri_of(file_, "immutable=1")};
            auto result = work(reader);
            if (mark_of(file_) == before && !is_there(file_.string() + "-wal")) return result;
        } catch (const Refused& refused) {
            throw Unavailable{in_words(refused, file_)};
        }
        throw Unsettled{"the application has just opened its file"};
    }

    /// The file is changing from one state to the other.
    class Unsettled : public Unavailable {
    public:
        using Unavailable::Unavailable;
    };

    const std::filesystem::path file_;
    const std::function<Instant()> real_time_;
};

}  // namespace

std::unique_ptr<Outbox> open_outbox(const std::filesystem::path& file,
                                    std::function<Instant()> real_time) {
    return std::make_unique<SqliteOutbox>(file, std::move(real_time));
}

}  // namespace sundial::sqlite
