#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "application/streams/subscription.hpp"
#include "embedded/answers.hpp"
#include "embedded/parts.hpp"
#include "embedded/transactions.hpp"

namespace sundial::embedding {
namespace {

sundial::StreamId id_of(const StreamId& stream) { return {stream.type, stream.id}; }

ValidationFailed no_uuid(const std::string& id) {
    return invalid("/events/id", "bad_format", "'" + id + "' is not a UUID");
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
        const EventMetadata& metadata = event.metadata;
        append.events.push_back({.event_id = *id,
                                 .event_type = event.type,
                                 .schema_version = event.schema_version,
                                 .data = event.data,
                                 .metadata = {.occurred_at = metadata.occurred_at,
                                              .correlation_id = metadata.correlation_id,
                                              .causation_id = metadata.causation_id,
                                              .actor = metadata.actor,
                                              .tenant = metadata.tenant,
                                              .traceparent = metadata.traceparent,
                                              .headers = metadata.headers}});
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

}  // namespace

RecordedEvent shown(const sundial::RecordedEvent& event) {
    const sundial::EventMetadata& metadata = event.metadata;
    return {.stream = {event.stream.aggregate_type, event.stream.aggregate_id},
            .version = event.version.value,
            .position = event.position,
            .id = base::to_string(event.event_id),
            .type = event.event_type,
            .schema_version = event.schema_version,
            .data = event.data,
            .metadata = {.occurred_at = metadata.occurred_at,
                         .correlation_id = metadata.correlation_id,
                         .causation_id = metadata.causation_id,
                         .actor = metadata.actor,
                         .tenant = metadata.tenant,
                         .traceparent = metadata.traceparent,
                         .headers = metadata.headers},
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

Result<Appended> Transaction::append(const StreamId& stream, Expected expected,
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

Result<std::uint64_t> Streams::lag(const std::string& name) {
    return answered<std::uint64_t>(parts_->process, [&]() -> sundial::Result<std::uint64_t> {
        const auto at = parts_->checkpoints.find(name);
        if (!at) return at.error();
        const std::uint64_t newest = parts_->meter.measure(1).position;
        return newest - std::min(newest, at->position);
    });
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

/// The failure of a function of the program, if any. A std::exception propagates with its own text;
/// any other exception gets a text here.
template <class Work>
HandlingFailure failure_in(Work work) {
    try {
        const Result<Done> done = work();
        if (done) return std::nullopt;
        return done.error().code + ": " + done.error().detail;
    } catch (const std::exception&) {
        throw;
    } catch (...) {
        return "it threw something unknown";
    }
}

}  // namespace

struct Subscription::Parts {
    template <class Function>
    Parts(std::shared_ptr<Streams::Parts> its_streams,
          std::shared_ptr<const Callbacks> its_handling, Following&& following, Function function)
        : streams(std::move(its_streams)),
          handling(std::move(its_handling)),
          follower(streams->store, streams->feed, real_timing(),
                   settings_of(std::move(following), base::to_string(streams->ids.fresh())),
                   std::move(function)) {}

    ~Parts() { end_thread(); }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    /// From any thread. A thread that ends begins again.
    void start() {
        std::thread ended;
        {
            const std::lock_guard lock(starting);
            if (closing) return;
            if (running || catching_up) {
                again = catching_up || stop.stop_requested();
                return;
            }
            ended = std::move(thread);
            stop = {};
            running = true;
            try {
                thread = std::thread([this] { run(); });
            } catch (...) {
                running = false;
                if (ended.joinable()) ended.join();
                throw;
            }
        }
        if (ended.joinable()) ended.join();
    }
    /// In its handler: the thread ends after that.
    void request_stop() {
        const std::lock_guard lock(starting);
        again = false;
        stop.request_stop();
    }
    /// The same, and waits. Not in its handler.
    void end_thread() {
        std::thread ended;
        {
            const std::lock_guard lock(starting);
            again = false;
            closing = true;  // so that its handler cannot begin it again meanwhile
            stop.request_stop();
            ended = std::move(thread);
        }
        if (ended.joinable()) ended.join();
        const std::lock_guard lock(starting);
        closing = false;
    }
    /// The subscription was destroyed by its handler, so it ends after that.
    void depart(std::unique_ptr<Parts> its) {
        const std::lock_guard lock(starting);
        ++streams->departing;
        again = false;
        closing = true;
        stop.request_stop();
        if (thread.joinable()) thread.detach();
        caught_up.request_stop();
        itself = std::move(its);
    }
    /// Called where the events were passed on, as the last use of `parts`.
    static void end_if_departing(Parts& parts) {
        if (!parts.itself) return;
        const auto streams = parts.streams;
        std::exchange(parts.itself, nullptr).reset();
        --streams->departing;
        streams->departing.notify_all();
    }

    const OwnProcess process;
    const std::shared_ptr<Streams::Parts> streams;
    const std::shared_ptr<const Callbacks> handling;
    std::stop_source caught_up;  // ends `catch_up`
    sundial::Subscription follower;
    std::unique_ptr<Parts> itself;  // after `depart`
    std::mutex starting;    // guards all below; held while `thread` is set: its handler may depart
    std::stop_source stop;  // of the thread
    bool running = false;   // the thread has not ended
    bool again = false;     // it begins again when it ends
    bool closing = false;   // it must not
    bool catching_up = false;  // another thread uses the follower
    std::thread thread;

private:
    void run() {
        for (bool more = true; more;) {
            std::stop_token token;
            {
                const std::lock_guard lock(starting);
                token = stop.get_token();
            }
            follower.run(token, streams->watch, streams->log);
            const std::lock_guard lock(starting);
            more = std::exchange(again, false);
            if (more) stop = {};
            running = more;
        }
        end_if_departing(*this);
    }
};

Subscription::Subscription(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Subscription::Subscription(Subscription&&) noexcept = default;
Subscription& Subscription::operator=(Subscription&& other) noexcept {
    if (this == &other) return *this;
    close(std::exchange(parts_, std::move(other.parts_)));
    return *this;
}
Subscription::~Subscription() { close(std::move(parts_)); }

void Subscription::close(std::unique_ptr<Parts> parts) noexcept {
    if (!parts || parts->process.forked() || !parts->handling->running_here()) {
        return destroy_unless_forked(std::move(parts));
    }
    Parts& its = *parts;
    its.depart(std::move(parts));
}

Result<Done> Subscription::catch_up() {
    using State = sundial::Subscription::State;
    Parts& parts = *parts_;
    if (parts.handling->running_here()) {
        return Error{"REENTRANT_CALL",
                     "catch_up() was called inside the handler of its subscription"};
    }
    {
        const std::lock_guard lock(parts.starting);
        parts.catching_up = true;
    }
    const auto came_to = answered<State>(parts.process, [&] {
        const std::stop_token stop = parts.caught_up.get_token();
        State state = State::moved;
        while (state == State::moved && !stop.stop_requested()) state = parts.follower.turn(stop);
        parts.follower.release();
        return state;
    });
    const auto answer = [&]() -> Result<Done> {
        if (!came_to) return came_to.error();
        if (*came_to == State::elsewhere) {
            return Error{"LOCK_HELD", "another subscription uses that name"};
        }
        if (*came_to == State::stopped) {
            return Error{"STOPPED", parts.follower.why().value_or("")};
        }
        if (parts.itself) return Error{"STOPPED", "its handler destroyed the subscription"};
        return Done{};
    }();
    const bool starts = [&] {
        const std::lock_guard lock(parts.starting);
        parts.catching_up = false;
        return std::exchange(parts.again, false);
    }();
    if (starts && !parts.itself) parts.start();
    Parts::end_if_departing(parts);
    return answer;
}

void Subscription::start() {
    Parts& parts = *parts_;
    if (!parts.process.forked()) parts.start();
}

void Subscription::stop() {
    Parts& parts = *parts_;
    if (parts.process.forked()) return;
    parts.handling->running_here() ? parts.request_stop() : parts.end_thread();
}

std::optional<std::string> Subscription::stopped() const {
    if (parts_->process.forked()) return parts_->process.error().detail;
    return parts_->follower.why();
}

Subscription Streams::follow(Following following,
                             std::function<Result<Done>(const RecordedEvent&)> handle) {
    auto handling = std::make_shared<const Callbacks>();
    sundial::Subscription::Handle each = [parts = parts_.get(), handling,
                                          handle = std::move(handle)](const auto& entry) {
        const Callbacks::Call of_engine{parts->callbacks}, of_this{*handling};
        return failure_in([&] { return handle(shown(entry)); });
    };
    return Subscription{std::make_unique<Subscription::Parts>(
        parts_, std::move(handling), std::move(following), std::move(each))};
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
        parts_, std::move(handling), std::move(following), std::move(each))};
}

}  // namespace sundial::embedding
