#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/limit_repository.hpp"

namespace sundial::sqlite {

/// Only one connection writes, so every row that it reads is already locked.
class SqliteLimitRepository final : public LimitRepository {
public:
    explicit SqliteLimitRepository(Session& session) : connection_{session.connection} {}
    Limits lock(EndpointId endpoint) override;
    void put(const Limits& limits) override;

private:
    Connection& connection_;
};

}  // namespace sundial::sqlite
