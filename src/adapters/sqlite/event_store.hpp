#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/feed_meter.hpp"

namespace sundial::sqlite {

class Readers;

/// Only one connection writes, so every stream that it reads is locked.
class SqliteEventStore final : public EventStore {
public:
    explicit SqliteEventStore(Session& session)
        : connection_{session.connection}, now_{session.now} {}
    StreamHead lock(const StreamId& stream) override { return find(stream); }
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
    Connection& connection_;
    Instant now_;
};

/// One writer assigns and commits positions, one transaction after another, so the feed has no gaps
/// to wait for.
class SqliteFeed final : public Feed, public FeedMeter {
public:
    explicit SqliteFeed(Readers& readers) : readers_{readers} {}
    FeedPage read_all(std::uint64_t after, const FeedFilter& filter, std::size_t limit) override;
    FeedProgress measure(std::size_t max_followers) override;

private:
    Readers& readers_;
};

}  // namespace sundial::sqlite
