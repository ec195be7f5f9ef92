#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/checkpoint_store.hpp"

namespace sundial::postgres {

class PostgresCheckpointStore final : public CheckpointStore {
public:
    explicit PostgresCheckpointStore(Session& session) : session_{session} {}
    Checkpoint lock(const std::string& name) override;
    Checkpoint find(const std::string& name) override;
    void put(const std::string& name, const Checkpoint& checkpoint) override;
    void park(const std::string& name, const ParkedEvent& event) override;
    std::vector<ParkedEvent> parked(const std::string& name, std::uint64_t after,
                                    std::size_t limit) override;
    bool unpark(const std::string& name, std::uint64_t position) override;

private:
    Session& session_;
};

}  // namespace sundial::postgres
