#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/store.hpp"

namespace sundial::postgres {

class PostgresStore final : public Store {
public:
    explicit PostgresStore(Database& database) : database_{database} {}
    void transact(const std::function<bool(Transaction&)>& work) override;
    void read(const std::function<void(Transaction&)>& work) override;

private:
    Database& database_;
};

}  // namespace sundial::postgres
