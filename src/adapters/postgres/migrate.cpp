#include "adapters/postgres/migrate.hpp"

#include <array>
#include <charconv>
#include <cstdio>

#include "adapters/postgres/migration_sql.hpp"
#include "adapters/postgres/transaction_sql.hpp"
#include "application/ports/failures.hpp"
#include "base/crash_point.hpp"
#include "postgres_migrations.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

/// A migration rewrites tables, and the server sends nothing meanwhile.
constexpr std::chrono::milliseconds silence = 10min;
/// Each startup statement runs once, so preparing it would not pay.
constexpr bool prepare = false;

template <class... Values>
Answer run(Connection& connection, const Statement& statement, const Values&... values) {
    const Call call{statement, values...};
    return std::move(connection.run({&call, 1}, prepare, silence).front());
}

/// The transaction of the instance that holds the migration lock, rolled back unless committed.
class Locked {
public:
    explicit Locked(Connection& connection) : connection_{connection} {
        run(connection_, sql::begin_write);
        run(connection_, sql::wait_for_lock);
        run(connection_, sql::lock_migrations);
    }
    void commit() { run(connection_, sql::commit); }

private:
    Connection& connection_;
    const RollBack roll_back_{connection_, silence};
};

struct Known {
    Migration migration;
    std::string text;
};

/// The embedded migrations, "0001_first.sql" and so on, in order.
std::vector<Known> known_migrations(Connection& connection) {
    std::vector<Known> known;
    std::vector<std::string> texts;
    for (const auto& file : migrations::embedded_files) {
        int version = 0;
        const auto [rest, error] =
            std::from_chars(file.name.data(), file.name.data() + file.name.size(), version);
        base::check(error == std::errc{} && file.name.ends_with(".sql"));
        base::check(version == static_cast<int>(known.size()) + 1);
        const auto start = static_cast<std::size_t>(rest - file.name.data()) + 1;
        std::string name{file.name.substr(start, file.name.size() - start - 4)};
        known.push_back({{version, std::move(name), {}}, std::string{file.content}});
        texts.emplace_back(file.content);
    }
    const Answer sums = run(connection, sql::checksums, texts);
    for (std::size_t i = 0; i < known.size(); ++i) {
        known[i].migration.checksum = sums.get<std::string>(i, 0);
    }
    return known;
}

std::vector<Migration> applied_migrations(Connection& connection) {
    std::vector<Migration> applied;
    if (!run(connection, sql::has_migrations).get<bool>(0, 0)) return applied;
    const Answer rows = run(connection, sql::applied_migrations);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        applied.push_back({rows.get<std::int32_t>(row, 0), rows.get<std::string>(row, 1),
                           rows.get<std::string>(row, 2)});
    }
    return applied;
}

void check_agreement(const std::vector<Migration>& applied, const std::vector<Known>& known) {
    if (applied.size() > known.size()) {
        const Migration& newest = applied.back();
        throw CannotStart{"the database is newer than this program: it has migration " +
                          std::to_string(newest.version) + " (" + newest.name +
                          "), this program knows up to " + std::to_string(known.size()) +
                          ". Use the sundial that migrated it, or a newer one"};
    }
    for (std::size_t i = 0; i < applied.size(); ++i) {
        const Migration& ours = known[i].migration;
        if (applied[i].version == ours.version && applied[i].checksum == ours.checksum) continue;
        throw CannotStart{"migration " + std::to_string(applied[i].version) + " (" +
                          applied[i].name +
                          ") of the database differs from this program's: another build of sundial "
                          "created it. Use that build, or another database"};
    }
}

std::vector<Migration> pending_of(const std::vector<Migration>& applied,
                                  const std::vector<Known>& known) {
    std::vector<Migration> pending;
    for (std::size_t i = applied.size(); i < known.size(); ++i) {
        pending.push_back(known[i].migration);
    }
    return pending;
}

std::string clock_text(TimeOfDay time) {
    const std::chrono::hh_mm_ss<TimeOfDay> parts{time};
    std::array<char, 16> text{};
    std::snprintf(
        text.data(), text.size(), "%02d:%02d:%02d", static_cast<int>(parts.hours().count()),
        static_cast<int>(parts.minutes().count()), static_cast<int>(parts.seconds().count()));
    return text.data();
}

}  // namespace

void check_server(Connection& connection) {
    constexpr int oldest = 150'000;
    if (connection.server_version() < oldest) {
        throw CannotStart{"PostgreSQL " + std::to_string(connection.server_version() / 10'000) +
                          " is too old: sundial needs 15 or newer"};
    }
    const auto encoding = run(connection, sql::server_encoding).get<std::string>(0, 0);
    if (encoding != "UTF8") {
        throw CannotStart{"the database has encoding " + encoding +
                          "; create one with ENCODING 'UTF8' for sundial"};
    }
}

MigrationStatus migration_status(Connection& connection) {
    const auto known = known_migrations(connection);
    auto applied = applied_migrations(connection);
    check_agreement(applied, known);
    auto pending = pending_of(applied, known);
    return {std::move(applied), std::move(pending)};
}

std::vector<Migration> migrate(Connection& connection, const Settings& settings, base::Log& log) {
    const auto known = known_migrations(connection);
    std::vector<Migration> done;
    for (;;) {
        Locked locked{connection};
        const auto applied = applied_migrations(connection);
        check_agreement(applied, known);
        if (applied.size() == known.size()) return done;
        const auto& [migration, text] = known[applied.size()];
        log.write({.level = base::LogLevel::info,
                   .event_name = {},
                   .message = "applying migration " + std::to_string(migration.version) + " (" +
                              migration.name + ")",
                   .correlation_id = {},
                   .fields = {}});
        run(connection, sql::make_schema);
        run(connection, sql::make_migrations);
        run(connection, sql::give_settings, std::to_string(settings.shards),
            clock_text(settings.birthday_time));
        connection.run_script(text, silence);
        run(connection, sql::add_migration, migration.version, migration.name, migration.checksum);
        CRASH_POINT("migrate: before commit");
        locked.commit();
        CRASH_POINT("migrate: after commit");
        done.push_back(migration);
    }
}

void choose_clock(Connection& connection, bool test_clock) {
    Locked locked{connection};
    const bool has_test_clock = run(connection, sql::has_test_clock).get<bool>(0, 0);
    if (has_test_clock && !test_clock) {
        throw CannotStart{
            "this database has a test clock. Start with --test-clock, or use another database"};
    }
    if (!has_test_clock && test_clock) {
        if (run(connection, sql::has_work).get<bool>(0, 0)) {
            throw CannotStart{
                "this database has users or events that follow the real clock. Use an empty "
                "database for a test clock"};
        }
        run(connection, sql::start_test_clock);
        run(connection, sql::read_test_clock);
    }
    locked.commit();
}

}  // namespace sundial::postgres
