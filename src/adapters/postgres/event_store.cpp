#include "adapters/postgres/event_store.hpp"

#include <algorithm>

#include "adapters/postgres/columns.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/stream_statements.hpp"

namespace sundial::postgres {
namespace {

/// An array for each column, as the append statements take them. Refers to the events, which
/// usually differ in few columns.
struct Columns {
    std::vector<Uuid> event_ids;
    std::vector<std::string_view> event_types;
    std::vector<std::int32_t> schema_versions;
    std::vector<std::string_view> data;
    std::vector<BytesView> content_hashes;
    std::vector<std::optional<Instant>> occurred;
    std::vector<std::string_view> correlations, causations, actors, tenants, traceparents, headers;

    explicit Columns(std::span<const RecordedEvent> events) {
        for (const RecordedEvent& event : events) {
            event_ids.push_back(event.event_id);
            event_types.push_back(event.event_type);
            schema_versions.push_back(static_cast<std::int32_t>(event.schema_version));
            data.push_back(event.data);
            content_hashes.push_back({event.content_hash});
            occurred.push_back(event.metadata.occurred_at);
            correlations.push_back(event.metadata.correlation_id);
            causations.push_back(event.metadata.causation_id);
            actors.push_back(event.metadata.actor);
            tenants.push_back(event.metadata.tenant);
            traceparents.push_back(event.metadata.traceparent);
            headers.push_back(event.metadata.headers);
        }
        shorten_each(event_types, schema_versions, occurred, correlations, causations, actors,
                     tenants, traceparents, headers);
    }
};

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

}  // namespace

StreamHead PostgresEventStore::find(const StreamId& stream) {
    return head_in(session_.run(sql::find_head, stream.aggregate_type, stream.aggregate_id))
        .value_or(StreamHead{});
}

Page<ListedStream> PostgresEventStore::list(const StreamQuery& query) {
    const auto type_after = query.after ? std::optional{query.after->aggregate_type} : std::nullopt;
    const auto id_after = query.after ? std::optional{query.after->aggregate_id} : std::nullopt;
    const Answer rows =
        session_.run(sql::list_streams, query.aggregate_type, query.prefix, type_after, id_after,
                     static_cast<std::int64_t>(query.limit + 1));
    Page<ListedStream> page;
    for (std::size_t row = 0; row < rows.size() && row < query.limit; ++row) {
        StreamId stream{rows.get<std::string>(row, 0), rows.get<std::string>(row, 1)};
        page.items.push_back({std::move(stream), head_in(rows, row, 2)});
    }
    page.has_more = rows.size() > query.limit;
    return page;
}

StreamHead PostgresEventStore::lock(const StreamId& stream) {
    const auto lock_row = [&] {
        return head_in(session_.run(sql::lock_head, stream.aggregate_type, stream.aggregate_id));
    };
    if (const auto head = lock_row()) return *head;
    session_.run(sql::lock_absent_stream, stream.aggregate_type, stream.aggregate_id);
    // Another transaction may have created the stream before we had that lock.
    return lock_row().value_or(StreamHead{});
}

std::vector<KnownEvent> PostgresEventStore::known(std::span<const Uuid> ids) {
    const Answer rows = session_.run(sql::known_events, std::vector<Uuid>{ids.begin(), ids.end()});
    std::vector<KnownEvent> found;
    found.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        found.push_back({.event_id = rows.get<Uuid>(row, 0),
                         .stream = {rows.get<std::string>(row, 1), rows.get<std::string>(row, 2)},
                         .version = rows.get<Version>(row, 3),
                         .position = rows.get<std::uint64_t>(row, 4),
                         .content_hash = rows.get<Bytes>(row, 5).value});
    }
    return found;
}

std::vector<std::uint64_t> PostgresEventStore::append(std::span<const RecordedEvent> events) {
    const RecordedEvent& first = events.front();
    const Columns columns{events};
    const Answer added = session_.run(
        sql::append, first.stream.aggregate_type, first.stream.aggregate_id,
        first.version.value - 1, session_.now(), columns.event_ids, columns.event_types,
        columns.schema_versions, columns.data, columns.content_hashes, columns.occurred,
        columns.correlations, columns.causations, columns.actors, columns.tenants,
        columns.traceparents, columns.headers);
    session_.add_evidence({added.get<std::string>(0, 1), Call{sql::find_record, first.event_id}});
    return column_of<std::uint64_t>(added, 0);
}

std::optional<Appended> append_at_once(Database& database, ExpectedVersion expected,
                                       std::span<const RecordedEvent> batch) {
    const StreamId& stream = batch.front().stream;
    const Columns columns{batch};
    const Call call{
        sql::append_at_once,    stream.aggregate_type, stream.aggregate_id,     expected.number(),
        columns.event_ids,      columns.event_types,   columns.schema_versions, columns.data,
        columns.content_hashes, columns.occurred,      columns.correlations,    columns.causations,
        columns.actors,         columns.tenants,       columns.traceparents,    columns.headers};
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

std::vector<RecordedEvent> PostgresEventStore::read(const StreamId& stream,
                                                    const StreamRange& range) {
    const std::uint64_t from = std::max(range.from, find(stream).truncated_before);
    const Statement& statement = range.backward ? sql::read_stream_backward : sql::read_stream;
    return recorded_events_in(session_.run(statement, stream.aggregate_type, stream.aggregate_id,
                                           from, range.to, static_cast<std::int64_t>(range.limit)));
}

void PostgresEventStore::set_archived(const StreamId& stream, bool archived) {
    session_.run(sql::archive_stream, stream.aggregate_type, stream.aggregate_id,
                 archived ? std::optional{session_.now()} : std::nullopt);
}

void PostgresEventStore::truncate(const StreamId& stream, std::uint64_t before) {
    session_.run(sql::truncate_stream, stream.aggregate_type, stream.aggregate_id, before);
    session_.run(sql::erase_payloads, stream.aggregate_type, stream.aggregate_id, before);
}

void PostgresEventStore::close(const StreamId& stream) {
    const std::uint64_t all = find(stream).version + 1;
    session_.run(sql::erase_payloads, stream.aggregate_type, stream.aggregate_id, all);
    session_.run(sql::remove_snapshot, stream.aggregate_type, stream.aggregate_id);
    session_.run(sql::close_stream, stream.aggregate_type, stream.aggregate_id, session_.now());
}

bool PostgresEventStore::redact(const StreamId& stream, std::uint64_t version,
                                const std::string& data) {
    return session_
               .run(sql::redact_event, stream.aggregate_type, stream.aggregate_id, version, data,
                    session_.now())
               .changed() > 0;
}

std::optional<Snapshot> PostgresEventStore::snapshot(const StreamId& stream) {
    const Answer row = session_.run(sql::find_snapshot, stream.aggregate_type, stream.aggregate_id);
    if (row.empty()) return std::nullopt;
    return Snapshot{.version = row.get<std::uint64_t>(0, 0),
                    .schema_version = row.get<std::uint32_t>(0, 1),
                    .state = row.get<std::string>(0, 2)};
}

bool PostgresEventStore::save_snapshot(const StreamId& stream, const Snapshot& snapshot) {
    return session_
               .run(sql::save_snapshot, stream.aggregate_type, stream.aggregate_id,
                    snapshot.version, snapshot.schema_version, snapshot.state, session_.now())
               .changed() > 0;
}

}  // namespace sundial::postgres
