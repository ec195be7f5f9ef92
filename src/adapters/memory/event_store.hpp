#pragma once

#include "adapters/memory/state.hpp"
#include "adapters/memory/store.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/feed_meter.hpp"

namespace sundial::memory {

class MemoryEventStore final : public EventStore {
public:
    MemoryEventStore(State& state, Instant now) : state_{state}, now_{now} {}
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
    void change_head(const StreamId& stream, const StreamHead& head);
    void erase_payloads(const StreamId& stream, std::uint64_t before);

    State& state_;
    Instant now_;
};

/// Only one transaction runs at a time and assigns positions, so the feed has no gaps to wait for.
class MemoryFeed final : public Feed, public FeedMeter {
public:
    explicit MemoryFeed(const MemoryStore& store) : state_{store.state_} {}
    FeedPage read_all(std::uint64_t after, const FeedFilter& filter, std::size_t limit) override;
    FeedProgress measure(std::size_t max_followers) override;

private:
    std::shared_ptr<State> state_;
};

}  // namespace sundial::memory
