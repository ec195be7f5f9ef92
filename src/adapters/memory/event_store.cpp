#include "application/ports/event_store.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/store.hpp"
#include "application/ports/outcome_queue.hpp"
#include "base/check.hpp"

namespace sundial::memory {
namespace {

/// Maximum positions that one page of the feed reads, so that a filter with few matches still makes
/// progress.
constexpr std::size_t max_scanned = 10'000;

bool is_named(const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
}

bool matches(const RecordedEvent& event, const FeedFilter& filter) {
    return is_named(filter.aggregate_types, event.stream.aggregate_type) &&
           is_named(filter.event_types, event.event_type);
}

class MemoryEventStore final : public EventStore {
public:
    MemoryEventStore(State& state, Instant now) : state_{state}, now_{now} {}
    StreamHead lock(const StreamId& stream) override { return find(stream); }
    StreamHead find(const StreamId& stream) override {
        const StreamHead* head = state_.streams.find(stream);
        return head == nullptr ? StreamHead{} : *head;
    }

    Page<ListedStream> list(const StreamQuery& query) override {
        Page<ListedStream> page;
        std::size_t passed = 0;
        for (const auto& [stream, head] : state_.streams.rows()) {
            if (query.after && stream <= *query.after) continue;
            if (query.aggregate_type && stream.aggregate_type != *query.aggregate_type) continue;
            const bool has_prefix = !query.prefix || stream.aggregate_id.starts_with(*query.prefix);
            if (has_prefix && page.items.size() == query.limit) {
                page.has_more = true;
                break;
            }
            if (has_prefix) page.items.push_back({stream, head});
            if (query.prefix && ++passed == query.max_passed) {
                page.has_more = true;
                page.passed = place_of(stream);
                break;
            }
        }
        return page;
    }

    std::vector<KnownEvent> known(std::span<const Uuid> ids) override {
        std::vector<KnownEvent> found;
        for (const Uuid& id : ids) {
            const std::uint64_t* position = state_.recorded_ids.find(id);
            if (position == nullptr) continue;
            const RecordedEvent& event = *state_.recorded.find(*position);
            found.push_back(
                {event.event_id, event.stream, event.version, event.position, event.content_hash});
        }
        return found;
    }

    std::vector<std::uint64_t> append(std::span<const RecordedEvent> events) override {
        std::vector<std::uint64_t> positions;
        StreamHead head = find(events.front().stream);
        for (RecordedEvent event : events) {
            const auto& rows = state_.recorded.rows();
            event.position = rows.empty() ? 1 : rows.rbegin()->first + 1;
            event.recorded_at = now_;
            state_.positions.insert({event.stream, event.version}, event.position);
            state_.recorded_ids.insert(event.event_id, event.position);
            state_.recorded.insert(event.position, event);
            positions.push_back(event.position);
            head.version = event.version.value;
        }
        change_head(events.front().stream, head);
        return positions;
    }

    std::vector<RecordedEvent> read(const StreamId& stream, const StreamRange& range) override {
        const std::uint64_t from = std::max(range.from, find(stream).truncated_before);
        std::vector<RecordedEvent> found;
        const auto& rows = state_.positions.rows();
        for (auto row = rows.lower_bound({stream, Version{from}});
             row != rows.end() && row->first.stream == stream &&
             row->first.version.value <= range.to;
             ++row) {
            found.push_back(*state_.recorded.find(row->second));
        }
        if (range.backward) std::ranges::reverse(found);
        if (found.size() > range.limit)
            found.erase(found.begin() + static_cast<std::ptrdiff_t>(range.limit), found.end());
        return found;
    }

    void set_archived(const StreamId& stream, bool archived) override {
        StreamHead head = find(stream);
        head.archived = archived;
        change_head(stream, head);
    }

    void truncate(const StreamId& stream, std::uint64_t before) override {
        StreamHead head = find(stream);
        head.truncated_before = std::max(head.truncated_before, before);
        change_head(stream, head);
        erase_payloads(stream, before);
    }

    void close(const StreamId& stream) override {
        StreamHead head = find(stream);
        head.deleted = true;
        change_head(stream, head);
        erase_payloads(stream, head.version + 1);
        if (state_.snapshots.find(stream) != nullptr) state_.snapshots.erase(stream);
    }

    bool redact(const StreamId& stream, std::uint64_t version, const std::string& data) override {
        const std::uint64_t* position = state_.positions.find({stream, Version{version}});
        if (position == nullptr) return false;
        state_.recorded.change(*position, [&](RecordedEvent& event) {
            event.data = data;
            event.redacted_at = now_;
        });
        return true;
    }

