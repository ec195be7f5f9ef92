#include "application/observation/observed_storage.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "application/observation/engine_log.hpp"
#include "application/streams/append_to_stream.hpp"
#include "application/transactions/after_commit.hpp"

namespace sundial {

/// The effects of one run of a transaction so far.
struct ObservedStorage::Changes {
    /// State of an event before its transaction changed it.
    struct Before {
        Instant due;
        Version planned_by;  // its schedule's version; 0 without one
    };

    std::map<std::string, std::size_t> created{};  // by type
    // By type, for dropped events, whose reason is logged elsewhere.
    std::map<std::string, std::size_t> dropped{};
    std::vector<EventMoved> moved{};
    std::vector<Event> cancelled{};
    bool of_user = false;                            // the transaction changed a user
    std::map<std::string, std::size_t> appended{};   // to streams, by aggregate type
    std::map<std::string, std::uint64_t> skipped{};  // occurrences, by reason
    std::unordered_map<EventId, Before> before{};    // of the events that it has locked

    void remember(const Event& event) {
        before.insert_or_assign(
            event.id,
            Before{event.due, event.occurrence ? event.occurrence->schedule_version : Version{0}});
    }
};

namespace {

std::string cause_of(const Event& after, Version planned_by, bool of_user) {
    if (of_user) return "user changed";
    const bool by_schedule = after.occurrence && after.occurrence->schedule_version != planned_by;
    return by_schedule ? "schedule changed" : "changed on request";
}

}  // namespace

/// Records changes and forwards all calls.
class ObservedStorage::Events final : public EventRepository {
public:
    Events(EventRepository& events, Changes& changes) : events_(events), changes_(changes) {}

    Result<Attempt, DuplicateIdempotencyKey> add(const Event& event) override {
        auto added = events_.add(event);
        if (added) ++changes_.created[event.type];
        return added;
    }
    Result<AddedEvent, DuplicateIdempotencyKey> add_now(const Event& event) override {
        auto added = events_.add_now(event);
        if (added) ++changes_.created[event.type];
        return added;
    }
    std::vector<Result<Attempt, DuplicateIdempotencyKey>> add_each(
        std::span<const Event> events) override {
        auto answers = events_.add_each(events);
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (answers[i]) ++changes_.created[events[i].type];
        }
        return answers;
    }
    std::size_t add_new(std::span<const Event> events) override {
        const std::size_t added = events_.add_new(events);
        // Planning adds events of one schedule at a time, which all have one type.
        if (added > 0) changes_.created[events.front().type] += added;
        return added;
    }
    Result<void, DuplicateIdempotencyKey> add_retry(const Event& fresh) override {
        auto added = events_.add_retry(fresh);
        if (added) ++changes_.created[fresh.type];
        return added;
    }
    std::optional<Event> find(EventId id) override { return events_.find(id); }
    std::optional<Event> lock(EventId id) override {
        auto event = events_.lock(id);
        if (event) changes_.remember(*event);
        return event;
    }
    std::vector<Event> lock_of_user(UserId user) override {
        return remembered(events_.lock_of_user(user));
    }
    std::vector<Event> lock_behind(ScheduleId schedule, Version version,
                                   std::optional<EventId> after, std::size_t limit) override {
        return remembered(events_.lock_behind(schedule, version, after, limit));
    }
    std::uint64_t count_behind(ScheduleId schedule, Version version) override {
        return events_.count_behind(schedule, version);
    }
    std::vector<Event> unclaimed_of_endpoint(EndpointId endpoint, std::size_t limit) override {
        return events_.unclaimed_of_endpoint(endpoint, limit);
    }
    std::vector<Event> planned_by_rule(std::span<const ScheduleId> schedules) override {
        return events_.planned_by_rule(schedules);
    }
    std::uint64_t count_live_of_endpoint(EndpointId endpoint) override {
        return events_.count_live_of_endpoint(endpoint);
    }
    void update(const Event& changed) override {
        events_.update(changed);
        note_update(changed);
    }
    Result<void, DuplicateIdempotencyKey> update_key(const Event& changed,
                                                     const IdempotencyKey& old_key) override {
        auto updated = events_.update_key(changed, old_key);
        if (updated) note_update(changed);
        return updated;
    }
    void finish(const Event& finished) override {
        events_.finish(finished);
        if (status_of(finished) == EventStatus::cancelled) changes_.cancelled.push_back(finished);
    }
    void finish_dropped(const Event& cancelled) override {
        events_.finish_dropped(cancelled);
        ++changes_.dropped[cancelled.type];
    }
    Result<void, InvalidStateTransition> update_dismissed(const Event& changed,
                                                          Version held) override {
        return events_.update_dismissed(changed, held);
    }
    void erase_of_user(UserId user) override { events_.erase_of_user(user); }
    void forget_user(UserId user) override { events_.forget_user(user); }
    std::size_t unpark(std::optional<EndpointId> endpoint, std::size_t limit) override {
        return events_.unpark(endpoint, limit);
    }
    std::size_t expedite(EndpointId endpoint, WaitReason reason, std::size_t limit) override {
        return events_.expedite(endpoint, reason, limit);
    }
    bool has_live(const LiveQuery& query) override { return events_.has_live(query); }
    Page<Event> list(const EventQuery& query) override { return events_.list(query); }
    std::vector<Event> walk(const EventWalk& walk) override { return events_.walk(walk); }
    std::uint64_t count(const EventWalk& walk) override { return events_.count(walk); }
    DeadLetters dead_letters(DeadLettersBy by) override { return events_.dead_letters(by); }
    std::vector<AttemptRecord> attempts_of(EventId id) override { return events_.attempts_of(id); }
    BoundedCount count_like(const EventQuery& query, std::size_t most) override {
        return events_.count_like(query, most);
    }
    std::size_t count_ended(Instant from, std::optional<Instant> to, std::size_t most) override {
        return events_.count_ended(from, to, most);
    }
    Page<EndedAttempt> list_attempts(const AttemptQuery& query) override {
        return events_.list_attempts(query);
    }

private:
    std::vector<Event> remembered(std::vector<Event> events) {
        for (const Event& event : events) changes_.remember(event);
        return events;
    }
    /// Only changes of the due instant are reported.
    void note_update(const Event& changed) {
        const auto before = changes_.before.find(changed.id);
        if (before == changes_.before.end() || before->second.due == changed.due) return;
        changes_.moved.push_back({changed, before->second.due,
                                  cause_of(changed, before->second.planned_by, changes_.of_user)});
    }

