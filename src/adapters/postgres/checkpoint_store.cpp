#include "adapters/postgres/checkpoint_store.hpp"

#include "adapters/postgres/checkpoint_statements.hpp"
#include "base/check.hpp"

namespace sundial::postgres {
namespace {

std::optional<Checkpoint> checkpoint_in(const Answer& rows) {
    if (rows.empty()) return std::nullopt;
    return Checkpoint{.position = rows.get<std::uint64_t>(0, 0),
                      .event_id = rows.get<std::optional<Uuid>>(0, 1),
                      .fencing_token = rows.get<std::uint64_t>(0, 2),
                      .holder = rows.get<std::string>(0, 3),
                      .held_until = rows.get<Instant>(0, 4),
                      .version = rows.get<Version>(0, 5)};
}

}  // namespace

Checkpoint PostgresCheckpointStore::find(const std::string& name) {
    const auto found = checkpoint_in(session_.run(sql::find_checkpoint, name));
    // A checkpoint that was only locked has version 0: it was never written.
    return found && found->version.value > 0 ? *found : Checkpoint{};
}

Checkpoint PostgresCheckpointStore::lock(const std::string& name) {
    const auto lock_row = [&] { return checkpoint_in(session_.run(sql::lock_checkpoint, name)); };
    auto found = lock_row();
    if (!found) {
        session_.run(sql::add_checkpoint, name);
        found = lock_row();
    }
    base::check(found.has_value());
    return found->version.value > 0 ? *found : Checkpoint{};
}

void PostgresCheckpointStore::put(const std::string& name, const Checkpoint& checkpoint) {
    const Answer put = session_.run(sql::put_checkpoint, name, checkpoint.position,
                                    checkpoint.event_id, checkpoint.fencing_token,
                                    checkpoint.holder, checkpoint.held_until, checkpoint.version);
    base::check(put.size() == 1);
    Evidence evidence{.transaction = put.get<std::string>(0, 0),
                      .row = Call{sql::checkpoint_at, name, checkpoint.version}};
    if (checkpoint.version.value > 1) {
        evidence.before = Call{sql::checkpoint_at, name, Version{checkpoint.version.value - 1}};
    }
    session_.add_evidence(std::move(evidence));
}

void PostgresCheckpointStore::park(const std::string& name, const ParkedEvent& event) {
    session_.run(sql::park_event, name, event.position, event.event_id, event.reason,
                 event.attempts, event.parked_at);
}

std::vector<ParkedEvent> PostgresCheckpointStore::parked(const std::string& name,
                                                         std::uint64_t after, std::size_t limit) {
    const Answer rows =
        session_.run(sql::parked_events, name, after, static_cast<std::int64_t>(limit));
    std::vector<ParkedEvent> found;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        found.push_back({.position = rows.get<std::uint64_t>(row, 0),
                         .event_id = rows.get<Uuid>(row, 1),
                         .reason = rows.get<std::string>(row, 2),
                         .attempts = rows.get<std::uint32_t>(row, 3),
                         .parked_at = rows.get<Instant>(row, 4)});
    }
    return found;
}

bool PostgresCheckpointStore::unpark(const std::string& name, std::uint64_t position) {
    return session_.run(sql::unpark_event, name, position).changed() > 0;
}

}  // namespace sundial::postgres
