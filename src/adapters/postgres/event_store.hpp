#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/event_store.hpp"

namespace sundial::postgres {

class PostgresEventStore final : public EventStore {
public:
    explicit PostgresEventStore(Session& session) : session_{session} {}
    StreamHead lock(const StreamId& stream) override;
    StreamHead find(const StreamId& stream) override;
    Page<ListedStream> list(const StreamQuery& query) override;
    std::vector<KnownEvent> known(std::span<const Uuid> ids) override;
    std::vector<std::uint64_t> append(std::span<const RecordedEvent> events) override;
    std::vector<RecordedEvent> read(const StreamId& stream, const StreamRange& range) override;
    void set_archived(const StreamId& stream, bool archived) override;
    void truncate(const StreamId& stream, std::uint64_t before) override;
    void close(const StreamId& stream) override;
    bool redact(const StreamId& stream, std::uint64_t version, const std::string& data) override;
    std::optional<Snapshot> snapshot(const StreamId& stream) override;
    bool save_snapshot(const StreamId& stream, const Snapshot& snapshot) override;

private:
    Session& session_;
};

/// Appends in one round trip; see `Store::append_at_once`.
[[nodiscard]] std::optional<Appended> append_at_once(Database& database, ExpectedVersion expected,
                                                     std::span<const RecordedEvent> batch);

}  // namespace sundial::postgres
