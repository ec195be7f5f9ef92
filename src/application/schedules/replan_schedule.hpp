#pragma once

#include <optional>
#include <vector>

#include "application/operations/operations.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/time_zones.hpp"

namespace sundial {

/// Moves the live events of a schedule to its current version (time-semantics 10). Another time or
/// leap policy keeps the year's occurrence. Pausing parks events. Resuming replaces them with the
/// next occurrence after now. Events that only waited for an endpoint are delivered to it now.
/// Events that are claimed or were attempted are delivered as planned. Then users without a next
/// event get one: all users if the schedule is new, otherwise those whose chain had ended.
///
/// Each event records the version that planned it, and the cursor records the users that are done.
/// So an instance that takes over repeats nothing. The operation is moot once the schedule is
/// edited again.
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
        bool users_done = false;  // the last step: the schedule has to be updated
        /// Events without an occurrence under the new rule. They are dropped one by one, after the
        /// batch.
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
    Progress progress_;  // of the committed batches
    Progress next_;      // including the batch under way
};

}  // namespace sundial
