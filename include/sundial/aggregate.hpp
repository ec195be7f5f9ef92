#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sundial/retry.hpp"
#include "sundial/streams.hpp"

#pragma GCC visibility push(default)

/// Event-sourced aggregates: the state of an aggregate is computed from its recorded events. Yours
/// are plain values:
///
///     struct Order {
///         using Event = std::variant<Placed, Shipped>;
///         static constexpr const char* type = "Order";
///         static sundial::NewRecordedEvent record(const Event&);
///         static std::optional<Event> recall(const sundial::RecordedEvent&);  // empty: unknown
///         void apply(const Event&);
///     };
///     sundial::AggregateRepository<Order> orders{engine->streams()};
///     using Decision = sundial::Result<std::vector<Order::Event>>;
///     const auto done = orders.execute("17", [](const Order& order) -> Decision {
///         if (order.shipped) return sundial::Error{"ALREADY_SHIPPED", "it is on its way"};
///         return std::vector<Order::Event>{Shipped{}};
///     });
///     if (!done) return report(done.error().detail);
///
/// `recall` may also return `Result<Event>`, whose error the load then returns. `EventTypes` of
/// `sundial/event_types.hpp` writes both functions from a list of types.
namespace sundial {

template <class A>
concept Aggregate =
    std::default_initializable<A> &&
    requires(A state, const typename A::Event& event, const RecordedEvent& kept) {
        { A::type } -> std::convertible_to<std::string>;
        { A::record(event) } -> std::same_as<NewRecordedEvent>;
        requires std::same_as<decltype(A::recall(kept)), std::optional<typename A::Event>> ||
                     std::same_as<decltype(A::recall(kept)), Result<typename A::Event>>;
        state.apply(event);
    };
/// An aggregate whose state can be saved as a snapshot. A snapshot is restored only if its
/// `state_version` is this one and `restore` returns a state.
template <class A>
concept Snapshotted = Aggregate<A> && requires(const A state, const std::string& json) {
    { A::state_version } -> std::convertible_to<std::uint32_t>;
    { state.save() } -> std::same_as<std::string>;
    { A::restore(json) } -> std::same_as<std::optional<A>>;
};

/// Converts stored events to today's schema version, one version at a time. The stored events do
/// not change.
class Upcasters {
public:
    /// Computes the data of the next schema version from the data of version `from` alone.
    using Upcast = std::function<std::string(const std::string& data)>;
    /// Registers the step of `type` from version `from` to the next. Returns this object. Not
    /// thread-safe.
    Upcasters& add(const std::string& type, std::uint32_t from, Upcast upcast) {
        steps_.insert_or_assign({type, from}, std::move(upcast));
        return *this;
    }
    /// The event with today's data and schema version. Thread-safe.
    [[nodiscard]] RecordedEvent apply(RecordedEvent event) const {
        for (auto step = steps_.find({event.type, event.schema_version}); step != steps_.end();
             step = steps_.find({event.type, event.schema_version})) {
            event.data = step->second(event.data);
            ++event.schema_version;
        }
        return event;
    }

private:
    std::map<std::pair<std::string, std::uint32_t>, Upcast> steps_;
};

/// A loaded aggregate, with the changes made since.
template <Aggregate A>
struct Loaded {
    std::string id;                               // of the aggregate
    A state{};                                    // with all events applied, uncommitted ones too
    std::uint64_t version = 0;                    // of `state`, uncommitted events included
    std::vector<NewRecordedEvent> uncommitted{};  // raised since it was loaded

