#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/limit_repository.hpp"

namespace sundial::sqlite {

/// The writer is alone, so whatever it reads is locked already.
class SqliteLimitRepository final : public LimitRepository {
public:
    explicit SqliteLimitRepository(Session& session) : connection_{session.connection} {}
    Limits lock(EndpointId endpoint) override;
    void put(const Limits& limits) override;

private:
    Connection& connection_;
};

}  // namespace sundial::sqlite