    EventRepository& events_;
    Changes& changes_;
};

/// A move to another tz database has its reason in the EventMove, which follows the update.
class ObservedStorage::Tz final : public TzRepository {
public:
    Tz(TzRepository& tz, Changes& changes) : tz_(tz), changes_(changes) {}

    std::vector<ComputedWith> computed_with() override { return tz_.computed_with(); }
    std::vector<Event> list(const ComputedWith& pair, std::optional<EventId> after,
                            std::size_t limit) override {
        return tz_.list(pair, after, limit);
    }
    std::vector<Event> lock(const ComputedWith& pair, std::optional<EventId> after,
                            std::size_t limit) override {
        auto events = tz_.lock(pair, after, limit);
        for (const Event& event : events) changes_.remember(event);
        return events;
    }
    KnownClocks known_clocks(std::string_view release) override {
        return tz_.known_clocks(release);
    }
    void store_clocks(std::string_view release, const KnownClocks& clocks) override {
        tz_.store_clocks(release, clocks);
    }
    void add_move(const EventMove& move) override {
        tz_.add_move(move);
        if (!changes_.moved.empty() && changes_.moved.back().event.id == move.event)
            changes_.moved.back().reason = move.reason;
    }
    std::vector<EventMove> moves_of(EventId event) override { return tz_.moves_of(event); }

private:
    TzRepository& tz_;
    Changes& changes_;
};

/// Counts appended events and forwards all calls.
class ObservedStorage::Streams final : public EventStore {
public:
    Streams(EventStore& streams, Changes& changes) : streams_(streams), changes_(changes) {}

    StreamHead lock(const StreamId& stream) override { return streams_.lock(stream); }
    StreamHead find(const StreamId& stream) override { return streams_.find(stream); }
    Page<ListedStream> list(const StreamQuery& query) override { return streams_.list(query); }
    std::vector<KnownEvent> known(std::span<const Uuid> ids) override {
        return streams_.known(ids);
    }
    std::vector<std::uint64_t> append(std::span<const RecordedEvent> events) override {
        auto positions = streams_.append(events);
        changes_.appended[events.front().stream.aggregate_type] += events.size();
        return positions;
    }
    std::vector<RecordedEvent> read(const StreamId& stream, const StreamRange& range) override {
        return streams_.read(stream, range);
    }
    void set_archived(const StreamId& stream, bool archived) override {
        streams_.set_archived(stream, archived);
    }
    void truncate(const StreamId& stream, std::uint64_t before) override {
        streams_.truncate(stream, before);
    }
    void close(const StreamId& stream) override { streams_.close(stream); }
    bool redact(const StreamId& stream, std::uint64_t version, const std::string& data) override {
        return streams_.redact(stream, version, data);
    }
    std::optional<Snapshot> snapshot(const StreamId& stream) override {
        return streams_.snapshot(stream);
    }
    bool save_snapshot(const StreamId& stream, const Snapshot& snapshot) override {
        return streams_.save_snapshot(stream, snapshot);
    }

private:
    EventStore& streams_;
    Changes& changes_;
};

