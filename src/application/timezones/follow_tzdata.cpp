#include "application/timezones/follow_tzdata.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "application/operations/operations.hpp"
#include "application/schedules/chain_planner.hpp"
#include "application/schedules/occurrences.hpp"
#include "base/check.hpp"

namespace sundial {
namespace {

/// The result of one transaction.
struct MovedBatch {
    std::optional<EventId> last;  // empty: no event is left
    std::size_t moved = 0;
    std::vector<EventId> dropped;  // without a new instant: they end one by one
    Instant earliest = never;
};

/// The events of one zone that were computed with one release.
class Following {
public:
    Following(const StalePair& stale, const TzData& data, Store& store, Ids& ids)
        : pair_(stale.pair), zone_(*stale.zone), data_(data), store_(store), ids_(ids) {}

    /// Locks events, and only reads their users and schedules. A transaction that changes one of
    /// those moves its events afterwards: it waits for this one, and its result stays.
    MovedBatch next_batch(std::optional<EventId> after) {
        MovedBatch batch;
        store_.transact([&](Transaction& tx) {
            batch = MovedBatch{};
            const auto events = tx.tz().lock(pair_, after, batch_size);
            InstantsByClock instants{tx, zone_, data_};
            for (const Event& event : events) {
                if (const Schedule* schedule = instants.to_follow(event)) {
                    follow_rule(tx, *schedule, event, batch);
                } else {
                    follow(tx, event, instants.of(event), batch);
                }
            }
            if (!events.empty()) batch.last = events.back().id;
            return true;
        });
        return batch;
    }

    /// Shares the user and the schedule, then locks the event, because this plans a new one.
    /// Returns whether it ended the event, and sets `earliest` to when the new one is claimable.
    bool drop(EventId id, Instant& earliest) {
        bool dropped = false;
        store_.transact([&](Transaction& tx) {
            dropped = false;
            const auto seen = tx.events().find(id);
            if (!seen) return false;
            const auto user = shared_user(tx, *seen);
            const auto schedule = shared_schedule(tx, *seen);
            const auto event = tx.events().lock(id);
            if (!event || !is_ours(*event) || InstantsByClock{tx, zone_, data_}.of(*event))
                return false;
            const std::string why = skip_reason(*event);
            const bool goes_on = schedule && event->occurrence->origin == Origin::rule &&
                                 (user || !schedule->per_user);
            if (goes_on) {
                tx.skips().add(skipped_run(*event, why, tx.now()));
                ChainPlanner planner{tx, user ? &*user : nullptr, data_, ids_};
                base::check(planner.cancel_and_go_on(&*schedule, *event, why).has_value());
                earliest = std::min(earliest, planner.earliest());
            } else {
                tx.events().finish(cancel(*event, tx.now(), why).value());
            }
            dropped = true;
            return true;
        });
        return dropped;
    }

private:
    void follow(Transaction& tx, const Event& event, std::optional<Instant> due,
                MovedBatch& batch) {
        if (!due) return batch.dropped.push_back(event.id);
        if (*due == event.due && event.tz_release == data_.release()) return;

        Event recomputed = event;
        recomputed.tz_release = data_.release();
        if (*due != event.due) recomputed.payload = rendered_again(tx, event, *due);
        const Event changed = retarget(std::move(recomputed), event.intent, *due, tx.now()).value();
        tx.events().update(changed);
        if (*due != event.due) keep_move(tx, event, changed, batch);
    }

    /// An event that follows elapsed time becomes the next occurrence of its rule.
    void follow_rule(Transaction& tx, const Schedule& schedule, const Event& event,
                     MovedBatch& batch) {
        const auto user = event.user ? tx.users().find(*event.user) : std::nullopt;
        ChainPlanner planner{tx, user ? &*user : nullptr, data_, ids_};
        const PlanChange change = planner.replace(schedule, event);
        const bool replaced = change == PlanChange::content || change == PlanChange::moment;
        if (!replaced) return follow(tx, event, event.due, batch);  // it was the last of its rule
        const auto changed = tx.events().find(event.id);
        base::check(changed.has_value());
        if (changed->due != event.due) keep_move(tx, event, *changed, batch);
    }

    void keep_move(Transaction& tx, const Event& before, const Event& after, MovedBatch& batch) {
        tx.tz().add_move({.event = before.id,
                          .version = after.version,
                          .before = before.due,
                          .after = after.due,
                          .reason = reason(),
                          .at = tx.now()});
        ++batch.moved;
        batch.earliest = std::min(batch.earliest, after.claimable_at);
    }

    /// A payload that contains the local time also contains its offset, so it is rendered again.
    /// Any other payload stays.
    std::string rendered_again(Transaction& tx, const Event& event, Instant due) {
        if (!event.occurrence) return event.payload;
        const auto schedule = tx.schedules().find(event.occurrence->schedule);
        const auto user = event.user ? tx.users().find(*event.user) : std::nullopt;
        if (!schedule || (schedule->per_user && !user) ||
            schedule->payload.find("{targetTimestampLocal}") == std::string::npos)
            return event.payload;
        return rendered_payload(schedule->payload, user ? &*user : nullptr, zone_,
                                event.occurrence->nominal.date, due);
    }

