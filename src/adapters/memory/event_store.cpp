#include "adapters/memory/event_store.hpp"

#include <algorithm>
#include <utility>

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

}  // namespace

StreamHead MemoryEventStore::find(const StreamId& stream) {
    const StreamHead* head = state_.streams.find(stream);
    return head == nullptr ? StreamHead{} : *head;
}

Page<ListedStream> MemoryEventStore::list(const StreamQuery& query) {
    Page<ListedStream> page;
    for (const auto& [stream, head] : state_.streams.rows()) {
        if (query.after && stream <= *query.after) continue;
        if (query.aggregate_type && stream.aggregate_type != *query.aggregate_type) continue;
        if (query.prefix && !stream.aggregate_id.starts_with(*query.prefix)) continue;
        if (page.items.size() == query.limit) {
            page.has_more = true;
            break;
        }
        page.items.push_back({stream, head});
    }
    return page;
}

std::vector<KnownEvent> MemoryEventStore::known(std::span<const Uuid> ids) {
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

std::vector<std::uint64_t> MemoryEventStore::append(std::span<const RecordedEvent> events) {
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

std::vector<RecordedEvent> MemoryEventStore::read(const StreamId& stream,
                                                  const StreamRange& range) {
    const std::uint64_t from = std::max(range.from, find(stream).truncated_before);
    std::vector<RecordedEvent> found;
    const auto& rows = state_.positions.rows();
    for (auto row = rows.lower_bound({stream, Version{from}});
         row != rows.end() && row->first.stream == stream && row->first.version.value <= range.to;
         ++row) {
        found.push_back(*state_.recorded.find(row->second));
    }
    if (range.backward) std::ranges::reverse(found);
    if (found.size() > range.limit)
        found.erase(found.begin() + static_cast<std::ptrdiff_t>(range.limit), found.end());
    return found;
}

void MemoryEventStore::set_archived(const StreamId& stream, bool archived) {
    StreamHead head = find(stream);
    head.archived = archived;
    change_head(stream, head);
}

void MemoryEventStore::truncate(const StreamId& stream, std::uint64_t before) {
    StreamHead head = find(stream);
    head.truncated_before = std::max(head.truncated_before, before);
    change_head(stream, head);
    erase_payloads(stream, before);
}

void MemoryEventStore::close(const StreamId& stream) {
    StreamHead head = find(stream);
    head.deleted = true;
    change_head(stream, head);
    erase_payloads(stream, head.version + 1);
    if (state_.snapshots.find(stream) != nullptr) state_.snapshots.erase(stream);
}

bool MemoryEventStore::redact(const StreamId& stream, std::uint64_t version,
                              const std::string& data) {
    const std::uint64_t* position = state_.positions.find({stream, Version{version}});
    if (position == nullptr) return false;
    state_.recorded.change(*position, [&](RecordedEvent& event) {
        event.data = data;
        event.redacted_at = now_;
    });
    return true;
}

std::optional<Snapshot> MemoryEventStore::snapshot(const StreamId& stream) {
    const Snapshot* found = state_.snapshots.find(stream);
    return found == nullptr ? std::nullopt : std::optional{*found};
}

bool MemoryEventStore::save_snapshot(const StreamId& stream, const Snapshot& snapshot) {
    const Snapshot* current = state_.snapshots.find(stream);
    if (current == nullptr) {
        state_.snapshots.insert(stream, snapshot);
        return true;
    }
    if (current->version >= snapshot.version) return false;
    state_.snapshots.replace(stream, snapshot);
    return true;
}

void MemoryEventStore::change_head(const StreamId& stream, const StreamHead& head) {
    if (state_.streams.find(stream) == nullptr) {
        state_.streams.insert(stream, head);
    } else {
        state_.streams.replace(stream, head);
    }
}

void MemoryEventStore::erase_payloads(const StreamId& stream, std::uint64_t before) {
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

FeedProgress MemoryFeed::measure(std::size_t max_followers) {
    const Turn turn{*state_};
    const auto& recorded = state_->recorded.rows();
    FeedProgress progress{.position = recorded.empty() ? 0 : recorded.rbegin()->first};
    for (const auto& [name, checkpoint] : state_->checkpoints.rows()) {
        if (progress.followers.size() == max_followers) break;
        progress.followers.push_back({name, checkpoint.position});
    }
    return progress;
}

FeedPage MemoryFeed::read_all(std::uint64_t after, const FeedFilter& filter, std::size_t limit) {
    const Turn turn{*state_};
    FeedPage page{.entries = {}, .next_position = after};
    const auto& rows = state_->recorded.rows();
    auto row = rows.upper_bound(after);
    for (std::size_t scanned = 0;
         row != rows.end() && scanned < max_scanned && page.entries.size() < limit;
         ++row, ++scanned) {
        page.next_position = row->first;
        if (!matches(row->second, filter)) continue;
        const StreamHead* head = state_->streams.find(row->second.stream);
        page.entries.push_back({row->second, head != nullptr && head->deleted});
    }
    page.more = row != rows.end();
    return page;
}

}  // namespace sundial::memory
