#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/store.hpp"

namespace sundial::postgres {

class PostgresStore final : public Store {
public:
    explicit PostgresStore(Database& database) : database_{database} {}
    void transact(const std::function<bool(Transaction&)>& work) override;
    void read(const std::function<void(Transaction&)>& work) override;
    std::optional<Appended> append_at_once(ExpectedVersion expected,
                                           std::span<const RecordedEvent> batch) override;
    [[nodiscard]] bool open_here() override { return database_.open_here(); }

private:
    Database& database_;
};

}  // namespace sundial::postgres