    [[nodiscard]] SkippedRun skipped_run(const Event& event, const std::string& why, Instant now) {
        return {.id = ids_.fresh(),
                .schedule = event.occurrence->schedule,
                .user = event.user,
                .reason = why,
                .first = event.due,
                .last = event.due,
                .next = std::nullopt,
                .recorded_at = now};
    }

    [[nodiscard]] std::string skip_reason(const Event& event) const {
        const auto kind =
            zone_.lookup(std::chrono::floor<std::chrono::seconds>(*event.intent.wall)).kind;
        if (kind == LocalLookup::Kind::gap) return "gap_skipped";
        return kind == LocalLookup::Kind::overlap ? "overlap_skipped" : "never_fires";
    }

    /// Checked after the lock: the event may have been claimed, moved or edited since it was found.
    [[nodiscard]] bool is_ours(const Event& event) const {
        return status_of(event) == EventStatus::pending && event.intent.wall &&
               event.intent.zone == pair_.zone;
    }

    static std::optional<User> shared_user(Transaction& tx, const Event& event) {
        if (!event.user) return std::nullopt;
        auto users = tx.users().share(std::vector{*event.user});
        return users.empty() ? std::nullopt : std::optional{std::move(users.front())};
    }
    static std::optional<Schedule> shared_schedule(Transaction& tx, const Event& event) {
        if (!event.occurrence) return std::nullopt;
        auto schedules = tx.schedules().share(std::vector{event.occurrence->schedule});
        return schedules.empty() ? std::nullopt : std::optional{std::move(schedules.front())};
    }

    [[nodiscard]] std::string reason() const {
        return "tzdb " + pair_.release + " -> " + data_.release();
    }

    const ComputedWith& pair_;
    const Zone& zone_;
    const TzData& data_;
    Store& store_;
    Ids& ids_;
};

}  // namespace

FollowedTzdata FollowTzdata::run(Takeover takeover, const std::stop_token& stop) {
    const auto data = zones_.current();
    const StaleClocks stale =
        in_read(store_, [&](Transaction& tx) { return stale_clocks(tx, *data, takeover); });
    FollowedTzdata total;
    total.newer = stale.newer;
    for (const StalePair& pair : stale.pairs) {
        total.before.insert(pair.pair.release);
        Following following{pair, *data, store_, ids_};
        for (std::optional<EventId> last;;) {
            if (stop.stop_requested()) {
                total.complete = false;
                return total;
            }
            MovedBatch batch = following.next_batch(last);
            if (!batch.last) break;
            last = batch.last;
            total.moved += batch.moved;
            for (const EventId event : batch.dropped) {
                if (following.drop(event, batch.earliest)) ++total.dropped;
            }
            if (batch.earliest != never) wakeups_.due_at(batch.earliest);
        }
    }
    remember(data, Remember::all_clocks);
    return total;
}

void FollowTzdata::remember() { remember(zones_.current(), Remember::unknown_clocks); }

void FollowTzdata::remember(const std::shared_ptr<const TzData>& data, Remember what) {
    if (data == remembered_) return;
    const std::string release = data->release();
    KnownClocks known;
    Instant now;
    store_.read([&](Transaction& tx) {
        known = tx.tz().known_clocks(release);
        now = tx.now();
    });
    KnownClocks recomputed;
    for (const std::string& name : data->names()) {
        const auto zone = data->find(name).value();
        const auto before = known.find(name);
        const bool agrees = before != known.end() && (what == Remember::unknown_clocks ||
                                                      fingerprint(*zone, before->second.since) ==
                                                          before->second.fingerprint);
        if (!agrees) recomputed.emplace(name, clock_of(*zone, now));
    }
    if (!recomputed.empty()) {
        store_.transact([&](Transaction& tx) {
            tx.tz().store_clocks(release, recomputed);
            return true;
        });
    }
    if (what == Remember::all_clocks) remembered_ = data;
}

namespace {

std::string listed(const std::set<std::string>& releases) {
    std::string text;
    for (const std::string& release : releases) text += (text.empty() ? "" : ", ") + release;
    return text;
}

}  // namespace

base::LogLine tzdb_changed_line(const std::set<std::string>& before, const std::string& release,
                                std::size_t moved) {
    return {.event_name = "tzdb.changed",
            .message = "another tz database is in effect",
            .correlation_id = {},
            .fields = {{"versions", listed(before) + " -> " + release},
                       {"movedCount", static_cast<std::int64_t>(moved)}}};
}

base::LogLine tzdb_behind_line(const std::set<std::string>& newer, const std::string& release) {
    return {.level = base::LogLevel::warn,
            .event_name = {},
            .message = "pending events were computed with tzdata " + listed(newer) +
                       ", which is newer than this instance's " + release + "; they stay unchanged",
            .correlation_id = {},
            .fields = {}};
}

}  // namespace sundial
