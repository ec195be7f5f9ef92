#pragma once

#include <optional>
#include <vector>

#include "application/operations/operation_task.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/time_zones.hpp"
#include "application/ports/wakeups.hpp"

namespace sundial {

/// Brings the live events of a schedule to its present version (time-semantics 10): another time or
/// leap policy keeps the year's occurrence, pausing parks, resuming gives the next occurrence after
/// now, and what only waited for an endpoint goes to it now. What is claimed, or was tried, is
/// delivered as planned. Then whoever has no next event gets one, user by user: all of them where
/// the schedule is new, otherwise those whose chain had come to its end.
///
/// The events say by which version they are planned, and the cursor which users are done, so an
/// instance that takes over repeats nothing. It is moot once the schedule is edited again.
class ReplanSchedule final : public OperationTask {
public:
    ReplanSchedule(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups) {}
    std::uint64_t count(Transaction& tx, const Operation& operation) override;
    Batch run(Transaction& tx, const Operation& operation) override;
    void committed() override;

private:
    struct Progress {
        std::optional<EventId> last;
        bool events_done = false;
        bool users_done = false;  // and so all is: the schedule has to learn it
        /// Have no occurrence by the new rule. They end one by one, after the batch.
        std::vector<EventId> to_drop;
    };
    Batch next_events(Transaction& tx, const Operation& operation);
    Batch next_users(Transaction& tx, const Operation& operation);
    void bring(Transaction& tx, const Schedule& schedule, const Event& event, Batch& batch);
    void follow(Transaction& tx, const Schedule& schedule, const Event& event, Batch& batch);
    void begin(Transaction& tx, const Schedule& schedule, const User* user, Batch& batch);
    void drop(EventId event);

    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
    Progress progress_;  // of what is committed
    Progress next_;      // with the batch under way
};

}  // namespace sundial
