#include "application/replan_schedule.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "application/chain_planner.hpp"
#include "base/check.hpp"

namespace sundial {
namespace {

/// Events of one transaction: some 100 ms, in which claims go round them.
constexpr std::size_t batch_size = 200;

/// How far the work on one version of the schedule has come: through its events, then through the
/// users whose chain may have come to an end.
struct Progress {
    std::optional<Version> version;
    std::optional<EventId> last;
    bool events_done = false;
    std::optional<UserId> last_user;
};

/// What one transaction did.
struct Batch {
    bool up_to_date = false;  // nothing of this schedule is behind
    bool last = false;        // nothing is left for `progress.version`
    Progress progress;
    std::size_t changed = 0;
    std::vector<EventId> dropped;  // without an occurrence by the new rule: they end one by one
    Instant earliest = never;
};

/// It came due and found no endpoint, or the schedule paused; now it has one and goes on.
bool may_go(const Schedule& schedule, const Event& event) {
    return schedule.enabled && (schedule.endpoint || event.endpoint) &&
           status_of(event) == EventStatus::processing && event.claimable_at == never;
}

class Replanning {
public:
    Replanning(ScheduleId schedule, Store& store, const TimeZones& zones, Ids& ids)
        : id_(schedule), store_(store), zones_(zones), ids_(ids) {}

    /// Shares the schedule, locks events, and only reads their users: whoever changes one of them
    /// moves its events after that, so waits for us and has the last word.
    Batch next_batch(const Progress& progress) {
        if (progress.events_done) return next_beginnings(progress);
        Batch batch;
        store_.transact([&](Transaction& tx) {
            batch = Batch{};
            const auto schedule = shared(tx);
            batch.up_to_date = !schedule || schedule->planned_version == schedule->version;
            if (batch.up_to_date) return true;
            batch.progress.version = schedule->version;
            if (progress.version == schedule->version) batch.progress.last = progress.last;
            const auto events =
                tx.events().lock_behind(id_, schedule->version, batch.progress.last, batch_size);
            for (const Event& event : events) bring(tx, *schedule, event, batch);
            batch.progress.events_done = events.empty();
            if (!events.empty()) batch.progress.last = events.back().id;
            return true;
        });
        return batch;
    }

    /// Shares users, then the schedule: whoever has no next event gets one.
    Batch next_beginnings(const Progress& progress) {
        Batch batch;
        store_.transact([&](Transaction& tx) {
            batch = Batch{};
            const auto users = tx.users().share_after(progress.last_user, batch_size);
            const auto schedule = shared(tx);
            batch.up_to_date = !schedule || schedule->planned_version == schedule->version;
            if (batch.up_to_date) return true;
            batch.progress.version = schedule->version;
            if (progress.version != schedule->version) return true;  // edited: begin anew
            batch.progress = progress;
            if (schedule->per_user) {
                for (const User& user : users) begin(tx, *schedule, &user, batch);
                if (!users.empty()) batch.progress.last_user = users.back().id;
            } else {
                begin(tx, *schedule, nullptr, batch);
            }
            batch.last = !schedule->per_user || users.empty();
            return true;
        });
        return batch;
    }

    /// Shares the user and the schedule, then locks the event, since this plans a new one. Returns
    /// when that is claimable.
    Instant drop(EventId id) {
        Instant earliest = never;
        store_.transact([&](Transaction& tx) {
            earliest = never;
            const auto seen = tx.events().find(id);
            if (!seen) return false;
            const auto users =
                seen->user ? tx.users().share(std::vector{*seen->user}) : std::vector<User>{};
            const auto schedule = shared(tx);
            const auto event = tx.events().lock(id);
            if (!schedule || !event || status_of(*event) != EventStatus::pending) return false;
            const User* user = users.empty() ? nullptr : &users.front();
            const auto zones = zones_.current();
            if (!has_place(*schedule, user, *zones)) return false;
            ChainPlanner planner{tx, user, *zones, ids_};
            if (planner.follow_rule(*schedule, *event) == PlanChange::dropped) {
                planner.drop(&*schedule, *event);
            }
            earliest = planner.earliest();
            return true;
        });
        return earliest;
    }

