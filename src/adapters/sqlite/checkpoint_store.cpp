#include "adapters/sqlite/checkpoint_store.hpp"

#include "adapters/sqlite/checkpoint_statements.hpp"
#include "adapters/sqlite/rows.hpp"

namespace sundial::sqlite {
namespace {

Checkpoint read_checkpoint(Cursor& row) {
    return {.position = row.take<std::uint64_t>(),
            .event_id = row.take<std::optional<Uuid>>(),
            .fencing_token = row.take<std::uint64_t>(),
            .holder = row.take<std::string>(),
            .held_until = row.take<Instant>(),
            .version = row.take<Version>()};
}

ParkedEvent read_parked(Cursor& row) {
    return {.position = row.take<std::uint64_t>(),
            .event_id = row.take<Uuid>(),
            .reason = row.take<std::string>(),
            .attempts = row.take<std::uint32_t>(),
            .parked_at = row.take<Instant>()};
}

}  // namespace

Checkpoint SqliteCheckpointStore::find(const std::string& name) {
    return first_of(connection_.query(sql::find_checkpoint, name), read_checkpoint)
        .value_or(Checkpoint{});
}

void SqliteCheckpointStore::put(const std::string& name, const Checkpoint& checkpoint) {
    connection_.execute(sql::put_checkpoint, name, checkpoint.position, checkpoint.event_id,
                        checkpoint.fencing_token, checkpoint.holder, checkpoint.held_until,
                        checkpoint.version);
}

void SqliteCheckpointStore::park(const std::string& name, const ParkedEvent& event) {
    connection_.execute(sql::park_event, name, event.position, event.event_id, event.reason,
                        event.attempts, event.parked_at);
}

std::vector<ParkedEvent> SqliteCheckpointStore::parked(const std::string& name, std::uint64_t after,
                                                       std::size_t limit) {
    return all_of(connection_.query(sql::parked_of_checkpoint, name, after, limit), read_parked);
}

bool SqliteCheckpointStore::unpark(const std::string& name, std::uint64_t position) {
    return connection_.execute(sql::unpark_event, name, position) > 0;
}

}  // namespace sundial::sqlite
