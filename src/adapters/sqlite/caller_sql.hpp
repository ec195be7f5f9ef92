#pragma once

#include <span>
#include <string>

#include "adapters/sqlite/session.hpp"
#include "sundial/sql.hpp"

namespace sundial::sqlite {

/// Runs one statement of the program in the open transaction. It can use the program's own tables
/// and read Sundial's; it can neither change Sundial's nor end the transaction. Its parameters are
/// `$1`, `$2` and so on, or `?1`, `?2`. Throws StatementRefused, and Unavailable as Connection
/// does.
[[nodiscard]] SqlRows run_caller_sql(Session& session, const std::string& statement,
                                     std::span<const SqlValue> values);

}  // namespace sundial::sqlite
