#pragma once

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/open.hpp"

namespace sundial::sqlite {

/// The applied and the pending migrations. Changes nothing. Throws CannotStart if another program
/// made the database, the database is newer than this program, or its migrations differ from this
/// program's.
[[nodiscard]] MigrationStatus read_migrations(Connection& connection);

/// The status of a file that does not exist.
[[nodiscard]] MigrationStatus nothing_applied();

/// Values for the first migration.
struct FirstValues {
    bool test_clock;
    Instant now;
    TimeOfDay birthday_time;
};
/// Applies the pending migrations, each in one transaction, and returns them.
std::vector<Migration> apply_migrations(Connection& connection, const FirstValues& values,
                                        base::Log& log);

}  // namespace sundial::sqlite
