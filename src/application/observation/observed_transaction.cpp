#include "application/observation/observed_transaction.hpp"

#include <optional>
#include <span>
#include <utility>

#include "application/streams/append_to_stream.hpp"

namespace sundial {
namespace {

std::string cause_of(const Event& after, Version planned_by, bool of_user) {
    if (of_user) return "user changed";
    const bool by_schedule = after.occurrence && after.occurrence->schedule_version != planned_by;
    return by_schedule ? "schedule changed" : "changed on request";
}

/// Records changes and forwards all calls.
class ObservedEvents final : public EventRepository {
public:
    ObservedEvents(EventRepository& events, TransactionChanges& changes)
        : events_(events), changes_(changes) {}

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
    PlannedCounts count_planned(const PlannedQuery& query) override {
        return events_.count_planned(query);
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
    std::size_t count_executed(Instant from, std::optional<Instant> to, std::size_t most) override {
        return events_.count_executed(from, to, most);
    }
    Page<EndedAttempt> list_attempts(const AttemptQuery& query) override {
        return events_.list_attempts(query);
    }

private:
    std::vector<Event> remembered(std::vector<Event> events) {
        for (const Event& event : events) changes_.remember(event);
        return events;
    }
    /// Log lines are only for changes of the due instant.
    void note_update(const Event& changed) {
        changes_.updated.push_back({changed.id, changed.version});
        const auto before = changes_.before.find(changed.id);
        if (before == changes_.before.end() || before->second.due == changed.due) return;
        changes_.moved.push_back({changed, before->second.due,
                                  cause_of(changed, before->second.planned_by, changes_.of_user)});
    }

    EventRepository& events_;
    TransactionChanges& changes_;
};

/// A move to another tz database has its reason in the EventMove, which follows the update.
class ObservedTz final : public TzRepository {
public:
    ObservedTz(TzRepository& tz, TransactionChanges& changes) : tz_(tz), changes_(changes) {}

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
    TransactionChanges& changes_;
};

/// Counts appended events and forwards all calls.
class ObservedStreams final : public EventStore {
public:
    ObservedStreams(EventStore& streams, TransactionChanges& changes)
        : streams_(streams), changes_(changes) {}

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
    TransactionChanges& changes_;
};

/// Counts skipped occurrences and forwards all calls.
class ObservedSkips final : public SkipRepository {
public:
    ObservedSkips(SkipRepository& skips, TransactionChanges& changes)
        : skips_(skips), changes_(changes) {}

    void add(const SkippedRun& run) override {
        skips_.add(run);
        changes_.skipped[run.reason] += run.count;
    }
    Page<SkippedRun> list(const SkipQuery& query) override { return skips_.list(query); }
    void remove_of_user(UserId user) override { skips_.remove_of_user(user); }
    void remove_of_schedule(ScheduleId schedule) override { skips_.remove_of_schedule(schedule); }

private:
    SkipRepository& skips_;
    TransactionChanges& changes_;
};

class ObservedTransaction final : public Transaction {
public:
    ObservedTransaction(Transaction& tx, TransactionChanges& changes)
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
    TransactionChanges& changes_;
    ObservedEvents events_;
    ObservedTz tz_;
    ObservedStreams streams_;
    ObservedSkips skips_;
};

}  // namespace

bool run_observed(Transaction& tx, const std::function<bool(Transaction&)>& work,
                  TransactionChanges& changes) {
    ObservedTransaction observed{tx, changes};
    return work(observed);
}

}  // namespace sundial