    /// Applies the event to the state here; `save` stores it.
    void raise(const typename A::Event& event) {
        state.apply(event);
        uncommitted.push_back(A::record(event));
        ++version;
    }
};

/// How to handle new events when another writer has appended first.
enum class Resolution : std::uint8_t {
    rebase,  // append them after the other writer's events: only for pairs that commute
    retry,   // run the command again
    fail     // return the conflict to the caller
};
/// Chooses, by both sides’ events, oldest first.
using ConflictResolver = std::function<Resolution(const std::vector<NewRecordedEvent>& mine,
                                                  const std::vector<RecordedEvent>& theirs)>;

/// How `execute` handles concurrent changes of the same aggregate.
struct Execution {
    RetryRules retry{};  // how often and after which delays a command runs again
    /// After this number of conflicts, one more attempt holds a lock on the stream while it rebases
    /// and saves, or while the command runs and saves. No conflict can end that attempt. 0: never.
    unsigned pessimistic_after = 0;
    ConflictResolver resolve{};  // asked after each conflict; empty: retry
};

/// The result of a command.
template <Aggregate A>
struct Executed {
    A state;                    // after the command
    std::uint64_t version = 0;  // of the stream, in which the command is stored
    unsigned attempts = 0;      // runs of the command, from 1
};

namespace detail {

/// The last state seen of each of the most recently used aggregates. Thread-safe.
template <class A>
class SeenVersions {
public:
    struct Seen {
        A state{};
        std::uint64_t version = 0;
        std::string event_id{};  // of the event at that version
    };
    explicit SeenVersions(std::size_t most) : most_(most) {}

    [[nodiscard]] std::optional<Seen> find(const std::string& id) {
        const std::lock_guard lock(mutex_);
        const auto found = places_.find(id);
        if (found == places_.end()) return std::nullopt;
        used_.splice(used_.begin(), used_, found->second);
        return found->second->second;
    }
    void keep(const std::string& id, Seen seen) {
        if (most_ == 0) return;
        const std::lock_guard lock(mutex_);
        if (const auto found = places_.find(id); found != places_.end()) {
            found->second->second = std::move(seen);
            used_.splice(used_.begin(), used_, found->second);
            return;
        }
        used_.emplace_front(id, std::move(seen));
        places_.emplace(id, used_.begin());
        if (used_.size() <= most_) return;
        places_.erase(used_.back().first);
        used_.pop_back();
    }
    void drop(const std::string& id) {
        const std::lock_guard lock(mutex_);
        const auto found = places_.find(id);
        if (found == places_.end()) return;
        used_.erase(found->second);
        places_.erase(found);
    }

private:
    using Used = std::list<std::pair<std::string, Seen>>;  // the most recently used first
    const std::size_t most_;
    std::mutex mutex_;  // guards all below
    Used used_;
    std::map<std::string, typename Used::iterator> places_;
};

}  // namespace detail

/// Loads and saves aggregates. Copies share the states that they have seen. Thread-safe if A's
/// functions are.
template <Aggregate A>
class AggregateRepository {
public:
    /// The settings of a repository.
    struct Settings {
        Upcasters upcasters{};             // for events of older schema versions
        std::uint64_t snapshot_every = 0;  // in versions; 0: never. For aggregates with snapshots
        /// The number of aggregates whose last state seen is kept in memory; 0: none. A load then
        /// reads from that version on: that event itself, to recognise another history, such as
        /// that of a restored backup, and the newer ones. So a state is never older than the
        /// stream. The effect of a `redact` on a kept state shows after it was evicted, or in
        /// another repository.
        std::size_t keep_versions = 0;
        Timing* timing = nullptr;  // null: the machine's clock
    };
    /// With the default settings.
    explicit AggregateRepository(Streams streams) : AggregateRepository(std::move(streams), {}) {}
    /// The engine of `streams` must outlive it.
    AggregateRepository(Streams streams, Settings settings)
        : streams_(std::move(streams)),
          settings_(std::move(settings)),
          seen_(std::make_shared<detail::SeenVersions<A>>(settings_.keep_versions)) {}

