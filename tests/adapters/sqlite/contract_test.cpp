#include "contract/suites.hpp"
#include "sqlite_storage.hpp"

namespace sundial {

SUNDIAL_CONTRACTS(Sqlite,
                  StorageKind{"sqlite", [] { return std::make_unique<sqlite::SqliteStorage>(); }});

}  // namespace sundial
