#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/limit_repository.hpp"

namespace sundial::postgres {

class PostgresLimitRepository final : public LimitRepository {
public:
    explicit PostgresLimitRepository(Session& session) : session_{session} {}
    Limits lock(EndpointId endpoint) override;
    void put(const Limits& limits) override;

private:
    Session& session_;
};

}  // namespace sundial::postgres
