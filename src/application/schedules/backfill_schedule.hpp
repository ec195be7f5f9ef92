#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"

namespace sundial {

/// A request for the occurrences from `from` to before `to`, which is not later than now.
struct BackfillRequest {
    std::string from, to;  // instants, or now-7d
    bool dry_run = false;
};

struct Backfill {
    struct Sample {
        Instant due;
        std::string zone;
        std::optional<UserId> user;
    };
    std::uint64_t occurrences = 0;       // of the rule in that range
    std::vector<Sample> samples;         // the first of them
    std::optional<Operation> operation;  // creates their events; empty for a dry run
};

/// Creates events for past occurrences of a schedule that have none: those missed during a pause,
/// skipped by policy, or before the schedule was created. Each has the key of its occurrence, so no
/// occurrence is sent twice and a backfill can be repeated. An operation does this, batch by batch.
class BackfillSchedule {
public:
    BackfillSchedule(Store& store, const TimeZones& zones, Ids& ids, Operations& operations)
        : store_(store), zones_(zones), ids_(ids), operations_(operations) {}
    /// Errors: NotFound; ValidationFailed, at /from and /to, also for a range with more than
    /// 1,000,000 occurrences.
    [[nodiscard]] ScheduleResult<Backfill> run(std::string_view reference,
                                               const BackfillRequest& request,
                                               const Caller& caller);

private:
    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Operations& operations_;
};

/// The task of such an operation. Its cursor also holds the range.
class BackfillTask final : public OperationTask {
public:
    BackfillTask(const TimeZones& zones, Ids& ids) : zones_(zones), ids_(ids) {}
    /// Counts users, or occurrences if the schedule is not perUser.
    std::uint64_t count(Transaction& tx, const Operation& operation) override;
    Batch run(Transaction& tx, const Operation& operation) override;

private:
    const TimeZones& zones_;
    Ids& ids_;
};

}  // namespace sundial
