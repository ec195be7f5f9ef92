#include "support/migrated_database.hpp"

#include "adapters/postgres/open.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial {

std::string migrated_database() {
    static const std::string first = [] {
        std::string url = PostgresCluster::shared().create_database();
        RecordedLog log;
        postgres::PostgresDatabase::open({.url = url}, log)
            .reset();  // to be copied, it must be closed
        return url;
    }();
    return PostgresCluster::shared().copy_database(first);
}

}  // namespace sundial
