#pragma once

#include <vector>

#include "adapters/postgres/connection.hpp"
#include "adapters/postgres/open.hpp"

/// The schema over time: numbered texts, each applied once, in one transaction, under a lock that
/// all instances share. A transaction-scoped lock, so that a pooler does no harm.
namespace sundial::postgres {

/// Throws CannotStart for a server that cannot be used at all: older than 15, or not in UTF-8.
void check_server(Connection& connection);
/// Throws CannotStart if what is applied is not a beginning of what this program knows: the
/// database is newer, or was made by another build.
[[nodiscard]] MigrationStatus migration_status(Connection& connection);
std::vector<Migration> migrate(Connection& connection, const Settings& settings, base::Log& log);

/// Brings an up-to-date database to the clock that is asked for, or throws CannotStart: a test
/// clock is for ever, and only for a database that nothing real lies in.
void choose_clock(Connection& connection, bool test_clock);

}  // namespace sundial::postgres
