#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

enum class OperationKind : std::uint8_t {
    plan_schedule,      // the first event of a new perUser schedule, for every user
    replan_schedule,    // updates the events of an edited schedule
    backfill_schedule,  // events for past occurrences that have none
    bulk                // one action on many events
};
inline constexpr std::array operation_kinds{OperationKind::plan_schedule,
                                            OperationKind::replan_schedule,
                                            OperationKind::backfill_schedule, OperationKind::bulk};
/// The last three are final.
enum class OperationStatus : std::uint8_t { running, completed, failed, stopped };

/// "PLAN_SCHEDULE", …
[[nodiscard]] std::string_view to_string(OperationKind kind);
[[nodiscard]] std::optional<OperationKind> parse_operation_kind(std::string_view text);
/// "RUNNING", …
[[nodiscard]] std::string_view to_string(OperationStatus status);
[[nodiscard]] std::optional<OperationStatus> parse_operation_status(std::string_view text);

/// A long job, done in batches. Each batch is one transaction that also stores the progress, so
/// after a crash nothing is done twice or left out. A plain value; the functions below return the
/// next one, at the next version.
struct Operation {
    OperationId id;
    OperationKind kind;
    OperationStatus status = OperationStatus::running;
    std::optional<std::string> reason;        // of FAILED and STOPPED
    std::optional<ScheduleId> schedule;       // the schedule that it works on
    std::optional<Version> schedule_version;  // of the edit that it applies
    std::optional<std::uint64_t> total;       // rows to process; empty until it has begun
    std::uint64_t done = 0;
    std::uint64_t failed = 0;           // rows that could not be processed
    std::optional<std::string> cursor;  // the last processed row, in a format of its kind
    std::optional<InstanceId> held_by;  // empty while no instance works on it
    Instant claimable_at;  // when an instance may claim it: at once, after its pause, or at the end
                           // of the lease; `never`: finished
    Version version{1};    // the version that a claim returned fences its holder's writes
    Instant created_at;
    Instant updated_at;
    std::optional<Instant> finished_at;
    std::optional<std::string> request;  // the request, in a format of its kind
    friend bool operator==(const Operation&, const Operation&) = default;
};

/// The kind of row that an operation processes.
enum class OperationSubject : std::uint8_t { event, user, schedule };
/// "event", …
[[nodiscard]] std::string_view to_string(OperationSubject subject);
[[nodiscard]] std::optional<OperationSubject> parse_operation_subject(std::string_view text);

/// A row that an operation could not process.
struct OperationFailure {
    OperationSubject subject;
    Uuid id;
    std::string code;    // an API code, upper or lower case: "INVALID_STATE_TRANSITION"
    std::string detail;  // why, for people
    friend bool operator==(const OperationFailure&, const OperationFailure&) = default;
};

[[nodiscard]] bool is_over(const Operation& operation);
/// No instance works on it, or the lease of its holder has expired.
[[nodiscard]] bool claimable(const Operation& operation, Instant now);

// For operations that are RUNNING.

[[nodiscard]] Operation claim(Operation operation, InstanceId by, Instant now,
                              std::chrono::microseconds lease);
/// A batch is done, and its holder continues.
[[nodiscard]] Operation go_on(Operation operation, Instant now, std::chrono::microseconds lease);
/// Its holder leaves the rest to other instances.
[[nodiscard]] Operation release(Operation operation, Instant now);
/// A batch is done; no instance continues before `until`: limits the rate of the operation.
[[nodiscard]] Operation pause(Operation operation, Instant now, Instant until);
/// All rows are done; `total` becomes the number of rows processed.
[[nodiscard]] Operation complete(Operation operation, Instant now);
/// FAILED or STOPPED; finished batches stay done.
[[nodiscard]] Operation end(Operation operation, OperationStatus how, std::string reason,
                            Instant now);

}  // namespace sundial
