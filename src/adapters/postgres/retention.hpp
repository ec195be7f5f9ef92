#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/retention.hpp"

namespace sundial::postgres {

class PostgresRetention final : public Retention {
public:
    explicit PostgresRetention(Database& database) : database_{database} {}
    bool forget(Kept what, std::chrono::microseconds age, std::size_t limit) override;

private:
    Database& database_;
};

}  // namespace sundial::postgres
