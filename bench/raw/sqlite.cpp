// The floor on SQLite: sqlite3 and the fewest statements that make the same changes to the
// product's tables, with synchronous=FULL. The benchmarks divide Sundial's drain and append by it.
//
//     bench_raw_sqlite FILE drain|create|append EVENTS BATCH
//
// FILE is one on which `sundial db migrate --db FILE` was run and nothing else. Prints one JSON
// object; `valid` says that all rows are where they belong.
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "measuring.hpp"

namespace {

constexpr const char* add_event = R"sql(
    INSERT INTO events (id, status, priority, claimable_at, version, attempt, retry_count, due,
                        created_at, updated_at, idempotency_key, event_type, zone, gap, overlap,
                        tz_release, payload)
    VALUES (?1, 'PENDING', 2, 1, 1, 0, 0, 1, 1, 1, ?2, 'RAW', 'UTC', 'compatible', 'compatible', '',
            '{}'))sql";
constexpr const char* add_key =
    "INSERT INTO event_keys (key, event_id, expires_at) VALUES (?2, ?1, 9223372036854775807)";
constexpr const char* ready = R"sql(
    SELECT id FROM events INDEXED BY events_to_handle
     WHERE endpoint_id IS NULL AND event_type = 'RAW' AND priority = 2 AND claimable_at <= 1
     ORDER BY claimable_at LIMIT ?1)sql";
constexpr const char* claim = R"sql(
    UPDATE events SET status = 'PROCESSING', version = version + 1, attempt = attempt + 1,
                      claimed_by = zeroblob(16), claimable_at = 30000000, updated_at = 2
     WHERE id = ?1)sql";
constexpr const char* keep = R"sql(
    INSERT INTO event_history
        (id, status, priority, finished_at, settled_by, started_at, duration, version, attempt,
         retry_count, due, first_attempt_at, created_at, updated_at, idempotency_key, event_type,
         user_id, endpoint_id, schedule_id, schedule_version, nominal, wall, zone, gap, overlap,
         tz_release, retry_of, payload)
    SELECT id, 'COMPLETED', priority, 3, claimed_by, 2, 1, version + 1, attempt, retry_count, due, 2,
           created_at, 3, idempotency_key, event_type, user_id, endpoint_id, schedule_id,
           schedule_version, nominal, wall, zone, gap, overlap, tz_release, retry_of, payload
      FROM events WHERE id = ?1 AND version = 2)sql";
constexpr const char* remove = "DELETE FROM events WHERE id = ?1 AND version = 2";
constexpr const char* record = R"sql(
    INSERT INTO recorded_events (aggregate_type, aggregate_id, version, event_id, event_type, data,
                                 content_hash, correlation_id, recorded_at)
    VALUES ('Raw', '1', ?3, ?1, 'Measured', ?2, zeroblob(32), '', 1))sql";
constexpr const char* move_head = R"sql(
    INSERT INTO streams (aggregate_type, aggregate_id, version) VALUES ('Raw', '1', ?1)
    ON CONFLICT DO UPDATE SET version = excluded.version)sql";

using Id = std::array<unsigned char, 16>;

/// Rising, byte by byte.
Id id_of(std::size_t number) {
    Id id{};
    for (std::size_t byte = id.size(); number > 0; number >>= 8U)
        id[--byte] = static_cast<unsigned char>(number & 0xffU);
    return id;
}

