#include "application/ports/event_store.hpp"

#include <algorithm>
#include <memory>

#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/stream_sql.hpp"
#include "base/check.hpp"
#include "base/json.hpp"

namespace sundial::sqlite {
namespace {

/// Maximum positions that one page of the feed reads, so that a filter with few matches still makes
/// progress.
constexpr std::size_t max_scanned = 10'000;

RecordedEvent read_recorded_event(Cursor& row) {
    RecordedEvent event{.stream = {row.take<std::string>(), row.take<std::string>()},
                        .version = row.take<Version>(),
                        .event_id = row.take<Uuid>(),
                        .event_type = row.take<std::string>(),
                        .schema_version = row.take<std::uint32_t>(),
                        .data = row.take<std::string>()};
    event.metadata = {.occurred_at = row.take<std::optional<Instant>>(),
                      .correlation_id = row.take<std::string>(),
                      .causation_id = row.take<std::string>(),
                      .actor = row.take<std::string>(),
                      .tenant = row.take<std::string>(),
                      .traceparent = row.take<std::string>(),
                      .headers = row.take<std::string>()};
    event.content_hash = row.take<Bytes>().value;
    event.position = row.take<std::uint64_t>();
    event.recorded_at = row.take<Instant>();
    event.redacted_at = row.take<std::optional<Instant>>();
    return event;
}

StreamHead head_in(Connection& connection, const StreamId& stream) {
    auto row = connection.query(sql::find_head, stream.aggregate_type, stream.aggregate_id);
    if (!row.next()) return {};
    return {.version = row.take<std::uint64_t>(),
            .truncated_before = row.take<std::uint64_t>(),
            .archived = row.take<bool>(),
            .deleted = row.take<bool>()};
}

std::string json_array(const std::vector<std::string>& texts) {
    base::JsonWriter json;
    json.begin_array();
    for (const std::string& text : texts) json.value(std::string_view{text});
    return std::move(json.end_array()).text();
}

/// Only one connection writes, so every stream that it reads is locked.
class SqliteEventStore final : public EventStore {
public:
    explicit SqliteEventStore(Session& session)
        : connection_{session.connection}, now_{session.now} {}
    StreamHead lock(const StreamId& stream) override { return find(stream); }
    StreamHead find(const StreamId& stream) override { return head_in(connection_, stream); }

    Page<ListedStream> list(const StreamQuery& query) override {
        // Of one type: after its empty id, which no stream has, and up to its end.
        std::optional<std::string> type_after = query.aggregate_type, id_after, last_type, last_id;
        last_type = query.aggregate_type;
        if (query.after && query.after->aggregate_type >= query.aggregate_type.value_or("")) {
            type_after = query.after->aggregate_type;
            id_after = query.after->aggregate_id;
        }
        std::optional<PageKey> passed;
        if (query.prefix) {
            auto last = connection_.query(sql::passed_stream, type_after, id_after, last_type,
                                          last_id, query.max_passed - 1);
            if (last.next()) {
                last_type = last.get<std::string>(0);
                last_id = last.get<std::string>(1);
                passed = place_of(StreamId{*last_type, *last_id});
            }
        }
        auto row = connection_.query(sql::list_streams, type_after, id_after, last_type, last_id,
                                     query.prefix, query.limit + 1);
        Page<ListedStream> page;
        while (row.next()) {
            StreamId stream{row.get<std::string>(0), row.get<std::string>(1)};
            page.items.push_back({std::move(stream),
                                  {.version = row.get<std::uint64_t>(2),
                                   .truncated_before = row.get<std::uint64_t>(3),
                                   .archived = row.get<bool>(4),
                                   .deleted = row.get<bool>(5)}});
        }
        page.has_more = page.items.size() > query.limit;
        if (page.has_more) {
            page.items.pop_back();
        } else if (passed) {
            page.has_more = true;
            page.passed = std::move(passed);
        }
        return page;
    }

    std::vector<KnownEvent> known(std::span<const Uuid> ids) override {
        std::vector<KnownEvent> found;
        for (const Uuid& id : ids) {
            auto row = connection_.query(sql::known_event, id);
            if (!row.next()) continue;
            found.push_back({.event_id = row.take<Uuid>(),
                             .stream = {row.take<std::string>(), row.take<std::string>()},
                             .version = row.take<Version>(),
                             .position = row.take<std::uint64_t>(),
                             .content_hash = row.take<Bytes>().value});
        }
        return found;
    }

    std::vector<std::uint64_t> append(std::span<const RecordedEvent> events) override {
        std::vector<std::uint64_t> positions;
        for (const RecordedEvent& event : events) {
            const EventMetadata& metadata = event.metadata;
            connection_.execute(sql::append, event.stream.aggregate_type, event.stream.aggregate_id,
                                event.version, event.event_id, event.event_type,
                                event.schema_version, event.data, Bytes{event.content_hash},
                                metadata.occurred_at, metadata.correlation_id,
                                metadata.causation_id, metadata.actor, metadata.tenant,
                                metadata.traceparent, metadata.headers, now_);
            positions.push_back(static_cast<std::uint64_t>(connection_.last_row()));
        }
        const RecordedEvent& last = events.back();
        connection_.execute(sql::move_head, last.stream.aggregate_type, last.stream.aggregate_id,
                            last.version);
        return positions;
    }

    std::vector<RecordedEvent> read(const StreamId& stream, const StreamRange& range) override {
        const std::uint64_t from = std::max(range.from, find(stream).truncated_before);
        const Statement& statement = range.backward ? sql::read_stream_backward : sql::read_stream;
        auto row = connection_.query(statement, stream.aggregate_type, stream.aggregate_id, from,
                                     range.to, range.limit);
        std::vector<RecordedEvent> events;
        while (row.next()) events.push_back(read_recorded_event(row));
        return events;
    }

