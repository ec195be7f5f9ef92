#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/clock.hpp"

namespace sundial::postgres {

/// Reads sundial.clock().
class PostgresClock final : public Clock {
public:
    PostgresClock(Database& database, bool is_test) : database_{database}, is_test_{is_test} {}
    Instant now() override;
    [[nodiscard]] bool is_test() const override { return is_test_; }
    Result<void> set(Instant now) override;

private:
    Database& database_;
    const bool is_test_;
};

}  // namespace sundial::postgres