    std::optional<Snapshot> snapshot(const StreamId& stream) override {
        const Snapshot* found = state_.snapshots.find(stream);
        return found == nullptr ? std::nullopt : std::optional{*found};
    }

    bool save_snapshot(const StreamId& stream, const Snapshot& snapshot) override {
        const Snapshot* current = state_.snapshots.find(stream);
        if (current == nullptr) {
            state_.snapshots.insert(stream, snapshot);
            return true;
        }
        if (current->version >= snapshot.version) return false;
        state_.snapshots.replace(stream, snapshot);
        return true;
    }

private:
    void change_head(const StreamId& stream, const StreamHead& head) {
        if (state_.streams.find(stream) == nullptr) {
            state_.streams.insert(stream, head);
        } else {
            state_.streams.replace(stream, head);
        }
    }

    void erase_payloads(const StreamId& stream, std::uint64_t before) {
        const auto& rows = state_.positions.rows();
        for (auto row = rows.lower_bound({stream, Version{0}});
             row != rows.end() && row->first.stream == stream && row->first.version.value < before;
             ++row) {
            state_.recorded.change(row->second, [](RecordedEvent& event) {
                event.data.clear();
                event.metadata.headers.clear();
            });
        }
    }

    State& state_;
    Instant now_;
};

/// Only one transaction runs at a time and assigns positions, so the feed has no gaps to wait for.
class MemoryFeed final : public MeteredFeed {
public:
    explicit MemoryFeed(State& state) : state_{state} {}

    FeedPage read_all(std::uint64_t after, const FeedFilter& filter, std::size_t limit) override {
        const Turn turn{state_};
        FeedPage page{.entries = {}, .next_position = after};
        const auto& rows = state_.recorded.rows();
        auto row = rows.upper_bound(after);
        for (std::size_t scanned = 0;
             row != rows.end() && scanned < max_scanned && page.entries.size() < limit;
             ++row, ++scanned) {
            page.next_position = row->first;
            if (!matches(row->second, filter)) continue;
            const StreamHead* head = state_.streams.find(row->second.stream);
            page.entries.push_back({row->second, head != nullptr && head->deleted});
        }
        page.more = row != rows.end();
        return page;
    }

    FeedProgress measure(std::size_t max_followers) override {
        const Turn turn{state_};
        const auto& recorded = state_.recorded.rows();
        FeedProgress progress{.position = recorded.empty() ? 0 : recorded.rbegin()->first};
        for (const auto& [name, checkpoint] : state_.checkpoints.rows()) {
            if (progress.followers.size() == max_followers) break;
            if (name.starts_with(outcome_checkpoints)) continue;
            progress.followers.push_back({name, checkpoint.position});
        }
        return progress;
    }

private:
    State& state_;
};

}  // namespace

std::unique_ptr<EventStore> make_event_store(Session& session) {
    return std::make_unique<MemoryEventStore>(session.state, session.now);
}

std::unique_ptr<MeteredFeed> make_feed(State& state) { return std::make_unique<MemoryFeed>(state); }

namespace {

/// Only one transaction runs at a time, so every row that it reads is already locked.
class MemoryCheckpointStore final : public CheckpointStore {
public:
    explicit MemoryCheckpointStore(State& state) : state_{state} {}
    Checkpoint lock(const std::string& name) override { return find(name); }
    Checkpoint find(const std::string& name) override {
        const Checkpoint* found = state_.checkpoints.find(name);
        return found == nullptr ? Checkpoint{} : *found;
    }

    void put(const std::string& name, const Checkpoint& checkpoint) override {
        if (state_.checkpoints.find(name) == nullptr) {
            state_.checkpoints.insert(name, checkpoint);
        } else {
            state_.checkpoints.replace(name, checkpoint);
        }
    }

    void park(const std::string& name, const ParkedEvent& event) override {
        const ParkedKey key{name, event.position};
        if (state_.parked.find(key) == nullptr) state_.parked.insert(key, event);
    }

    std::vector<ParkedEvent> parked(const std::string& name, std::uint64_t after,
                                    std::size_t limit) override {
        std::vector<ParkedEvent> found;
        const auto& rows = state_.parked.rows();
        for (auto row = rows.upper_bound({name, after});
             row != rows.end() && row->first.checkpoint == name && found.size() < limit; ++row) {
            found.push_back(row->second);
        }
        return found;
    }

    bool unpark(const std::string& name, std::uint64_t position) override {
        const ParkedKey key{name, position};
        if (state_.parked.find(key) == nullptr) return false;
        state_.parked.erase(key);
        return true;
    }

private:
    State& state_;
};

}  // namespace

std::unique_ptr<CheckpointStore> make_checkpoint_store(Session& session) {
    return std::make_unique<MemoryCheckpointStore>(session.state);
}

}  // namespace sundial::memory
