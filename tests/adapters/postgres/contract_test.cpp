#include "contract/suites.hpp"
#include "postgres_storage.hpp"

namespace sundial {

SUNDIAL_CONTRACTS(Postgres, postgres::postgres_with(1), postgres::postgres_with(16));
SUNDIAL_CONTRACT(Postgres, HeartbeatContract, postgres::postgres_with(1),
                 postgres::postgres_with(16));

}  // namespace sundial
