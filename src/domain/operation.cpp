#include "domain/operation.hpp"

#include <utility>

#include "base/check.hpp"
#include "domain/enum_names.hpp"

namespace sundial {
namespace {

constexpr EnumNames<4> kind_names{"PLAN_SCHEDULE", "REPLAN_SCHEDULE", "BACKFILL_SCHEDULE", "BULK"};
constexpr EnumNames<4> operation_status_names{"RUNNING", "COMPLETED", "FAILED", "STOPPED"};
constexpr EnumNames<3> subject_names{"event", "user", "schedule"};

Operation changed(Operation operation, Instant now) {
    base::check(!is_over(operation));
    operation.version = base::next(operation.version);
    operation.updated_at = now;
    return operation;
}

Operation over(Operation operation, OperationStatus how, Instant now) {
    operation = changed(std::move(operation), now);
    operation.status = how;
    operation.held_by.reset();
    operation.claimable_at = never;
    operation.finished_at = now;
    return operation;
}

}  // namespace

std::string_view to_string(OperationKind kind) { return name_in(kind_names, kind); }
std::optional<OperationKind> parse_operation_kind(std::string_view text) {
    return find_in<OperationKind>(kind_names, text);
}

std::string_view to_string(OperationStatus status) {
    return name_in(operation_status_names, status);
}
std::optional<OperationStatus> parse_operation_status(std::string_view text) {
    return find_in<OperationStatus>(operation_status_names, text);
}

std::string_view to_string(OperationSubject subject) { return name_in(subject_names, subject); }
std::optional<OperationSubject> parse_operation_subject(std::string_view text) {
    return find_in<OperationSubject>(subject_names, text);
}

bool is_over(const Operation& operation) { return operation.status != OperationStatus::running; }

bool claimable(const Operation& operation, Instant now) {
    return !is_over(operation) && operation.claimable_at <= now;
}

Operation claim(Operation operation, InstanceId by, Instant now, std::chrono::microseconds lease) {
    base::check(claimable(operation, now));
    operation.held_by = by;
    return go_on(std::move(operation), now, lease);
}

Operation go_on(Operation operation, Instant now, std::chrono::microseconds lease) {
    operation = changed(std::move(operation), now);
    operation.claimable_at = now + lease;
    return operation;
}

Operation release(Operation operation, Instant now) {
    return pause(std::move(operation), now, now);
}

Operation pause(Operation operation, Instant now, Instant until) {
    operation = changed(std::move(operation), now);
    operation.held_by.reset();
    operation.claimable_at = until;
    return operation;
}

Operation complete(Operation operation, Instant now) {
    operation = over(std::move(operation), OperationStatus::completed, now);
    operation.total = operation.done + operation.failed;
    return operation;
}

Operation end(Operation operation, OperationStatus how, std::string reason, Instant now) {
    base::check(how == OperationStatus::failed || how == OperationStatus::stopped);
    operation = over(std::move(operation), how, now);
    operation.reason = std::move(reason);
    return operation;
}

}  // namespace sundial
