#include "application/ports/event_store.hpp"

#include <algorithm>
#include <memory>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/event_list_sql.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"
#include "adapters/postgres/stream_sql.hpp"
#include "base/check.hpp"

namespace sundial::postgres {
namespace {

/// A call of an append statement: `values`, then an array for each column. The events usually
/// differ in few columns.
template <class... Values>
Call append_call(const Statement& statement, std::span<const RecordedEvent> events,
                 const Values&... values) {
    const auto metadata = [events](auto member) {
        return short_column(events, [member](const RecordedEvent& event) -> const auto& {
            return event.metadata.*member;
        });
    };
    return Call{
        statement,
        values...,
        column(events, &RecordedEvent::event_id),
        short_column(events, &RecordedEvent::event_type),
        short_column(events, &RecordedEvent::schema_version),
        column(events, &RecordedEvent::data),
        column(events, [](const RecordedEvent& event) { return BytesView{event.content_hash}; }),
        metadata(&EventMetadata::occurred_at),
        metadata(&EventMetadata::correlation_id),
        metadata(&EventMetadata::causation_id),
        metadata(&EventMetadata::actor),
        metadata(&EventMetadata::tenant),
        metadata(&EventMetadata::traceparent),
        metadata(&EventMetadata::headers)};
}

/// Reads four columns from `first` on.
StreamHead head_in(const Answer& answer, std::size_t row, int first) {
    return {.version = answer.get<std::uint64_t>(row, first),
            .truncated_before = answer.get<std::uint64_t>(row, first + 1),
            .archived = answer.get<bool>(row, first + 2),
            .deleted = answer.get<bool>(row, first + 3)};
}

std::optional<StreamHead> head_in(const Answer& answer) {
    if (answer.empty()) return std::nullopt;
    return head_in(answer, 0, 0);
}

class PostgresEventStore final : public EventStore {
public:
    explicit PostgresEventStore(Session& session) : session_{session} {}

    StreamHead lock(const StreamId& stream) override {
        const auto lock_row = [&] {
            return head_in(
                session_.run(sql::lock_head, stream.aggregate_type, stream.aggregate_id));
        };
        if (const auto head = lock_row()) return *head;
        session_.run(sql::lock_absent_stream, stream.aggregate_type, stream.aggregate_id);
        // Another transaction may have created the stream before we had that lock.
        return lock_row().value_or(StreamHead{});
    }

    StreamHead find(const StreamId& stream) override {
        return head_in(session_.run(sql::find_head, stream.aggregate_type, stream.aggregate_id))
            .value_or(StreamHead{});
    }

    Page<ListedStream> list(const StreamQuery& query) override {
        const auto type_after =
            query.after ? std::optional{query.after->aggregate_type} : std::nullopt;
        const auto id_after = query.after ? std::optional{query.after->aggregate_id} : std::nullopt;
        std::optional<std::string> last_type, last_id;
        if (query.prefix) {
            (void)session_.run(sql::walk_indexes);
            const Answer last =
                session_.run(sql::passed_stream, query.aggregate_type, type_after, id_after,
                             static_cast<std::int64_t>(query.max_passed) - 1);
            if (last.size() > 0) {
                last_type = last.get<std::string>(0, 0);
                last_id = last.get<std::string>(0, 1);
            }
        }
        const Answer rows =
            session_.run(sql::list_streams, query.aggregate_type, query.prefix, type_after,
                         id_after, static_cast<std::int64_t>(query.limit + 1), last_type, last_id);
        Page<ListedStream> page;
        for (std::size_t row = 0; row < rows.size() && row < query.limit; ++row) {
            StreamId stream{rows.get<std::string>(row, 0), rows.get<std::string>(row, 1)};
            page.items.push_back({std::move(stream), head_in(rows, row, 2)});
        }
        page.has_more = rows.size() > query.limit;
        if (!page.has_more && last_type) {
            page.has_more = true;
            page.passed = place_of(StreamId{*last_type, *last_id});
        }
        return page;
    }

    std::vector<KnownEvent> known(std::span<const Uuid> ids) override {
        const Answer rows = session_.run(sql::known_events, ids);
        std::vector<KnownEvent> found;
        found.reserve(rows.size());
        for (std::size_t row = 0; row < rows.size(); ++row) {
            found.push_back(
                {.event_id = rows.get<Uuid>(row, 0),
                 .stream = {rows.get<std::string>(row, 1), rows.get<std::string>(row, 2)},
                 .version = rows.get<Version>(row, 3),
                 .position = rows.get<std::uint64_t>(row, 4),
                 .content_hash = rows.get<Bytes>(row, 5).value});
        }
        return found;
    }

    std::vector<std::uint64_t> append(std::span<const RecordedEvent> events) override {
        const RecordedEvent& first = events.front();
        const Call call =
            append_call(sql::append, events, first.stream.aggregate_type, first.stream.aggregate_id,
                        first.version.value - 1, session_.now());
        const Answer added = std::move(session_.run({&call, 1}).front());
        session_.add_evidence(
            {added.get<std::string>(0, 1), Call{sql::find_record, first.event_id}});
        return column_of<std::uint64_t>(added, 0);
    }

    std::vector<RecordedEvent> read(const StreamId& stream, const StreamRange& range) override {
        const std::uint64_t from = std::max(range.from, find(stream).truncated_before);
        const Statement& statement = range.backward ? sql::read_stream_backward : sql::read_stream;
        return recorded_events_in(session_.run(statement, stream.aggregate_type,
                                               stream.aggregate_id, from, range.to,
                                               static_cast<std::int64_t>(range.limit)));
    }