    /// Errors: AGGREGATE_NOT_FOUND, UNKNOWN_EVENT_TYPE, STREAM_DELETED.
    [[nodiscard]] Result<Loaded<A>> load(const std::string& id) {
        auto loaded = load_from(streams_, id);
        if (loaded && loaded->version == 0) {
            return Error{"AGGREGATE_NOT_FOUND",
                         "there is no " + std::string{A::type} + " '" + id + "'"};
        }
        return loaded;
    }
    /// The aggregate as it was at that version, computed from its events alone. Errors: as above;
    /// also AGGREGATE_NOT_FOUND if it has not reached that version.
    [[nodiscard]] Result<Loaded<A>> load_at(const std::string& id, std::uint64_t version) {
        Loaded<A> loaded{.id = id};
        for (bool more = version > 0; more;) {
            const StreamRange rest{.from = loaded.version + 1, .to = version};
            const auto part = streams_.read(stream(id), rest);
            if (!part) return part.error();
            if (auto applied = apply(loaded, *part); !applied) return applied.error();
            more = part->events.size() == rest.limit && loaded.version < version;
        }
        if (loaded.version < version || version == 0) {
            return Error{"AGGREGATE_NOT_FOUND", "there is no version " + std::to_string(version) +
                                                    " of " + std::string{A::type} + " '" + id +
                                                    "'"};
        }
        return loaded;
    }
    /// Stores the uncommitted events if no other writer has appended since the load. After an error
    /// `changed` is unchanged and can be saved again: events that were stored despite the error are
    /// not stored twice. Errors: those of an append.
    [[nodiscard]] Result<Done> save(Loaded<A>& changed) {
        if (changed.uncommitted.empty()) return Done{};
        name(changed.uncommitted);
        const auto appended = streams_.append(
            stream(changed.id), Expected::exactly(before(changed)), changed.uncommitted);
        if (!appended) return appended.error();
        const std::string last = changed.uncommitted.back().id;
        changed.uncommitted.clear();
        keep_seen(changed, last);
        keep_snapshot(changed, *appended);
        return Done{};
    }
    /// Runs `command` on the current aggregate (a new one if there is none) and stores the events
    /// that it returns, if any. After a conflict it runs the command again, three times by default
    /// and without a lock. Errors: those of the command, which end the call; those of an append,
    /// with the number of attempts.
    template <class Command>
    [[nodiscard]] Result<Executed<A>> execute(const std::string& id, Command&& command,
                                              const Execution& how = {});
    /// Snapshots that could not be used: unreadable, of another state version, or beyond the
    /// stream's version.
    [[nodiscard]] std::uint64_t snapshots_ignored() const { return *snapshots_ignored_; }

private:
    /// Why one attempt failed.
    struct Failure {
        Error error;
        bool passing;  // another attempt may succeed
    };
    static StreamId stream(const std::string& id) { return {A::type, id}; }
    static std::uint64_t before(const Loaded<A>& changed) {
        return changed.version - changed.uncommitted.size();
    }
    static bool is_conflict(const Error& error) { return error.code == "OPTIMISTIC_LOCK"; }
    /// The append may have been committed: saving the same events again stores them once.
    static bool is_unknown(const Error& error) { return error.code == "COMMIT_OUTCOME_UNKNOWN"; }
    static Failure failure(const Error& error) {
        return {error, RetryErrors<Error>::passing(error) || is_unknown(error)};
    }

