#include "application/replan_schedule.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "application/user_planner.hpp"
#include "base/check.hpp"

namespace sundial {
namespace {

/// Events of one transaction: some 100 ms, in which claims go round them.
constexpr std::size_t batch_size = 200;

/// How far the work on one version of the schedule has come.
struct Progress {
    std::optional<Version> version;
    std::optional<EventId> last;
};

/// What one transaction did.
struct Batch {
    bool up_to_date = false;  // nothing of this schedule is behind
    bool last = false;        // no event is left for `progress.version`
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
        Batch batch;
        store_.transact([&](Transaction& tx) {
            batch = Batch{};
            const auto schedule = shared(tx);
            batch.up_to_date = !schedule || schedule->planned_version == schedule->version;
            if (batch.up_to_date) return true;
            batch.progress = {schedule->version, std::nullopt};
            if (progress.version == schedule->version) batch.progress.last = progress.last;
            const auto events =
                tx.events().lock_behind(id_, schedule->version, batch.progress.last, batch_size);
            for (const Event& event : events) bring(tx, *schedule, event, batch);
            batch.last = events.empty();
            if (!batch.last) batch.progress.last = events.back().id;
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
            if (!seen || !seen->user) return false;
            const auto users = tx.users().share(std::vector{*seen->user});
            const auto schedule = shared(tx);
            const auto event = tx.events().lock(id);
            if (users.empty() || !schedule || !event) return false;
            if (status_of(*event) != EventStatus::pending) return false;
            const auto zones = zones_.current();
            const auto zone = zones->find(users.front().timezone);
            if (!zone) return false;
            UserPlanner planner{tx, users.front(), **zone, ids_, zones->release()};
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
        } else if (status_of(event) == EventStatus::pending && event.user && !event.retry_of) {
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

    void follow(Transaction& tx, const Schedule& schedule, const Event& event, Batch& batch) {
        const auto user = tx.users().find(*event.user);
        if (!user) return;
        const auto zones = zones_.current();
        const auto zone = zones->find(user->timezone);
        if (!zone) return;  // gone from the tz database: as it was planned is the best we know
        UserPlanner planner{tx, *user, **zone, ids_, zones->release()};
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