    void set_archived(const StreamId& stream, bool archived) override {
        connection_.execute(sql::archive_stream, stream.aggregate_type, stream.aggregate_id,
                            archived ? std::optional{now_} : std::nullopt);
    }
    void truncate(const StreamId& stream, std::uint64_t before) override {
        connection_.execute(sql::truncate_stream, stream.aggregate_type, stream.aggregate_id,
                            before);
        connection_.execute(sql::erase_payloads, stream.aggregate_type, stream.aggregate_id,
                            before);
    }

    void close(const StreamId& stream) override {
        const std::uint64_t all = find(stream).version + 1;
        connection_.execute(sql::erase_payloads, stream.aggregate_type, stream.aggregate_id, all);
        connection_.execute(sql::remove_snapshot, stream.aggregate_type, stream.aggregate_id);
        connection_.execute(sql::close_stream, stream.aggregate_type, stream.aggregate_id, now_);
    }

    bool redact(const StreamId& stream, std::uint64_t version, const std::string& data) override {
        return connection_.execute(sql::redact_event, stream.aggregate_type, stream.aggregate_id,
                                   version, data, now_) > 0;
    }

    std::optional<Snapshot> snapshot(const StreamId& stream) override {
        auto row =
            connection_.query(sql::find_snapshot, stream.aggregate_type, stream.aggregate_id);
        if (!row.next()) return std::nullopt;
        return Snapshot{.version = row.take<std::uint64_t>(),
                        .schema_version = row.take<std::uint32_t>(),
                        .state = row.take<std::string>()};
    }

    bool save_snapshot(const StreamId& stream, const Snapshot& snapshot) override {
        return connection_.execute(sql::save_snapshot, stream.aggregate_type, stream.aggregate_id,
                                   snapshot.version, snapshot.schema_version, snapshot.state,
                                   now_) > 0;
    }

private:
    Connection& connection_;
    Instant now_;
};

/// One writer assigns and commits positions, one transaction after another, so the feed has no gaps
/// to wait for.
class SqliteFeed final : public MeteredFeed {
public:
    explicit SqliteFeed(Readers& readers) : readers_{readers} {}

    FeedPage read_all(std::uint64_t after, const FeedFilter& filter, std::size_t limit) override {
        FeedPage page{.entries = {}, .next_position = after};
        readers_.run([&](Session& session) {
            Connection& connection = session.connection;
            {
                auto window = connection.query(sql::feed_window, after, max_scanned);
                base::check(window.next());
                page.next_position = window.get<std::uint64_t>(0);
                page.more = window.get<std::size_t>(1) == max_scanned;
            }
            {
                auto row = connection.query(sql::read_feed, after, page.next_position,
                                            json_array(filter.aggregate_types),
                                            json_array(filter.event_types), limit);
                while (row.next()) page.entries.push_back({read_recorded_event(row), false});
            }
            for (FeedPage::Entry& entry : page.entries) {
                entry.deleted = head_in(connection, entry.event.stream).deleted;
            }
        });
        if (page.entries.size() == limit) {
            const std::uint64_t last = page.entries.back().event.position;
            page.more = page.more || last < page.next_position;
            page.next_position = last;
        }
        return page;
    }

    FeedProgress measure(std::size_t max_followers) override {
        FeedProgress progress;
        readers_.run([&](Session& session) {
            {
                auto last = session.connection.query(sql::last_position);
                base::check(last.next());
                progress = {.position = last.get<std::uint64_t>(0)};
            }
            auto row = session.connection.query(sql::followers, max_followers);
            while (row.next()) {
                progress.followers.push_back({row.get<std::string>(0), row.get<std::uint64_t>(1)});
            }
        });
        return progress;
    }

private:
    Readers& readers_;
};

}  // namespace

std::unique_ptr<EventStore> make_event_store(Session& session) {
    return std::make_unique<SqliteEventStore>(session);
}

std::unique_ptr<MeteredFeed> make_feed(Readers& readers) {
    return std::make_unique<SqliteFeed>(readers);
}

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

/// Only one connection writes, so every row that it reads is already locked.
class SqliteCheckpointStore final : public CheckpointStore {
public:
    explicit SqliteCheckpointStore(Session& session) : connection_{session.connection} {}
    Checkpoint lock(const std::string& name) override { return find(name); }
    Checkpoint find(const std::string& name) override {
        return first_of(connection_.query(sql::find_checkpoint, name), read_checkpoint)
            .value_or(Checkpoint{});
    }

    void put(const std::string& name, const Checkpoint& checkpoint) override {
        connection_.execute(sql::put_checkpoint, name, checkpoint.position, checkpoint.event_id,
                            checkpoint.fencing_token, checkpoint.holder, checkpoint.held_until,
                            checkpoint.version);
    }

    void park(const std::string& name, const ParkedEvent& event) override {
        connection_.execute(sql::park_event, name, event.position, event.event_id, event.reason,
                            event.attempts, event.parked_at);
    }
    std::vector<ParkedEvent> parked(const std::string& name, std::uint64_t after,
                                    std::size_t limit) override {
        return all_of(connection_.query(sql::parked_of_checkpoint, name, after, limit),
                      read_parked);
    }
    bool unpark(const std::string& name, std::uint64_t position) override {
        return connection_.execute(sql::unpark_event, name, position) > 0;
    }

private:
    Connection& connection_;
};

}  // namespace

std::unique_ptr<CheckpointStore> make_checkpoint_store(Session& session) {
    return std::make_unique<SqliteCheckpointStore>(session);
}

}  // namespace sundial::sqlite
