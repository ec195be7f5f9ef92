#pragma once

#include <span>
#include <string>

#include "adapters/postgres/database.hpp"
#include "sundial/sql.hpp"

namespace sundial::postgres {

/// Runs one statement of the program in the open transaction, with the rights of the connection's
/// role. It cannot end the transaction or change settings beyond it. Throws StatementRefused, after
/// which the transaction has failed (or its last savepoint). A conflict with another transaction is
/// an SqlError: the caller repeats the whole work.
[[nodiscard]] SqlRows run_caller_sql(Session& session, const std::string& statement,
                                     std::span<const SqlValue> values);

}  // namespace sundial::postgres