/// Counts skipped occurrences and forwards all calls.
class ObservedStorage::Skips final : public SkipRepository {
public:
    Skips(SkipRepository& skips, Changes& changes) : skips_(skips), changes_(changes) {}

    void add(const SkippedRun& run) override {
        skips_.add(run);
        changes_.skipped[run.reason] += run.count;
    }
    Page<SkippedRun> list(const SkipQuery& query) override { return skips_.list(query); }
    void remove_of_user(UserId user) override { skips_.remove_of_user(user); }
    void remove_of_schedule(ScheduleId schedule) override { skips_.remove_of_schedule(schedule); }

private:
    SkipRepository& skips_;
    Changes& changes_;
};

class ObservedStorage::Observed final : public Transaction {
public:
    Observed(Transaction& tx, Changes& changes)
        : tx_(tx),
          changes_(changes),
          events_(tx.events(), changes),
          tz_(tx.tz(), changes),
          streams_(tx.streams(), changes),
          skips_(tx.skips(), changes) {}

    Instant now() override { return tx_.now(); }
    UserRepository& users() override { return tx_.users(); }
    ScheduleRepository& schedules() override { return tx_.schedules(); }
    EndpointRepository& endpoints() override { return tx_.endpoints(); }
    CircuitRepository& circuits() override { return tx_.circuits(); }
    LimitRepository& limits() override { return tx_.limits(); }
    EventRepository& events() override { return events_; }
    InboxRepository& inbox() override { return tx_.inbox(); }
    SkipRepository& skips() override { return skips_; }
    TzRepository& tz() override { return tz_; }
    OperationRepository& operations() override { return tx_.operations(); }
    ApiKeyRepository& api_keys() override { return tx_.api_keys(); }
    CalendarRepository& calendars() override { return tx_.calendars(); }
    EventStore& streams() override { return streams_; }
    CheckpointStore& checkpoints() override { return tx_.checkpoints(); }
    LockRepository& locks() override { return tx_.locks(); }
    IdempotencyRepository& idempotency() override { return tx_.idempotency(); }
    OutboxProgress& outboxes() override { return tx_.outboxes(); }
    OutcomeQueue& outcomes() override { return tx_.outcomes(); }
    InstanceRepository& instances() override { return tx_.instances(); }
    StatsRepository& stats() override { return tx_.stats(); }
    SessionRepository& sessions() override { return tx_.sessions(); }
    IntakeRepository* intake() override { return tx_.intake(); }
    void record(const RecordedEvent& recorded) override {
        tx_.record(recorded);
        ++changes_.appended[recorded.stream.aggregate_type];
        changes_.of_user = changes_.of_user || recorded.stream.aggregate_type == own_stream::user;
    }

private:
    Transaction& tx_;
    Changes& changes_;
    Events events_;
    Tz tz_;
    Streams streams_;
    Skips skips_;
};

template <class Call>
auto ObservedStorage::timed(std::string_view operation, Call call) {
    struct Timer {
        std::string_view operation;
        const Ports& ports;
        std::chrono::microseconds began = ports.monotonic.now();
        ~Timer() { ports.observer.queried(operation, ports.monotonic.now() - began); }
    };
    const Timer timer{operation, ports_};
    return call();
}

template <class Call>
auto ObservedStorage::timed(std::string_view operation, std::vector<ClaimStep>& steps, Call call) {
    const auto began = ports_.monotonic.now();
    const auto note_time = [&] {
        for (ClaimStep& one : steps) one.took = ports_.monotonic.now() - began;
    };
    try {
        auto answer = timed(operation, call);
        note_time();
        return answer;
    } catch (...) {
        note_time();
        for (ClaimStep& one : steps) one.answer = ClaimStep::Answer::unknown;
        ports_.claims->write(steps);
        throw;
    }
}

