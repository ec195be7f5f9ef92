#pragma once

#include <string>

namespace sundial {

/// The URL of a new database on PostgresCluster::shared() with the engine's schema: a copy of the
/// first one, which takes a fifth of the time of all migrations. It may follow any clock.
std::string migrated_database();

}  // namespace sundial
