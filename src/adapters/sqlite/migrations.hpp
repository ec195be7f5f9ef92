#pragma once

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/open.hpp"

namespace sundial::sqlite {

/// What is applied and what is not. Changes nothing. Throws CannotStart for a database that another
/// program made, that is newer than this one, or whose migrations are not this program's.
[[nodiscard]] MigrationStatus read_migrations(Connection& connection);

/// Of a file that is not there.
[[nodiscard]] MigrationStatus nothing_applied();

/// The values of the first migration.
struct FirstValues {
    bool test_clock;
    Instant now;
    TimeOfDay birthday_time;
};
/// Applies what is pending, each in one transaction, and returns it.
std::vector<Migration> apply_migrations(Connection& connection, const FirstValues& values,
                                        base::Log& log);

}  // namespace sundial::sqlite