    void set_archived(const StreamId& stream, bool archived) override {
        session_.run(sql::archive_stream, stream.aggregate_type, stream.aggregate_id,
                     archived ? std::optional{session_.now()} : std::nullopt);
    }
    void truncate(const StreamId& stream, std::uint64_t before) override {
        session_.run(sql::truncate_stream, stream.aggregate_type, stream.aggregate_id, before);
        session_.run(sql::erase_payloads, stream.aggregate_type, stream.aggregate_id, before);
    }

    void close(const StreamId& stream) override {
        const std::uint64_t all = find(stream).version + 1;
        session_.run(sql::erase_payloads, stream.aggregate_type, stream.aggregate_id, all);
        session_.run(sql::remove_snapshot, stream.aggregate_type, stream.aggregate_id);
        session_.run(sql::close_stream, stream.aggregate_type, stream.aggregate_id, session_.now());
    }

    bool redact(const StreamId& stream, std::uint64_t version, const std::string& data) override {
        return session_
                   .run(sql::redact_event, stream.aggregate_type, stream.aggregate_id, version,
                        data, session_.now())
                   .changed() > 0;
    }

    std::optional<Snapshot> snapshot(const StreamId& stream) override {
        const Answer row =
            session_.run(sql::find_snapshot, stream.aggregate_type, stream.aggregate_id);
        if (row.empty()) return std::nullopt;
        return Snapshot{.version = row.get<std::uint64_t>(0, 0),
                        .schema_version = row.get<std::uint32_t>(0, 1),
                        .state = row.get<std::string>(0, 2)};
    }

    bool save_snapshot(const StreamId& stream, const Snapshot& snapshot) override {
        return session_
                   .run(sql::save_snapshot, stream.aggregate_type, stream.aggregate_id,
                        snapshot.version, snapshot.schema_version, snapshot.state, session_.now())
                   .changed() > 0;
    }

private:
    Session& session_;
};

}  // namespace

std::optional<Appended> append_at_once(Database& database, ExpectedVersion expected,
                                       std::span<const RecordedEvent> batch) {
    const StreamId& stream = batch.front().stream;
    const Statement& statement = batch.size() == 1 ? sql::append_one_at_once : sql::append_at_once;
    const Call call = append_call(statement, batch, stream.aggregate_type, stream.aggregate_id,
                                  expected.number());
    // If it happened but the answer was lost, the repetition finds its ids known.
    const auto done = database.run("append", Database::Effect::repeatable, {&call, 1});
    const Answer& written = done.answers.front();
    if (written.empty()) return std::nullopt;
    const std::size_t last = written.size() - 1;
    const auto version = written.get<std::uint64_t>(last, 0);
    return Appended{.first_version = written.get<std::uint64_t>(0, 0),
                    .last_version = version,
                    .first_position = written.get<std::uint64_t>(0, 1),
                    .last_position = written.get<std::uint64_t>(last, 1),
                    .current_version = version};
}

std::unique_ptr<EventStore> make_event_store(Session& session) {
    return std::make_unique<PostgresEventStore>(session);
}

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

class PostgresCheckpointStore final : public CheckpointStore {
public:
    explicit PostgresCheckpointStore(Session& session) : session_{session} {}

    Checkpoint lock(const std::string& name) override {
        const auto lock_row = [&] {
            return checkpoint_in(session_.run(sql::lock_checkpoint, name));
        };
        auto found = lock_row();
        if (!found) {
            session_.run(sql::add_checkpoint, name);
            found = lock_row();
        }
        base::check(found.has_value());
        return found->version.value > 0 ? *found : Checkpoint{};
    }

    Checkpoint find(const std::string& name) override {
        const auto found = checkpoint_in(session_.run(sql::find_checkpoint, name));
        // A checkpoint that was only locked has version 0: it was never written.
        return found && found->version.value > 0 ? *found : Checkpoint{};
    }

    void put(const std::string& name, const Checkpoint& checkpoint) override {
        const Answer put = session_.run(
            sql::put_checkpoint, name, checkpoint.position, checkpoint.event_id,
            checkpoint.fencing_token, checkpoint.holder, checkpoint.held_until, checkpoint.version);
        base::check(put.size() == 1);
        Evidence evidence{.transaction = put.get<std::string>(0, 0),
                          .row = Call{sql::checkpoint_at, name, checkpoint.version}};
        if (checkpoint.version.value > 1) {
            evidence.before = Call{sql::checkpoint_at, name, Version{checkpoint.version.value - 1}};
        }
        session_.add_evidence(std::move(evidence));
    }

    void park(const std::string& name, const ParkedEvent& event) override {
        session_.run(sql::park_event, name, event.position, event.event_id, event.reason,
                     event.attempts, event.parked_at);
    }

    std::vector<ParkedEvent> parked(const std::string& name, std::uint64_t after,
                                    std::size_t limit) override {
        const Answer rows =
            session_.run(sql::parked_events, name, after, static_cast<std::int64_t>(limit));
        std::vector<ParkedEvent> found;
        found.reserve(rows.size());
        for (std::size_t row = 0; row < rows.size(); ++row) {
            found.push_back({.position = rows.get<std::uint64_t>(row, 0),
                             .event_id = rows.get<Uuid>(row, 1),
                             .reason = rows.get<std::string>(row, 2),
                             .attempts = rows.get<std::uint32_t>(row, 3),
                             .parked_at = rows.get<Instant>(row, 4)});
        }
        return found;
    }

    bool unpark(const std::string& name, std::uint64_t position) override {
        return session_.run(sql::unpark_event, name, position).changed() > 0;
    }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<CheckpointStore> make_checkpoint_store(Session& session) {
    return std::make_unique<PostgresCheckpointStore>(session);
}

}  // namespace sundial::postgres
