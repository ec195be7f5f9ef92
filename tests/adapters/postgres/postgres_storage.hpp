#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "adapters/postgres/open.hpp"
#include "contract/storage.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {

/// An empty, migrated database with a test clock at `noon`. The whole program shares one for each
/// number of shards; each test empties it.
class PostgresStorage final : public Storage {
public:
    explicit PostgresStorage(std::uint32_t shards);
    Store& store() override { return database_->store(); }
    EventQueue& queue() override { return database_->queue(); }
    PullQueue& pull_queue() override { return database_->pull_queue(); }
    Clock& clock() override { return database_->clock(); }
    Feed& feed() override { return database_->feed(); }
    Retention& retention() { return database_->retention(); }
    [[nodiscard]] const std::string& url() const { return url_; }

private:
    std::string url_;
    PostgresDatabase* database_;
};

[[nodiscard]] StorageKind postgres_with(std::uint32_t shards);

}  // namespace sundial::postgres
