#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapters/postgres/open.hpp"
#include "contract/storage.hpp"
#include "patient.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {

/// An empty, migrated database with a test clock at `noon`. The whole program shares one for each
/// number of shards; each test empties it.
class PostgresStorage final : public Storage {
public:
    /// A fence lets the engine's statements that name their shard (`shard = $n`) touch the rows of
    /// one shard only: those that read or write a row of another one fail. Between machines, the
    /// engine besides takes the database for a distributed one, and asks shard by shard. Its reads
    /// of events fail if they call `sundial.clock()`, which a machine would answer. With Citus
    /// it is one: the database at SUNDIAL_CITUS, which has the extension and its workers.
    enum class Fence : std::uint8_t { none, around_shards, between_machines, citus };
    explicit PostgresStorage(std::uint32_t shards, Fence fence = Fence::none);
    Store& store() override { return database_->store(); }
    EventQueue& queue() override { return database_->queue(); }
    PullQueue& pull_queue() override { return database_->pull_queue(); }
    Clock& clock() override { return database_->clock(); }
    Feed& feed() override { return database_->feed(); }
    Retention& retention() { return database_->retention(); }
    /// For a superuser, whom no fence stops.
    [[nodiscard]] const std::string& url() const { return url_; }
    /// For the engine's role.
    [[nodiscard]] std::string url_of_engine() const;

private:
    Fence fence_;
    std::string url_;
    PostgresDatabase* database_;
};

[[nodiscard]] StorageKind postgres_with(
    std::uint32_t shards, PostgresStorage::Fence fence = PostgresStorage::Fence::none);
/// The storage with Citus; none without SUNDIAL_CITUS.
[[nodiscard]] std::vector<StorageKind> postgres_on_citus();
/// Gives the history one level of partitions, as on Citus, for all tests of this storage.
void flatten_history_once(const PostgresStorage& storage);
/// Makes engines that open the database from now on take it for a distributed one.
void seem_distributed(const std::string& url);
/// The URL of a database with a fence for the engine, whose role the fence stops.
[[nodiscard]] std::string inside_fence(std::string url);

}  // namespace sundial::postgres
