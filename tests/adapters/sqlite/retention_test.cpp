#include "contract/retention_contract.hpp"
#include "sqlite_storage.hpp"

namespace sundial {

INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, RetentionContract, sqlite::SqliteStorage);

}  // namespace sundial