    /// Locks the schedule. False if it was edited again meanwhile.
    bool finish(Version version) {
        bool finished = false;
        store_.transact([&](Transaction& tx) {
            auto schedule = tx.schedules().lock(id_);
            finished = schedule && schedule->version == version;
            if (!finished) return false;
            schedule->planned_version = version;
            tx.schedules().update(*schedule);
            return true;
        });
        return finished;
    }

private:
    std::optional<Schedule> shared(Transaction& tx) {
        const auto schedules = tx.schedules().share(std::vector{id_});
        return schedules.empty() ? std::nullopt : std::optional{schedules.front()};
    }

    void bring(Transaction& tx, const Schedule& schedule, const Event& event, Batch& batch) {
        if (may_go(schedule, event)) {
            let_go(tx, schedule, event, batch);
        } else if (status_of(event) == EventStatus::pending && !event.retry_of &&
                   event.occurrence->origin == Origin::rule) {
            follow(tx, schedule, event, batch);
        }
    }

    static void let_go(Transaction& tx, const Schedule& schedule, const Event& event,
                       Batch& batch) {
        auto gone = hasten(event, tx.now());
        base::check(gone.has_value());
        if (!gone->endpoint) gone->endpoint = schedule.endpoint;
        gone->occurrence->schedule_version = schedule.version;
        tx.events().update(*gone);
        batch.earliest = std::min(batch.earliest, gone->claimable_at);
        ++batch.changed;
    }

    /// The user, if it needs one, is there, and the zone: where that has left the tz database, what
    /// was planned is the best we know.
    static bool has_place(const Schedule& schedule, const User* user, const TzData& zones) {
        if (schedule.per_user) return user && zones.find(user->timezone);
        return zones.find(schedule.timezone.value_or("UTC")).has_value();
    }

    void begin(Transaction& tx, const Schedule& schedule, const User* user, Batch& batch) {
        const auto zones = zones_.current();
        ChainPlanner planner{tx, user, *zones, ids_};
        planner.begin_again(schedule);
        batch.earliest = std::min(batch.earliest, planner.earliest());
    }

    void follow(Transaction& tx, const Schedule& schedule, const Event& event, Batch& batch) {
        const auto found = event.user ? tx.users().find(*event.user) : std::nullopt;
        const User* user = found ? &*found : nullptr;
        const auto zones = zones_.current();
        if (!has_place(schedule, user, *zones)) return;
        ChainPlanner planner{tx, user, *zones, ids_};
        switch (planner.follow_rule(schedule, event)) {
            case PlanChange::dropped:
                batch.dropped.push_back(event.id);
                break;
            case PlanChange::content:
            case PlanChange::moment:
                ++batch.changed;
                break;
            case PlanChange::none:
                break;
        }
        batch.earliest = std::min(batch.earliest, planner.earliest());
    }

    ScheduleId id_;
    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
};

}  // namespace

Replanned ReplanSchedule::run(ScheduleId schedule) {
    Replanning replanning{schedule, store_, zones_, ids_};
    Replanned total;
    Progress progress;
    for (;;) {
        Batch batch = replanning.next_batch(progress);
        if (batch.up_to_date) return total;
        for (const EventId event : batch.dropped) {
            batch.earliest = std::min(batch.earliest, replanning.drop(event));
            ++total.dropped;
        }
        total.changed += batch.changed;
        if (batch.earliest != never) wakeups_.due_at(batch.earliest);
        if (batch.last && replanning.finish(*batch.progress.version)) return total;
        progress = batch.progress;
    }
}

Replanned ReplanSchedule::run_behind() {
    const auto behind = in_read(store_, [](Transaction& tx) { return tx.schedules().behind(); });
    Replanned total;
    for (const ScheduleId schedule : behind) {
        const Replanned replanned = run(schedule);
        total.changed += replanned.changed;
        total.dropped += replanned.dropped;
    }
    return total;
}

}  // namespace sundial
