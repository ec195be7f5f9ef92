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
    replan_schedule,    // a schedule was edited: its events follow
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

/// A long job, done in batches, each of them one transaction that also stores how far it has come:
/// whatever dies in between, nothing is done twice and nothing left out. A plain value; the
/// functions below return the next one, at the next version.
struct Operation {
    OperationId id;
    OperationKind kind;
    OperationStatus status = OperationStatus::running;
    std::optional<std::string> reason;        // of FAILED and STOPPED
    std::optional<ScheduleId> schedule;       // what it works on
    std::optional<Version> schedule_version;  // of the edit that it carries on
    std::optional<std::uint64_t> total;       // rows to go through; empty until it has begun
    std::uint64_t done = 0;
    std::uint64_t failed = 0;           // rows that it could do nothing with
    std::optional<std::string> cursor;  // the last row that is done, in words of the kind
    std::optional<InstanceId> held_by;  // empty while nobody is at it
    Instant claimable_at;               // when an instance may take it: at once, after its pause,
                                        // or the end of the lease of whoever has it; `never` = over
    Version version{1};  // the one that a claim returned fences all that its holder does
    Instant created_at;
    Instant updated_at;
    std::optional<Instant> finished_at;
    std::optional<std::string> request;  // what was asked for, in words of the kind
    friend bool operator==(const Operation&, const Operation&) = default;
};

/// What an operation has to do with, row by row.
enum class OperationSubject : std::uint8_t { event, user, schedule };
/// "event", …
[[nodiscard]] std::string_view to_string(OperationSubject subject);
[[nodiscard]] std::optional<OperationSubject> parse_operation_subject(std::string_view text);

/// A row that an operation could do nothing with.
struct OperationFailure {
    OperationSubject subject;
    Uuid id;
    std::string code;    // one of the API's, of either case: "INVALID_STATE_TRANSITION"
    std::string detail;  // why, for people
    friend bool operator==(const OperationFailure&, const OperationFailure&) = default;
};

[[nodiscard]] bool is_over(const Operation& operation);
/// Nobody is at it, or whoever was has been silent for a lease.
[[nodiscard]] bool claimable(const Operation& operation, Instant now);

// All of what is RUNNING.

[[nodiscard]] Operation claim(Operation operation, InstanceId by, Instant now,
                              std::chrono::microseconds lease);
/// A batch is done, and its holder goes on.
[[nodiscard]] Operation go_on(Operation operation, Instant now, std::chrono::microseconds lease);
/// Its holder leaves the rest to others.
[[nodiscard]] Operation let_go(Operation operation, Instant now);
/// A batch is done, and nobody is at it before `until`: it goes on at a pace.
[[nodiscard]] Operation pause(Operation operation, Instant now, Instant until);
/// All is done: there turn out to have been as many rows as it went through.
[[nodiscard]] Operation complete(Operation operation, Instant now);
/// FAILED or STOPPED; what was done stays done.
[[nodiscard]] Operation end(Operation operation, OperationStatus how, std::string reason,
                            Instant now);

}  // namespace sundial
