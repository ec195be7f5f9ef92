// The floor on PostgreSQL: libpq and the fewest statements that make the same changes to the
// product's tables. The benchmarks divide Sundial's drain and append by it.
//
//     bench_raw_postgres URL drain  EVENTS BATCH CONNECTIONS    claim, then settle with history
//     bench_raw_postgres URL create EVENTS BATCH CONNECTIONS    events with their keys
//     bench_raw_postgres URL append EVENTS BATCH CONNECTIONS    recorded events, a stream each
//
// `append` with a suffix pays for the order of the feed, each in another way (ADR 0018): -1-key and
// -16-keys hold an advisory lock, shared, as the product does; -counter draws positions from a row,
// -table-lock locks the table, and both let one transaction write at a time.
//
// URL names a database on which `sundial db migrate --db URL` was run and nothing else. Prints one
// JSON object; `valid` says that all rows are where they belong.
#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "measuring.hpp"

namespace {

constexpr std::size_t shards = 16;

constexpr const char* claim = R"sql(
    WITH ready AS (
        SELECT id FROM sundial.events
         WHERE shard = $1 AND priority = 2 AND endpoint_id IS NULL AND event_type = 'RAW'
           AND claimable_at <= statement_timestamp()
           AND (claimed_by IS NULL OR lease_ends <= statement_timestamp())
         ORDER BY claimable_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    UPDATE sundial.events AS event
       SET status = 'PROCESSING', version = event.version + 1, attempt = event.attempt + 1,
           claimed_by = '00000000-0000-7000-8000-0000000000ff',
           lease_ends = statement_timestamp() + interval '30 s', updated_at = statement_timestamp()
      FROM ready WHERE event.shard = $1 AND event.id = ready.id
    RETURNING event.id, event.version)sql";

constexpr const char* settle = R"sql(
    WITH finished AS (
        DELETE FROM sundial.events AS event
         USING unnest($2::uuid[], $3::bigint[]) AS given(id, held)
         WHERE event.shard = $1 AND event.id = given.id AND event.version = given.held
        RETURNING event.*)
    INSERT INTO sundial.event_history
        (shard, id, status, priority, finished_at, settled_by, started_at, duration, version, attempt,
         retry_count, due, idempotency_key, event_type, user_id, endpoint_id, schedule_id,
         schedule_version, nominal, wall, zone, gap, overlap, tz_release, payload, retry_of,
         first_attempt_at, created_at, updated_at)
    SELECT shard, id, 'COMPLETED', priority, statement_timestamp(), claimed_by, statement_timestamp(),
           interval '0', version + 1, attempt, retry_count, due, idempotency_key, event_type, user_id,
           endpoint_id, schedule_id, schedule_version, nominal, wall, zone, gap, overlap, tz_release,
           payload, retry_of, statement_timestamp(), created_at, statement_timestamp()
      FROM finished)sql";

constexpr const char* create = R"sql(
    WITH given AS (
        SELECT * FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS given(shard, id, key)),
    named AS (
        INSERT INTO sundial.event_keys (shard, key, event_id, expires_at)
        SELECT shard, key, id, 'infinity' FROM given ON CONFLICT DO NOTHING RETURNING event_id)
    INSERT INTO sundial.events
        (shard, id, status, priority, claimable_at, version, attempt, retry_count, due,
         idempotency_key, event_type, zone, gap, overlap, tz_release, payload, created_at, updated_at)
    SELECT shard, id, 'PENDING', 2, statement_timestamp(), 1, 0, 0, statement_timestamp(), key, 'RAW',
           'UTC', 'compatible', 'compatible', '', '{}', statement_timestamp(), statement_timestamp()
      FROM given JOIN named ON named.event_id = given.id)sql";

#define HEAD                                                                         \
    "head AS ("                                                                      \
    " INSERT INTO sundial.streams AS stream (aggregate_type, aggregate_id, version)" \
    " VALUES ('Raw', $1, $2::bigint + cardinality($3::uuid[]))"                      \
    " ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE SET version = excluded.version)"
#define COLUMNS                                                                       \
    "aggregate_type, aggregate_id, version, recorded_at, event_id, event_type, data," \
    " content_hash, correlation_id"
#define VALUES                                                                        \
    "'Raw', $1, $2::bigint + item.place, statement_timestamp(), item.id, 'Measured'," \
    " item.data, sha256(item.id::text::bytea), ''"
#define ITEMS "unnest($3::uuid[], $4::text[]) WITH ORDINALITY AS item(id, data, place)"
/// $1 stream, $2 the version before, $3 ids, $4 data. `first`: taken before positions are drawn.
#define APPEND_AFTER(first)                                        \
    "WITH first AS MATERIALIZED (SELECT " first " AS taken)," HEAD \
    "INSERT INTO sundial.recorded_events (" COLUMNS                \
    ")"                                                            \
    " SELECT " VALUES " FROM first CROSS JOIN " ITEMS

