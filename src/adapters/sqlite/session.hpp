#pragma once

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/ledger.hpp"
#include "domain/time/types.hpp"

namespace sundial::sqlite {

/// One open transaction.
struct Session {
    Connection& connection;
    const Instant now;  // the same for the whole transaction
    Ledger ledger{};
};

}  // namespace sundial::sqlite
