#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/checkpoint_store.hpp"

namespace sundial::sqlite {

/// Only one connection writes, so every row that it reads is already locked.
class SqliteCheckpointStore final : public CheckpointStore {
public:
    explicit SqliteCheckpointStore(Session& session) : connection_{session.connection} {}
    Checkpoint lock(const std::string& name) override { return find(name); }
    Checkpoint find(const std::string& name) override;
    void put(const std::string& name, const Checkpoint& checkpoint) override;
    void park(const std::string& name, const ParkedEvent& event) override;
    std::vector<ParkedEvent> parked(const std::string& name, std::uint64_t after,
                                    std::size_t limit) override;
    bool unpark(const std::string& name, std::uint64_t position) override;

private:
    Connection& connection_;
};

}  // namespace sundial::sqlite
