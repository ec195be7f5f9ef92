#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "application/streams/subscription.hpp"
#include "embedded/answers.hpp"
#include "embedded/parts.hpp"
#include "embedded/subscription.hpp"
#include "embedded/transactions.hpp"

namespace sundial::embedding {
namespace {

sundial::StreamId id_of(const StreamId& stream) { return {stream.type, stream.id}; }

ValidationFailed no_uuid(const std::string& id) {
    return invalid("/events/id", "bad_format", "'" + id + "' is not a UUID");
}

/// Between the library's metadata and the domain's, whose members have the same names.
template <class To, class From>
To metadata_as(const From& metadata) {
    return {.occurred_at = metadata.occurred_at,
            .correlation_id = metadata.correlation_id,
            .causation_id = metadata.causation_id,
            .actor = metadata.actor,
            .tenant = metadata.tenant,
            .traceparent = metadata.traceparent,
            .headers = metadata.headers};
}

/// Errors: ValidationFailed.
sundial::Result<sundial::Append> append_of(const StreamId& stream, Expected expected,
                                           const std::vector<NewRecordedEvent>& events, Ids& ids) {
    const auto known = ExpectedVersion::of(expected.number());
    if (!known) {
        return invalid("/expected", "out_of_range",
                       "is not an expected version; give any(), no_stream(), stream_exists(), or "
                       "exactly() with a version of 0 to " +
                           std::to_string(greatest_number) + "; no event comes before version 0");
    }
    sundial::Append append{.stream = id_of(stream), .expected = *known, .events = {}};
    for (const NewRecordedEvent& event : events) {
        const auto id = event.id.empty() ? ids.fresh() : base::parse_uuid(event.id);
        if (!id) return no_uuid(event.id);
        append.events.push_back({.event_id = *id,
                                 .event_type = event.type,
                                 .schema_version = event.schema_version,
                                 .data = event.data,
                                 .metadata = metadata_as<sundial::EventMetadata>(event.metadata)});
    }
    return append;
}

Appended shown(const sundial::Appended& appended) {
    return {.first_version = appended.first_version,
            .last_version = appended.last_version,
            .first_position = appended.first_position,
            .last_position = appended.last_position,
            .current_version = appended.current_version,
            .replayed = appended.replayed};
}

StreamPart shown(const ReadStream& read) {
    StreamPart part{.version = read.head.version,
                    .truncated_before = read.head.truncated_before,
                    .archived = read.head.archived,
                    .events = {}};
    for (const sundial::RecordedEvent& event : read.events)
        part.events.push_back(embedding::shown(event));
    return part;
}

sundial::StreamRange range_of(const StreamRange& range) {
    return {.from = range.from, .to = range.to, .backward = range.backward, .limit = range.limit};
}

FeedPage shown(const sundial::FeedPage& page) {
    FeedPage all{.events = {}, .next_position = page.next_position, .more = page.more};
    for (const auto& entry : page.entries) all.events.push_back(embedding::shown(entry));
    return all;
}

Snapshot shown(const sundial::Snapshot& snapshot) {
    return {.version = snapshot.version,
            .schema_version = snapshot.schema_version,
            .state = snapshot.state};
}

Checkpoint shown(const sundial::Checkpoint& checkpoint) {
    return {.position = checkpoint.position,
            .event_id = checkpoint.event_id ? base::to_string(*checkpoint.event_id) : "",
            .fencing_token = checkpoint.fencing_token};
}

/// A missing snapshot is not an error here.
sundial::Result<std::optional<Snapshot>> if_saved(const sundial::Result<sundial::Snapshot>& found) {
    if (found) return std::optional{shown(*found)};
    if (std::holds_alternative<AggregateNotFound>(found.error())) return std::optional<Snapshot>{};
    return found.error();
}

bool matches_stream(const FeedFilter& filter, const StreamId& stream) {
    const auto& types = filter.stream_types;
    return types.empty() || std::ranges::find(types, stream.type) != types.end();
}

bool matches_type(const FeedFilter& filter, const RecordedEvent& event) {
    const auto& types = filter.event_types;
    return types.empty() || std::ranges::find(types, event.type) != types.end();
}

/// This thread runs inline projections of an engine, whose own appends are not projected.
class Projecting {
public:
    explicit Projecting(const TransactionPorts& engine) : outer_(engine_) { engine_ = &engine; }
    ~Projecting() { engine_ = outer_; }
    Projecting(const Projecting&) = delete;
    Projecting& operator=(const Projecting&) = delete;
    [[nodiscard]] static bool for_engine(const TransactionPorts& engine) {
        return engine_ == &engine;
    }

private:
    inline static thread_local const TransactionPorts* engine_ = nullptr;
    const TransactionPorts* const outer_;
};

bool projected_inline(const TransactionPorts& engine, const StreamId& stream) {
    return !Projecting::for_engine(engine) &&
           std::ranges::any_of(engine.projections, [&](const InlineProjection& one) {
               return matches_stream(one.filter, stream);
           });
}

/// An exception is a failure, too.
Result<Done> projected_by(const InlineProjection& projection, Transaction& tx,
                          const RecordedEvent& event) {
    try {
        return projection.project(tx, event);
    } catch (const std::exception& error) {
        return Error{"INTERNAL_ERROR", std::string{"an inline projection threw: "} + error.what()};
    } catch (...) {
        return Error{"INTERNAL_ERROR", "an inline projection threw an exception of unknown type"};
    }
}

}  // namespace

RecordedEvent shown(const sundial::RecordedEvent& event) {
    return {.stream = {event.stream.aggregate_type, event.stream.aggregate_id},
            .version = event.version.value,
            .position = event.position,
            .id = base::to_string(event.event_id),
            .type = event.event_type,
            .schema_version = event.schema_version,
            .data = event.data,
            .metadata = metadata_as<EventMetadata>(event.metadata),
            .recorded_at = event.recorded_at,
            .redacted = event.redacted_at.has_value()};
}

RecordedEvent shown(const sundial::FeedPage::Entry& entry) {
    RecordedEvent event = shown(entry.event);
    event.stream_deleted = entry.deleted;
    return event;
}

sundial::FeedFilter filter_of(const FeedFilter& filter) {
    return {.aggregate_types = filter.stream_types, .event_types = filter.event_types};
}

Result<Appended> Transaction::append_only(const StreamId& stream, Expected expected,
                                          const std::vector<NewRecordedEvent>& events) {
    TransactionPorts& ports = parts_->ports;
    return parts_->call<Appended>([&](sundial::Transaction& tx) -> sundial::Result<Appended> {
        const auto requested = append_of(stream, expected, events, ports.ids);
        if (!requested) return requested.error();
        const auto appended = ports.append.run(tx, *requested);
        if (!appended) return appended.error();
        after_commit([&watch = ports.watch] { watch.appended(); });
        return shown(*appended);
    });
}

Result<Appended> Transaction::append(const StreamId& stream, Expected expected,
                                     const std::vector<NewRecordedEvent>& events) {
    const auto& projections = parts_->ports.projections;
    if (!projected_inline(parts_->ports, stream)) return append_only(stream, expected, events);
    std::optional<Appended> appended;
    const auto done = nested([&](Transaction& part) -> Result<Done> {
        auto stored = part.append_only(stream, expected, events);
        if (!stored) return stored.error();
        appended = *stored;
        if (stored->replayed) return Done{};
        const auto recorded = part.read(
            stream,
            {.from = stored->first_version, .to = stored->last_version, .limit = max_read_events});
        if (!recorded) return recorded.error();
        const Projecting projecting{parts_->ports};
        for (const RecordedEvent& event : recorded->events) {
            for (const InlineProjection& one : projections) {
                if (!matches_stream(one.filter, stream) || !matches_type(one.filter, event))
                    continue;
                if (auto kept = projected_by(one, part, event); !kept) return kept.error();
            }
        }
        return Done{};
    });
    if (!done) return done.error();
    return *std::move(appended);
}

Result<StreamPart> Transaction::read(const StreamId& stream, const StreamRange& range) {
    return parts_->call<StreamPart>([&](sundial::Transaction& tx) -> sundial::Result<StreamPart> {
        const auto read = ReadStreams::read(tx, id_of(stream), range_of(range));
        if (!read) return read.error();
        return shown(*read);
    });
}

Result<std::optional<Snapshot>> Transaction::snapshot(const StreamId& stream) {
    return parts_->call<std::optional<Snapshot>>([&](sundial::Transaction& tx) {
        const auto found = tx.streams().snapshot(id_of(stream));
        return found ? std::optional{shown(*found)} : std::nullopt;
    });
}

Result<Appended> Streams::append(const StreamId& stream, Expected expected,
                                 const std::vector<NewRecordedEvent>& events) {
    if (projected_inline(parts_->transactions, stream)) {
        std::optional<Appended> appended;
        const auto done = transact([&](Transaction& tx) -> Result<Done> {
            auto stored = tx.append(stream, expected, events);
            if (!stored) return stored.error();
            appended = *stored;
            return Done{};
        });
        if (!done) return done.error();
        return *std::move(appended);
    }
    auto appended = answered<Appended>(parts_->process, [&]() -> sundial::Result<Appended> {
        const auto requested = append_of(stream, expected, events, parts_->ids);
        if (!requested) return requested.error();
        const auto done = parts_->append.run(*requested);
        if (!done) return done.error();
        return shown(*done);
    });
    if (appended) parts_->watch.appended();
    return appended;
}

Result<StreamPart> Streams::read(const StreamId& stream, const StreamRange& range) {
    return answered<StreamPart>(parts_->process, [&]() -> sundial::Result<StreamPart> {
        const auto read = parts_->read.read(id_of(stream), range_of(range));
        if (!read) return read.error();
        return shown(*read);
    });
}

Result<StreamPage> Streams::list(const std::string& type, const std::optional<StreamId>& after,
                                 std::size_t limit) {
    constexpr std::size_t most = 500;
    return answered<StreamPage>(parts_->process, [&]() -> sundial::Result<StreamPage> {
        if (limit < 1 || limit > most) {
            return invalid("/limit", "out_of_range", "must be 1 to 500");
        }
        StreamQuery query{.aggregate_type = std::nullopt, .prefix = std::nullopt, .after = {}};
        query.aggregate_type = unless_empty(type);
        if (after) query.after = id_of(*after);
        query.limit = limit;
        const Page<sundial::ListedStream> found = parts_->read.list(query);
        StreamPage page;
        page.streams.reserve(found.items.size());
        for (const sundial::ListedStream& one : found.items) {
            page.streams.push_back({.stream = {one.stream.aggregate_type, one.stream.aggregate_id},
                                    .version = one.head.version,
                                    .archived = one.head.archived,
                                    .deleted = one.head.deleted});
        }
        if (found.has_more) page.next = page.streams.back().stream;
        return page;
    });
}

void Streams::project_inline(
    FeedFilter filter, std::function<Result<Done>(Transaction&, const RecordedEvent&)> project) {
    if (parts_->process.forked()) return;
    parts_->transactions.projections.push_back({std::move(filter), std::move(project)});
}

Result<std::uint64_t> Streams::lag(const std::string& name) {
    return answered<std::uint64_t>(parts_->process, [&]() -> sundial::Result<std::uint64_t> {
        const auto at = parts_->checkpoints.find(name);
        if (!at) return at.error();
        const std::uint64_t newest = parts_->meter.measure(1).position;
        return newest - std::min(newest, at->position);
    });
}

Result<Done> Streams::wait(const std::string& name, std::uint64_t position,
                           std::chrono::microseconds at_most) {
    constexpr std::chrono::milliseconds poll_interval{10};
    Timing& timing = real_timing();
    const auto until =
        sundial::detail::later(timing.now(), std::max(at_most, std::chrono::microseconds{0}));
    for (;;) {
        const auto at = checkpoint(name);
        if (!at) return at.error();
        if (at->position >= position) return Done{};
        const auto now = timing.now();
        if (now >= until) {
            return Error{"REQUEST_TIMEOUT", "subscription '" + name + "' is at position " +
                                                std::to_string(at->position) + ", not yet at " +
                                                std::to_string(position)};
        }
        timing.sleep_until(std::min<Timing::Moment>(until, now + poll_interval), {});
    }
}

Result<Done> Streams::rebuild(const std::string& name,
                              const std::function<Result<Done>(Transaction&)>& clear) {
    const auto known = checkpoint(name);  // refuses an invalid name
    if (!known) return known.error();
    return transact([&](Transaction& transaction) -> Result<Done> {
        // First, so that a running projection writes no rows that the deletion misses.
        auto reset = transaction.parts_->call<Done>([&](sundial::Transaction& tx) {
            sundial::Checkpoint at = tx.checkpoints().lock(name);
            at.position = 0;
            at.event_id.reset();
            at.version = base::next(at.version);
            tx.checkpoints().put(name, at);
            return Done{};
        });
        return reset ? clear(transaction) : std::move(reset);
    });
}

Result<FeedPage> Streams::feed(std::uint64_t after, const FeedFilter& filter, std::size_t limit) {
    return answered<FeedPage>(parts_->process, [&]() -> sundial::Result<FeedPage> {
        const auto page = parts_->read.feed(after, filter_of(filter), limit);
        if (!page) return page.error();
        return shown(*page);
    });
}

Result<Done> Streams::transact(const std::function<Result<Done>(Transaction&)>& work) {
    return embedding::transact(parts_->transactions, work);
}

Result<Done> Streams::locked(const StreamId& stream,
                             const std::function<Result<Done>(Transaction&)>& work) {
    return transact([&](Transaction& transaction) {
        auto locked = transaction.parts_->call<Done>([&](sundial::Transaction& tx) {
            static_cast<void>(tx.streams().lock(id_of(stream)));
            return Done{};
        });
        return locked ? work(transaction) : std::move(locked);
    });
}

Result<std::vector<ParkedEvent>> Streams::parked(const std::string& name, std::uint64_t after) {
    constexpr std::size_t max_parked = 100;
    return answered<std::vector<ParkedEvent>>(parts_->process, [&] {
        const auto found = in_read(parts_->store, [&](sundial::Transaction& tx) {
            return tx.checkpoints().parked(name, std::min(after, greatest_number), max_parked);
        });
        std::vector<ParkedEvent> all;
        for (const sundial::ParkedEvent& event : found) {
            all.push_back(
                {event.position, base::to_string(event.event_id), event.reason, event.attempts});
        }
        return all;
    });
}

Result<bool> Streams::unpark(const std::string& name, std::uint64_t position) {
    return answered<bool>(parts_->process, [&] {
        bool was_there = false;
        parts_->store.transact([&](sundial::Transaction& tx) {
            was_there = tx.checkpoints().unpark(name, std::min(position, greatest_number));
            return was_there;
        });
        return was_there;
    });
}

Result<Checkpoint> Streams::checkpoint(const std::string& name) {
    return answered<Checkpoint>(parts_->process, [&]() -> sundial::Result<Checkpoint> {
        const auto found = parts_->checkpoints.find(name);
        if (!found) return found.error();
        return shown(*found);
    });
}

Result<Checkpoint> Streams::save_checkpoint(const std::string& name, const Checkpoint& next,
                                            std::uint64_t previous) {
    return answered<Checkpoint>(parts_->process, [&]() -> sundial::Result<Checkpoint> {
        CheckpointStep step{.position = next.position,
                            .event_id = std::nullopt,
                            .previous = previous,
                            .fencing_token = next.fencing_token};
        if (!next.event_id.empty()) {
            step.event_id = base::parse_uuid(next.event_id);
            if (!step.event_id) return no_uuid(next.event_id);
        }
        const auto saved = parts_->checkpoints.save(name, step);
        if (!saved) return saved.error();
        return shown(*saved);
    });
}

Result<std::optional<Snapshot>> Streams::snapshot(const StreamId& stream) {
    return answered<std::optional<Snapshot>>(
        parts_->process, [&] { return if_saved(parts_->read.snapshot(id_of(stream))); });
}

Result<bool> Streams::save_snapshot(const StreamId& stream, const Snapshot& snapshot) {
    return answered<bool>(parts_->process, [&] {
        return parts_->keep.save_snapshot(id_of(stream), {.version = snapshot.version,
                                                          .schema_version = snapshot.schema_version,
                                                          .state = snapshot.state});
    });
}

Result<Done> Streams::archive(const StreamId& stream) {
    return answered<Done>(parts_->process, [&] { return parts_->keep.archive(id_of(stream)); });
}
Result<Done> Streams::restore(const StreamId& stream) {
    return answered<Done>(parts_->process, [&] { return parts_->keep.restore(id_of(stream)); });
}
Result<Done> Streams::truncate(const StreamId& stream, std::uint64_t version) {
    return answered<Done>(parts_->process,
                          [&] { return parts_->keep.truncate(id_of(stream), version); });
}
Result<Done> Streams::remove(const StreamId& stream) {
    return answered<Done>(parts_->process, [&] { return parts_->keep.remove(id_of(stream)); });
}
Result<Done> Streams::redact(const StreamId& stream, std::uint64_t version,
                             const std::string& data) {
    return answered<Done>(parts_->process,
                          [&] { return parts_->keep.redact(id_of(stream), version, data); });
}

std::string Streams::fresh_id() { return base::to_string(parts_->ids.fresh()); }

namespace {

sundial::Subscription::Settings settings_of(Following&& following, std::string holder) {
    return {.name = std::move(following.name),
            .holder = std::move(holder),
            .filter = filter_of(following.filter),
            .lease = following.lease,
            .page = following.page,
            .lanes = following.lanes,
            .retry = std::move(following.retry),
            .park = following.park};
}

/// Passes events of the feed to `function`.
template <class Parts, class Function>
Followed follow_feed(const std::shared_ptr<Parts>& parts, Following&& following,
                     Function function) {
    auto follower = std::make_unique<sundial::Subscription>(
        parts->store, parts->feed, real_timing(),
        settings_of(std::move(following), base::to_string(parts->ids.fresh())),
        std::move(function));
    auto run = [&its = *follower, parts = parts.get()](const std::stop_token& stop) {
        its.run(stop, parts->watch, parts->log);
    };
    return {std::move(follower), std::move(run)};
}

}  // namespace

Subscription Streams::follow(Following following,
                             std::function<Result<Done>(const RecordedEvent&)> handle) {
    auto handling = std::make_shared<const Callbacks>();
    sundial::Subscription::Handle each = [parts = parts_.get(), handling,
                                          handle = std::move(handle)](const auto& entry) {
        const Callbacks::Call of_engine{parts->callbacks}, of_this{*handling};
        return failure_in([&] { return handle(shown(entry)); });
    };
    return Subscription{std::make_unique<Subscription::Parts>(
        parts_, std::move(handling), follow_feed(parts_, std::move(following), std::move(each)))};
}

Subscription Streams::project(
    Following following, std::function<Result<Done>(Transaction&, const RecordedEvent&)> project) {
    auto handling = std::make_shared<const Callbacks>();
    sundial::Subscription::Project each = [parts = parts_, handling, project = std::move(project)](
                                              sundial::Transaction& tx, const auto& entry) {
        const Callbacks::Call of_engine{parts->callbacks}, of_this{*handling};
        Transaction::Parts in_it{parts->transactions, tx};
        auto failure = failure_in([&] { return project(in_it.self, shown(entry)); });
        if (in_it.failure) std::rethrow_exception(in_it.failure);
        return failure;
    };
    return Subscription{std::make_unique<Subscription::Parts>(
        parts_, std::move(handling), follow_feed(parts_, std::move(following), std::move(each)))};
}

}  // namespace sundial::embedding