    /// Each event gets its id once, so that the same events can be saved again.
    void name(std::vector<NewRecordedEvent>& events) {
        for (NewRecordedEvent& event : events) {
            if (event.id.empty()) event.id = streams_.fresh_id();
        }
    }
    template <class Reader>
    [[nodiscard]] Loaded<A> begin(Reader& reader, const std::string& id);
    /// From the last version seen. Empty: there is none, or the stream has another history.
    template <class Reader>
    [[nodiscard]] Result<std::optional<Loaded<A>>> load_seen(Reader& reader, const std::string& id);
    /// Reads the events after `loaded` and applies them, until the end of the stream. Empty: the
    /// stream ends before that version.
    template <class Reader>
    [[nodiscard]] Result<std::optional<Loaded<A>>> finish(Reader& reader, Loaded<A> loaded);
    void keep_seen(const Loaded<A>& loaded, const std::string& event_id);
    template <class Reader>
    [[nodiscard]] Result<Loaded<A>> load_from(Reader& reader, const std::string& id);
    /// Applies the next recorded events.
    [[nodiscard]] Result<Done> apply(Loaded<A>& loaded, const StreamPart& part);
    /// Runs the command and raises the events that it returns.
    template <class Command>
    [[nodiscard]] Result<Done> decide(Loaded<A>& loaded, Command& command);
    /// Saves `mine` if set, otherwise the command's new decision, which is left in `mine`. Empty:
    /// it is stored.
    template <class Command>
    [[nodiscard]] std::optional<Failure> try_once(const std::string& id,
                                                  std::optional<Loaded<A>>& mine, Command& command);
    /// The events to save after a conflict; empty: the command runs again. Errors: those to return
    /// to the caller.
    [[nodiscard]] Result<std::optional<Loaded<A>>> after_conflict(const Loaded<A>& mine,
                                                                  const Execution& how,
                                                                  const Error& conflict);
    template <class Reader>
    [[nodiscard]] Result<Loaded<A>> rebased(Reader& reader, const Loaded<A>& mine);
    /// Saves `mine` if set, otherwise the command's new decision, while no other writer can append.
    template <class Command>
    [[nodiscard]] Result<Executed<A>> execute_locked(const std::string& id,
                                                     const std::optional<Loaded<A>>& mine,
                                                     Command& command, unsigned attempts);
    void keep_snapshot(const Loaded<A>& saved, const Appended& appended);