void ObservedStorage::transact(const std::function<bool(Transaction&)>& work) {
    Changes changes;
    bool kept = false;
    timed("transact", [&] {
        ports_.store.transact([&](Transaction& tx) {
            changes = {};  // the work may run again
            Observed observed{tx, changes};
            return kept = work(observed);
        });
    });
    if (kept) after_commit([this, changes = std::move(changes)] { report(changes); });
}

void ObservedStorage::read(const std::function<void(Transaction&)>& work) {
    timed("read", [&] { ports_.store.read(work); });
}

std::optional<Appended> ObservedStorage::append_at_once(ExpectedVersion expected,
                                                        std::span<const RecordedEvent> batch) {
    const auto began = ports_.monotonic.now();
    const auto appended = ports_.store.append_at_once(expected, batch);
    if (!appended) return std::nullopt;  // the transaction that follows is counted instead
    ports_.observer.queried("append", ports_.monotonic.now() - began);
    Changes changes;
    changes.appended[batch.front().stream.aggregate_type] = batch.size();
    after_commit([this, changes = std::move(changes)] { report(changes); });
    return appended;
}

void ObservedStorage::report(const Changes& changes) {
    if (!changes.appended.empty() && appended_) appended_();
    for (const auto& [type, count] : changes.appended) ports_.observer.appended(type, count);
    for (const auto& [reason, count] : changes.skipped) ports_.observer.skipped(reason, count);
    for (const auto& [type, count] : changes.created) {
        ports_.observer.transition(type, EventStatus::pending, count);
    }
    for (const auto& [type, count] : changes.dropped) {
        ports_.observer.transition(type, EventStatus::cancelled, count);
    }
    for (const EventMoved& moved : changes.moved) ports_.log.write(rescheduled_line(moved));
    for (const Event& event : changes.cancelled) {
        ports_.observer.transition(event.type, EventStatus::cancelled, 1);
        ports_.log.write(cancelled_line(event, std::get<Cancelled>(event.state).reason));
    }
}

namespace {

using Op = ClaimStep::Op;
using Answer = ClaimStep::Answer;

ClaimStep step(Op op, EventId id, Version version) {
    return {.op = op, .answer = Answer::begun, .id = id, .version = version};
}

ClaimStep step_of(Op op, const Event& event) {
    ClaimStep made = step(op, event.id, event.version);
    made.attempt = event.attempt;
    made.event = &event;
    return made;
}

Answer answer_to(const Result<void, LeaseLost>& result) {
    return result.has_value() ? Answer::done : Answer::refused;
}

std::size_t refused_of(const std::vector<Result<void, LeaseLost>>& results) {
    const auto refused = std::ranges::count_if(
        results, [](const Result<void, LeaseLost>& result) { return !result.has_value(); });
    return static_cast<std::size_t>(refused);
}

}  // namespace

QueuePeek ObservedStorage::peek(std::span<const Lane> lanes, const DeadInstances& dead) {
    return timed("look", [&] { return ports_.queue.peek(lanes, dead); });
}

std::optional<Renewal> ObservedStorage::renew(InstanceId own) {
    const auto call = [&] { return ports_.queue.renew(own); };
    if (ports_.claims == nullptr) return timed("heartbeat", call);
    std::vector<ClaimStep> steps{{.op = Op::heartbeat, .answer = Answer::done}};
    auto renewal = timed("heartbeat", steps, call);
    if (renewal) ports_.claims->write(steps);
    return renewal;
}

void ObservedStorage::retire(InstanceId own) { ports_.queue.retire(own); }

template <class Call>
Claimed ObservedStorage::logged_claim(std::string_view operation, Call claim) {
    if (ports_.claims == nullptr) return timed(operation, claim);
    std::vector<ClaimStep> steps{{.op = Op::claim, .answer = Answer::begun}};
    Claimed claimed = timed(operation, steps, claim);
    const auto took = steps.front().took;
    steps.clear();
    for (const ClaimedEvent& one : claimed.events) {
        ClaimStep& made = steps.emplace_back(step_of(Op::claim, one.event));
        made.answer = Answer::done;
        made.took = took;
        made.previous_lost = one.previous_lost;
    }
    ports_.claims->write(steps);
    return claimed;
}

Claimed ObservedStorage::claim_ready(const ClaimRequest& request) {
    return logged_claim("claim_ready", [&] { return ports_.queue.claim_ready(request); });
}

Claimed ObservedStorage::claim_from_line(const LineRequest& request) {
    return logged_claim("claim_from_line", [&] { return ports_.queue.claim_from_line(request); });
}