/// Ways of appending, by the names of their works.
#define APPEND \
    "WITH " HEAD "INSERT INTO sundial.recorded_events (" COLUMNS ") SELECT " VALUES " FROM " ITEMS
constexpr const char* under_table_lock = "append-table-lock";
constexpr std::array<std::pair<const char*, const char*>, 5> appends{{
    {"append", APPEND},
    {under_table_lock, APPEND},
    {"append-1-key", APPEND_AFTER("pg_advisory_xact_lock_shared(1398097478, 0)")},
    {"append-16-keys", APPEND_AFTER("pg_advisory_xact_lock_shared(1398097478, hashtext($1) & 15)")},
    {"append-counter",
     "WITH drawn AS ("
     " UPDATE raw.counter SET position = position + cardinality($3::uuid[]) RETURNING "
     "position)," HEAD "INSERT INTO sundial.recorded_events (position, " COLUMNS
     ") OVERRIDING SYSTEM VALUE"
     " SELECT drawn.position - cardinality($3::uuid[]) + item.place, " VALUES
     " FROM drawn CROSS JOIN " ITEMS},
}};
#undef HEAD
#undef COLUMNS
#undef VALUES
#undef ITEMS
#undef APPEND_AFTER
#undef APPEND

/// Tables that some variants of `append` need.
constexpr const char* appends_need = R"sql(
    SET client_min_messages = warning;
    CREATE SCHEMA IF NOT EXISTS raw;
    CREATE TABLE IF NOT EXISTS raw.counter (position bigint NOT NULL) WITH (fillfactor = 10);
    INSERT INTO raw.counter SELECT 0 WHERE NOT EXISTS (SELECT FROM raw.counter))sql";

class Connection {
public:
    explicit Connection(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
        if (PQstatus(connection_.get()) != CONNECTION_OK) fail();
        // The product's settings for its queue: a table without statistics must not be scanned.
        run("SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; "
            "SET enable_mergejoin = off; SET enable_sort = off; SET jit = off");
        for (const auto& [name, sql] :
             {std::pair{"claim", claim}, {"settle", settle}, {"create", create}}) {
            prepare(name, sql);
        }
    }
    void prepare(const char* name, const char* sql) {
        keep(PQprepare(connection_.get(), name, sql, 0, nullptr));
    }
    using Rows = std::unique_ptr<PGresult, decltype([](PGresult* rows) { PQclear(rows); })>;
    Rows run(const std::string& sql) { return keep(PQexec(connection_.get(), sql.c_str())); }
    Rows run(const char* name, const std::vector<std::string>& values) {
        std::vector<const char*> texts;
        texts.reserve(values.size());
        for (const std::string& value : values) texts.push_back(value.c_str());
        return keep(PQexecPrepared(connection_.get(), name, static_cast<int>(texts.size()),
                                   texts.data(), nullptr, nullptr, 0));
    }

private:
    Rows keep(PGresult* result) {
        Rows rows(result);
        const auto status = PQresultStatus(result);
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail();
        return rows;
    }
    [[noreturn]] void fail() { throw std::runtime_error(PQerrorMessage(connection_.get())); }

    std::unique_ptr<PGconn, decltype([](PGconn* one) { PQfinish(one); })> connection_;
};

/// An array as text; our values need no quotes.
class List {
public:
    List& operator<<(const std::string& value) {
        text_ += (text_.size() == 1 ? "" : ",") + value;
        return *this;
    }
    [[nodiscard]] std::string text() const { return text_ + "}"; }

private:
    std::string text_ = "{";
};

/// Rising, and their last byte modulo the shards is `number` modulo the shards.
std::string id_of(std::size_t number) {
    char text[40];
    std::snprintf(text, sizeof(text), "00000000-0000-7000-8000-%012zx", number);
    return text;
}

struct Asked {
    std::string url, work;
    std::size_t events, batch, connections;
};

void create_from(Connection& connection, std::size_t from, std::size_t to) {
    List in_shard, ids, keys;
    for (std::size_t i = from; i < to; ++i) {
        in_shard << std::to_string(i % shards);
        ids << id_of(i);
        keys << "raw-" + std::to_string(i);
    }
    connection.run("create", {in_shard.text(), ids.text(), keys.text()});
}

void create_all(const Asked& asked, Connection& connection, std::atomic<std::size_t>& next) {
    for (std::size_t from = next.fetch_add(asked.batch); from < asked.events;
         from = next.fetch_add(asked.batch)) {
        create_from(connection, from, std::min(asked.events, from + asked.batch));
    }
}

/// Each connection begins with another shard; empty ones are left behind.
void drain_all(const Asked& asked, Connection& connection, std::size_t number) {
    std::size_t empty = 0;
    for (std::size_t shard = number * shards / asked.connections; empty < shards; ++shard) {
        const std::string in_shard = std::to_string(shard % shards);
        for (;;) {
            const auto rows = connection.run("claim", {in_shard, std::to_string(asked.batch)});
            const int count = PQntuples(rows.get());
            if (count == 0) break;
            empty = 0;
            List ids, versions;
            for (int row = 0; row < count; ++row) {
                ids << PQgetvalue(rows.get(), row, 0);
                versions << PQgetvalue(rows.get(), row, 1);
            }
            connection.run("settle", {in_shard, ids.text(), versions.text()});
        }
        ++empty;
    }
}

