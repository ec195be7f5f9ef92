#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/schedule_repository.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"

namespace sundial {

enum class ScheduleBulkAction : std::uint8_t { pause, resume, tag, remove };
/// "pause", …, "delete"
[[nodiscard]] std::string_view to_string(ScheduleBulkAction action);
[[nodiscard]] std::optional<ScheduleBulkAction> parse_schedule_bulk_action(std::string_view text);

/// One action on many schedules.
struct ScheduleBulkRequest {
    ScheduleBulkAction action = ScheduleBulkAction::pause;
    ScheduleQuery filter{};                  // used if no ids are given; its page is ignored
    std::vector<ScheduleId> ids{};           // at most 1,000, each once
    std::optional<std::string> note{};       // of a pause
    std::vector<std::string> add_tags{};     // of `tag`
    std::vector<std::string> remove_tags{};  // of `tag`
    Caller caller{};
};

/// The form in which an operation stores it, and back. Throws Corrupt for text that
/// `stored_schedule_bulk` did not write.
[[nodiscard]] std::string stored_schedule_bulk(const ScheduleBulkRequest& request);
[[nodiscard]] ScheduleBulkRequest read_schedule_bulk(std::string_view text);
/// Whether a bulk operation with this stored request is on schedules; else it is on events.
[[nodiscard]] bool is_schedule_bulk(std::string_view text);

struct ScheduleBulkCall {
    ScheduleBulkRequest request;
    bool dry_run = false;
};
struct ScheduleBulk {
    std::uint64_t count = 0;             // of the selected schedules, as of now
    std::vector<Schedule> samples;       // the first of them; only for a dry run
    std::optional<Operation> operation;  // changes them; empty for a dry run
};
template <class T>
using ScheduleBulkResult = Result<T, ValidationFailed, TooManyOperations>;

/// Most schedules that one bulk operation may select by a filter.
inline constexpr std::size_t max_bulk_schedules = 10'000;

/// Pauses, resumes, tags or deletes many schedules. The start fixes the selection: schedules that
/// are created later are not part of it. A pause selects enabled ones, a resume paused ones, unless
/// the filter says otherwise. Each schedule gets a recorded event that names the caller, and an
/// operation of its own plans its events again, as after a single edit.
class BulkSchedules {
public:
    BulkSchedules(Store& store, Ids& ids, Operations& operations)
        : store_(store), ids_(ids), operations_(operations) {}
    /// Errors: ValidationFailed at /filter, /note, /addTags and /removeTags; TooManyOperations.
    [[nodiscard]] ScheduleBulkResult<ScheduleBulk> run(const ScheduleBulkCall& call,
                                                       const Caller& caller);

private:
    Store& store_;
    Ids& ids_;
    Operations& operations_;
};

/// The task of such an operation. Its cursor is the place of the last schedule, or the number of
/// processed ids; a `+` at its end says that this schedule is not deleted completely.
class ScheduleBulkTask final : public OperationTask {
public:
    ScheduleBulkTask(const TimeZones& zones, Ids& ids) : zones_(zones), ids_(ids) {}
    std::uint64_t count(Transaction& tx, const Operation& operation) override;
    Batch run(Transaction& tx, const Operation& operation) override;

private:
    const TimeZones& zones_;
    Ids& ids_;
};

}  // namespace sundial