class File {
public:
    explicit File(const char* name) {
        if (sqlite3_open_v2(name, &file_, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK) fail();
        run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536");
    }
    ~File() {
        for (sqlite3_stmt* each : statements_) sqlite3_finalize(each);
        sqlite3_close(file_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    void run(const char* sql) {
        if (sqlite3_exec(file_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
    }
    sqlite3_stmt* prepare(const char* sql) {
        sqlite3_stmt* made = nullptr;
        if (sqlite3_prepare_v2(file_, sql, -1, &made, nullptr) != SQLITE_OK) fail();
        statements_.push_back(made);
        return made;
    }
    /// True while there is a row.
    bool step(sqlite3_stmt* statement) {
        const int code = sqlite3_step(statement);
        if (code != SQLITE_ROW && code != SQLITE_DONE) fail();
        if (code == SQLITE_DONE) sqlite3_reset(statement);
        return code == SQLITE_ROW;
    }
    std::size_t number(const char* question) {
        sqlite3_stmt* statement = prepare(question);
        step(statement);
        const auto found = static_cast<std::size_t>(sqlite3_column_int64(statement, 0));
        sqlite3_reset(statement);
        return found;
    }

private:
    [[noreturn]] void fail() { throw std::runtime_error(sqlite3_errmsg(file_)); }

    sqlite3* file_ = nullptr;
    std::vector<sqlite3_stmt*> statements_;
};

void bind(sqlite3_stmt* statement, int place, const Id& id) {
    sqlite3_bind_blob(statement, place, id.data(), static_cast<int>(id.size()), SQLITE_TRANSIENT);
}
void bind(sqlite3_stmt* statement, int place, const std::string& text) {
    sqlite3_bind_text(statement, place, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
}

void create(File& file, std::size_t events, std::size_t batch) {
    sqlite3_stmt* event = file.prepare(add_event);
    sqlite3_stmt* key = file.prepare(add_key);
    for (std::size_t from = 0; from < events; from += batch) {
        file.run("BEGIN IMMEDIATE");
        const std::size_t to = std::min(events, from + batch);
        for (std::size_t i = from; i < to; ++i) {
            for (sqlite3_stmt* each : {event, key}) {
                bind(each, 1, id_of(i));
                bind(each, 2, "raw-" + std::to_string(i));
                file.step(each);
            }
        }
        file.run("COMMIT");
    }
}

void drain(File& file, std::size_t batch) {
    sqlite3_stmt* peek = file.prepare(ready);
    sqlite3_stmt* take = file.prepare(claim);
    sqlite3_stmt* store = file.prepare(keep);
    sqlite3_stmt* erase = file.prepare(remove);
    for (;;) {
        std::vector<Id> ids;
        file.run("BEGIN IMMEDIATE");
        sqlite3_bind_int64(peek, 1, static_cast<sqlite3_int64>(batch));
        while (file.step(peek)) {
            const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(peek, 0));
            std::copy_n(bytes, sizeof(Id), ids.emplace_back().begin());
        }
        for (const Id& id : ids) {
            bind(take, 1, id);
            file.step(take);
        }
        file.run("COMMIT");
        if (ids.empty()) return;
        file.run("BEGIN IMMEDIATE");
        for (const Id& id : ids) {
            for (sqlite3_stmt* each : {store, erase}) {
                bind(each, 1, id);
                file.step(each);
            }
        }
        file.run("COMMIT");
    }
}

void append(File& file, std::size_t events, std::size_t batch) {
    sqlite3_stmt* fact = file.prepare(record);
    sqlite3_stmt* head = file.prepare(move_head);
    for (std::size_t from = 0; from < events; from += batch) {
        file.run("BEGIN IMMEDIATE");
        const std::size_t to = std::min(events, from + batch);
        for (std::size_t i = from; i < to; ++i) {
            bind(fact, 1, id_of(i));
            bind(fact, 2,
                 R"({"number":)" + std::to_string(i) +
                     R"(,"text":"about a hundred bytes that an application keeps for ten years"})");
            sqlite3_bind_int64(fact, 3, static_cast<sqlite3_int64>(i) + 1);
            file.step(fact);
        }
        sqlite3_bind_int64(head, 1, static_cast<sqlite3_int64>(to));
        file.step(head);
        file.run("COMMIT");
    }
}

int run(const char* name, const std::string& work, std::size_t events, std::size_t batch) {
    File file(name);
    if (work == "drain") create(file, events, 1000);
    tell_measuring("true");
    const auto begin = std::chrono::steady_clock::now();
    if (work == "drain") drain(file, batch);
    if (work == "create") create(file, events, batch);
    if (work == "append") append(file, events, batch);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    tell_measuring("false");
    const char* where = work == "drain"    ? "SELECT count(*) FROM event_history"
                        : work == "create" ? "SELECT count(*) FROM events"
                                           : "SELECT count(*) FROM recorded_events "
                                             "WHERE aggregate_type = 'Raw'";
    const bool valid = file.number(where) == events &&
                       (work != "drain" || file.number("SELECT count(*) FROM events") == 0);
    std::printf(R"({"work":"%s","events":%zu,"eventsPerSecond":%.1f,"valid":%s})"
                "\n",
                work.c_str(), events, static_cast<double>(events) / took.count(),
                valid ? "true" : "false");
    return valid ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string work = argc > 2 ? argv[2] : "";
    if (argc != 5 || (work != "drain" && work != "create" && work != "append")) {
        std::cerr << "usage: bench_raw_sqlite FILE drain|create|append EVENTS BATCH\n";
        return 2;
    }
    try {
        return run(argv[1], work, std::stoul(argv[3]), std::stoul(argv[4]));
    } catch (const std::exception& error) {
        std::cerr << "bench_raw_sqlite: " << error.what() << '\n';
        return 1;
    }
}