    Streams streams_;
    Settings settings_;
    std::shared_ptr<detail::SeenVersions<A>> seen_;
    std::shared_ptr<std::atomic<std::uint64_t>> snapshots_ignored_ =
        std::make_shared<std::atomic<std::uint64_t>>(0);
};

template <Aggregate A>
template <class Reader>
Loaded<A> AggregateRepository<A>::begin(Reader& reader, const std::string& id) {
    Loaded<A> loaded{.id = id};
    if constexpr (Snapshotted<A>) {
        const auto kept = reader.snapshot(stream(id));
        if (kept && !*kept) return loaded;
        std::optional<A> state;
        if (kept && (*kept)->schema_version == A::state_version) {
            state = A::restore((*kept)->state);
        }
        if (state) {
            loaded.state = *std::move(state);
            loaded.version = (*kept)->version;
        } else {
            ++*snapshots_ignored_;
        }
    }
    return loaded;
}

template <Aggregate A>
template <class Reader>
Result<Loaded<A>> AggregateRepository<A>::load_from(Reader& reader, const std::string& id) {
    auto seen = load_seen(reader, id);
    if (!seen) return seen.error();
    if (*seen) return **std::move(seen);
    auto loaded = finish(reader, begin(reader, id));
    if (loaded && !*loaded) {  // the snapshot belongs to another history
        ++*snapshots_ignored_;
        loaded = finish(reader, Loaded<A>{.id = id});
    }
    if (!loaded) return loaded.error();
    return **std::move(loaded);
}

template <Aggregate A>
template <class Reader>
Result<std::optional<Loaded<A>>> AggregateRepository<A>::load_seen(Reader& reader,
                                                                   const std::string& id) {
    if constexpr (std::copy_constructible<A>) {
        auto seen = seen_->find(id);
        if (!seen) return std::optional<Loaded<A>>{};
        const StreamRange rest{.from = seen->version};
        auto part = reader.read(stream(id), rest);
        if (!part) return part.error();
        if (part->events.empty() || part->events.front().id != seen->event_id) {
            seen_->drop(id);
            return std::optional<Loaded<A>>{};
        }
        const bool more = part->events.size() == rest.limit;
        part->events.erase(part->events.begin());
        Loaded<A> loaded{.id = id, .state = std::move(seen->state), .version = seen->version};
        if (auto applied = apply(loaded, *part); !applied) return applied.error();
        if (!part->events.empty()) keep_seen(loaded, part->events.back().id);
        if (more) return finish(reader, std::move(loaded));
        return std::optional{std::move(loaded)};
    } else {
        return std::optional<Loaded<A>>{};
    }
}

template <Aggregate A>
template <class Reader>
Result<std::optional<Loaded<A>>> AggregateRepository<A>::finish(Reader& reader, Loaded<A> loaded) {
    std::string last;
    for (bool more = true; more;) {
        const StreamRange rest{.from = loaded.version + 1};
        const auto part = reader.read(stream(loaded.id), rest);
        if (!part) return part.error();
        if (part->version < loaded.version) return std::optional<Loaded<A>>{};
        if (auto applied = apply(loaded, *part); !applied) return applied.error();
        if (!part->events.empty()) last = part->events.back().id;
        more = part->events.size() == rest.limit;
    }
    if (!last.empty()) keep_seen(loaded, last);
    return std::optional{std::move(loaded)};
}

template <Aggregate A>
void AggregateRepository<A>::keep_seen(const Loaded<A>& loaded, const std::string& event_id) {
    if constexpr (std::copy_constructible<A>) {
        if (settings_.keep_versions == 0) return;
        seen_->keep(loaded.id, {loaded.state, loaded.version, event_id});
    }
}

template <Aggregate A>
Result<Done> AggregateRepository<A>::apply(Loaded<A>& loaded, const StreamPart& part) {
    const std::string name = std::string{A::type} + " '" + loaded.id + "'";
    if (part.truncated_before > loaded.version + 1) {
        return Error{"INTERNAL_ERROR", "the events of " + name + " before version " +
                                           std::to_string(part.truncated_before) +
                                           " are erased, and no snapshot of them can be read"};
    }
    for (const RecordedEvent& kept : part.events) {
        const RecordedEvent today = settings_.upcasters.apply(kept);
        const auto event = A::recall(today);
        if (!event) {
            if constexpr (std::is_same_v<decltype(A::recall(today)), Result<typename A::Event>>) {
                return event.error();
            } else {
                return Error{"UNKNOWN_EVENT_TYPE", name + " has an event of unknown type '" +
                                                       today.type + "' in schema version " +
                                                       std::to_string(today.schema_version)};
            }
        }
        loaded.state.apply(*event);
        loaded.version = kept.version;
    }
    return Done{};
}

template <Aggregate A>
template <class Command>
Result<Done> AggregateRepository<A>::decide(Loaded<A>& loaded, Command& command) {
    const Result<std::vector<typename A::Event>> decided = command(std::as_const(loaded.state));
    if (!decided) return decided.error();
    for (const auto& event : *decided) loaded.raise(event);
    name(loaded.uncommitted);
    return Done{};
}

/// One run of the command, and its save.
template <Aggregate A>
template <class Command>
auto AggregateRepository<A>::try_once(const std::string& id, std::optional<Loaded<A>>& mine,
                                      Command& command) -> std::optional<Failure> {
    if (!mine) {
        auto loaded = load_from(streams_, id);
        if (!loaded) return failure(loaded.error());
        if (auto decided = decide(*loaded, command); !decided) {
            return Failure{decided.error(), false};
        }
        mine = *std::move(loaded);
    }
    if (auto saved = save(*mine); !saved) return failure(saved.error());
    return std::nullopt;
}

template <Aggregate A>
Result<std::optional<Loaded<A>>> AggregateRepository<A>::after_conflict(const Loaded<A>& mine,
                                                                        const Execution& how,
                                                                        const Error& conflict) {
    if (!how.resolve) return std::optional<Loaded<A>>{};
    const auto theirs = streams_.read(stream(mine.id), {.from = before(mine) + 1});
    if (!theirs) return theirs.error();
    switch (how.resolve(mine.uncommitted, theirs->events)) {
        case Resolution::rebase: {
            auto fresh = rebased(streams_, mine);
            if (!fresh) return fresh.error();
            return std::optional{*std::move(fresh)};
        }
        case Resolution::fail:
            return conflict;
        case Resolution::retry:
            break;
    }
    return std::optional<Loaded<A>>{};
}

/// The same uncommitted events on top of the current state.
template <Aggregate A>
template <class Reader>
Result<Loaded<A>> AggregateRepository<A>::rebased(Reader& reader, const Loaded<A>& mine) {
    auto fresh = load_from(reader, mine.id);
    if (!fresh) return fresh;
    for (const NewRecordedEvent& event : mine.uncommitted) {
        const auto known = A::recall({.stream = stream(mine.id),
                                      .type = event.type,
                                      .schema_version = event.schema_version,
                                      .data = event.data});
        if (known) fresh->state.apply(*known);
        fresh->uncommitted.push_back(event);
        ++fresh->version;
    }
    return fresh;
}

template <Aggregate A>
template <class Command>
Result<Executed<A>> AggregateRepository<A>::execute(const std::string& id, Command&& command,
                                                    const Execution& how) {
    using Errors = RetryErrors<Error>;
    if (auto defect = defect_of(how.retry)) return Errors::invalid(*std::move(defect));
    Retries retries{how.retry, settings_.timing ? *settings_.timing : real_timing()};
    std::optional<Loaded<A>> mine;  // decided, not stored yet
    for (unsigned conflicts = 0;;) {
        const auto failed = try_once(id, mine, command);
        if (!failed) return Executed<A>{mine->state, mine->version, retries.attempts()};
        if (!failed->passing) return failed->error;
        if (is_conflict(failed->error)) {
            auto next =
                after_conflict(*mine, how, Errors::after(failed->error, retries.attempts()));
            if (!next) return next.error();
            mine = *std::move(next);
            if (++conflicts == how.pessimistic_after) {
                return execute_locked(id, mine, command, retries.attempts() + 1);
            }
        } else if (!is_unknown(failed->error)) {
            mine.reset();
        }
        switch (retries.wait()) {
            case Retries::Next::again:
                break;
            case Retries::Next::over: {
                Error last = Errors::after(failed->error, retries.attempts());
                last.detail += " (attempts: " + std::to_string(retries.attempts()) + ")";
                return last;
            }
            case Retries::Next::stopped:
                return Errors::stopped();
        }
    }
}

template <Aggregate A>
template <class Command>
Result<Executed<A>> AggregateRepository<A>::execute_locked(const std::string& id,
                                                           const std::optional<Loaded<A>>& mine,
                                                           Command& command, unsigned attempts) {
    std::optional<Executed<A>> done;
    const auto worked = streams_.locked(stream(id), [&](Transaction& tx) -> Result<Done> {
        auto loaded = mine ? rebased(tx, *mine) : load_from(tx, id);
        if (!loaded) return loaded.error();
        if (!mine) {
            if (auto decided = decide(*loaded, command); !decided) return decided.error();
        }
        if (!loaded->uncommitted.empty()) {
            const auto appended =
                tx.append(stream(id), Expected::exactly(before(*loaded)), loaded->uncommitted);
            if (!appended) return appended.error();
        }
        done = Executed<A>{std::move(loaded->state), loaded->version, attempts};
        return Done{};
    });
    if (!worked) return worked.error();
    return *std::move(done);
}

/// A snapshot only saves time: if it cannot be saved, the events are still stored.
template <Aggregate A>
void AggregateRepository<A>::keep_snapshot(const Loaded<A>& saved, const Appended& appended) {
    if constexpr (Snapshotted<A>) {
        const std::uint64_t every = settings_.snapshot_every;
        if (every == 0 || appended.last_version / every == (appended.first_version - 1) / every) {
            return;
        }
        static_cast<void>(
            streams_.save_snapshot(stream(saved.id), {.version = saved.version,
                                                      .schema_version = A::state_version,
                                                      .state = saved.state.save()}));
    }
}

}  // namespace sundial

#pragma GCC visibility pop