/// A transaction in one round trip: what writes locks the table, too, so this must come first.
std::string locking_the_table(const std::vector<std::string>& values) {
    std::string text = "BEGIN; LOCK TABLE sundial.recorded_events IN EXCLUSIVE MODE; EXECUTE ";
    text += std::string{'"'} + under_table_lock + "\" (";
    for (const std::string& value : values) text += "'" + value + "',";
    text.back() = ')';
    return text + "; COMMIT";
}

void append_all(const Asked& asked, Connection& connection, std::size_t number) {
    const std::size_t each = asked.events / asked.connections;
    for (std::size_t written = 0; written < each; written += asked.batch) {
        List ids, data;
        for (std::size_t i = written; i < std::min(each, written + asked.batch); ++i) {
            ids << id_of(number * each + i);
            data
                << R"("{\"number\":)" + std::to_string(i) +
                       R"(,\"text\":\"about a hundred bytes that an application keeps for ten years\"}")";
        }
        const std::vector<std::string> values{std::to_string(number), std::to_string(written),
                                              ids.text(), data.text()};
        if (asked.work == under_table_lock) {
            connection.run(locking_the_table(values));
        } else {
            connection.run(asked.work.c_str(), values);
        }
    }
}

/// The statement of a work that appends, or nothing.
const char* append_of(const std::string& work) {
    const auto* const found =
        std::ranges::find_if(appends, [&](const auto& one) { return work == one.first; });
    return found == appends.end() ? nullptr : found->second;
}

std::size_t number_of(Connection& connection, const std::string& question) {
    return std::stoul(PQgetvalue(connection.run(question).get(), 0, 0));
}

int run(const Asked& asked) {
    Connection first(asked.url);
    if (asked.work == "drain") {
        constexpr std::size_t at_once = 1000;
        for (std::size_t from = 0; from < asked.events; from += at_once)
            create_from(first, from, std::min(asked.events, from + at_once));
        first.run("VACUUM (ANALYZE) sundial.events");
        first.run("CHECKPOINT");
    }
    const char* const append = append_of(asked.work);
    if (append != nullptr) first.run(appends_need);
    std::vector<std::unique_ptr<Connection>> connections;
    for (std::size_t i = 0; i < asked.connections; ++i) {
        connections.push_back(std::make_unique<Connection>(asked.url));
        if (append != nullptr) connections.back()->prepare(asked.work.c_str(), append);
    }
    std::atomic<std::size_t> next{0};
    tell_measuring("true");
    const auto begin = std::chrono::steady_clock::now();
    {
        std::vector<std::jthread> threads;
        threads.reserve(asked.connections);
        for (std::size_t i = 0; i < asked.connections; ++i) {
            threads.emplace_back([&, i] {
                try {
                    if (asked.work == "drain") return drain_all(asked, *connections[i], i);
                    if (asked.work == "create") return create_all(asked, *connections[i], next);
                    append_all(asked, *connections[i], i);
                } catch (const std::exception& error) {
                    std::cerr << error.what()
                              << '\n';  // the count below tells that it is not valid
                }
            });
        }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    tell_measuring("false");
    const std::size_t events =
        append != nullptr ? asked.events / asked.connections * asked.connections : asked.events;
    const char* where = asked.work == "drain" ? "sundial.event_history WHERE status = 'COMPLETED'"
                        : asked.work == "create"
                            ? "sundial.events"
                            : "sundial.recorded_events WHERE aggregate_type = 'Raw'";
    const bool valid =
        number_of(first, std::string("SELECT count(*) FROM ") + where) == events &&
        (asked.work != "drain" || number_of(first, "SELECT count(*) FROM sundial.events") == 0);
    std::printf(R"({"work":"%s","events":%zu,"eventsPerSecond":%.1f,"valid":%s})"
                "\n",
                asked.work.c_str(), events, static_cast<double>(events) / took.count(),
                valid ? "true" : "false");
    return valid ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string work = argc > 2 ? argv[2] : "";
    if (argc != 6 || (work != "drain" && work != "create" && append_of(work) == nullptr)) {
        std::cerr << "usage: bench_raw_postgres URL drain|create|append EVENTS BATCH CONNECTIONS\n"
                     "with append also append-1-key, -16-keys, -counter, -table-lock\n";
        return 2;
    }
    try {
        return run({argv[1], work, std::stoul(argv[3]), std::stoul(argv[4]), std::stoul(argv[5])});
    } catch (const std::exception& error) {
        std::cerr << "bench_raw_postgres: " << error.what() << '\n';
        return 1;
    }
}