void ObservedStorage::report_conflicts(std::string_view operation, std::size_t count) {
    if (count > 0) ports_.observer.conflicted(operation, count);
}

std::vector<Result<void, LeaseLost>> ObservedStorage::settle(
    std::span<const Settlement> settlements) {
    return settle_by(&EventQueue::settle, settlements);
}

std::vector<Result<void, LeaseLost>> ObservedStorage::settle_soon(
    std::span<const Settlement> settlements) {
    return settle_by(&EventQueue::settle_soon, settlements);
}

std::vector<Result<void, LeaseLost>> ObservedStorage::settle_by(
    SettleCall method, std::span<const Settlement> settlements) {
    auto results = settle_and_log(method, settlements);
    report_conflicts("settle", refused_of(results));
    return results;
}

std::vector<Result<void, LeaseLost>> ObservedStorage::settle_and_log(
    SettleCall method, std::span<const Settlement> settlements) {
    const auto call = [&] { return (ports_.queue.*method)(settlements); };
    if (ports_.claims == nullptr) return timed("settle", call);
    std::vector<ClaimStep> steps;
    for (const Settlement& one : settlements) {
        ClaimStep& made = steps.emplace_back(step(Op::settle, one.id, one.held));
        made.attempt = one.number;
        made.settlement = &one;
    }
    auto results = timed("settle", steps, call);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].answer = answer_to(results[i]);
    ports_.claims->write(steps);
    return results;
}

std::vector<Result<void, LeaseLost>> ObservedStorage::release_claims(
    std::span<const ReleasedClaim> released) {
    auto results = release_and_log(released);
    report_conflicts("release", refused_of(results));
    return results;
}

std::vector<Result<void, LeaseLost>> ObservedStorage::release_and_log(
    std::span<const ReleasedClaim> released) {
    const auto call = [&] { return ports_.queue.release_claims(released); };
    if (ports_.claims == nullptr) return timed("give_back", call);
    std::vector<ClaimStep> steps;
    for (const ReleasedClaim& one : released) {
        steps.emplace_back(step(Op::release, one.id, one.held)).attempt = one.number;
    }
    auto results = timed("give_back", steps, call);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].answer = answer_to(results[i]);
    ports_.claims->write(steps);
    return results;
}

std::vector<EventId> ObservedStorage::extend(std::span<const Held> held,
                                             std::chrono::microseconds lease) {
    auto lost = extend_and_log(held, lease);
    report_conflicts("extend", lost.size());
    return lost;
}

std::vector<EventId> ObservedStorage::extend_and_log(std::span<const Held> held,
                                                     std::chrono::microseconds lease) {
    const auto call = [&] { return ports_.queue.extend(held, lease); };
    if (ports_.claims == nullptr) return timed("extend", call);
    std::vector<ClaimStep> steps;
    for (const Held& one : held) steps.push_back(step(Op::extend, one.id, one.held));
    auto lost = timed("extend", steps, call);
    for (ClaimStep& one : steps) {
        const bool is_lost = std::ranges::find(lost, one.id) != lost.end();
        one.answer = is_lost ? Answer::refused : Answer::done;
    }
    ports_.claims->write(steps);
    return lost;
}

Backlog ObservedStorage::backlog(std::span<const Lane> lanes) {
    return timed("backlog", [&] { return ports_.queue.backlog(lanes); });
}

std::optional<Instant> ObservedStorage::first_missed(Instant from, Instant until,
                                                     std::span<const Lane> lanes) {
    return timed("first_missed", [&] { return ports_.queue.first_missed(from, until, lanes); });
}

QueueDepth ObservedStorage::depth() {
    return timed("depth", [&] { return ports_.queue.depth(); });
}

PullPeek ObservedStorage::peek(std::span<const EndpointId> endpoints) {
    return timed("look_to_pull", [&] { return ports_.pull_queue.peek(endpoints); });
}

Claimed ObservedStorage::claim(const PullRequest& request) {
    return timed("claim_to_pull", [&] { return ports_.pull_queue.claim(request); });
}

std::uint32_t ObservedStorage::held(EndpointId endpoint) {
    return timed("held_by_workers", [&] { return ports_.pull_queue.held(endpoint); });
}

void LoggedSends::started(const AttemptStarted& attempt_started) {
    const ClaimStep sends = step_of(Op::send, attempt_started.event);
    log_.write({&sends, 1});
}

}  // namespace sundial
