#pragma once

#include <vector>

#include "adapters/postgres/connection.hpp"
#include "adapters/postgres/open.hpp"

/// Schema migrations: numbered scripts. Each runs once, in one transaction, under a lock that all
/// instances share. The lock belongs to the transaction, so it works through a pooler.
namespace sundial::postgres {

/// Throws CannotStart if the server is older than 15 or not in UTF-8.
void check_server(Connection& connection);
/// Throws CannotStart if the applied migrations are not a prefix of those that this program knows:
/// the database is newer, or another build made it.
[[nodiscard]] MigrationStatus migration_status(Connection& connection);
std::vector<Migration> migrate(Connection& connection, const Settings& settings, base::Log& log);

/// Sets the clock of an up-to-date database, or throws CannotStart: a test clock is permanent, and
/// allowed only for a database without real data.
void choose_clock(Connection& connection, bool test_clock);

}  // namespace sundial::postgres
