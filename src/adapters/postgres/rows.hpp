#pragma once

#include <map>
#include <string>
#include <vector>

#include "adapters/postgres/answer.hpp"
#include "application/ports/inbox_repository.hpp"
#include "application/ports/operation_repository.hpp"
#include "domain/api_key.hpp"
#include "domain/circuit.hpp"
#include "domain/endpoint.hpp"
#include "domain/event.hpp"
#include "domain/operation.hpp"
#include "domain/outcome.hpp"
#include "domain/recorded_event.hpp"
#include "domain/schedule.hpp"
#include "domain/user.hpp"

/// Converts rows to values, and values to the texts that represent them in rows. Columns are found
/// by name, so a statement may use `SELECT *`. Readers throw Corrupt for a value that no version of
/// Sundial wrote.
namespace sundial::postgres {

[[nodiscard]] std::vector<Event> events_in(const Answer& rows);
[[nodiscard]] std::vector<User> users_in(const Answer& rows);
[[nodiscard]] std::vector<Schedule> schedules_in(const Answer& rows);
[[nodiscard]] std::vector<SkippedRun> skipped_runs_in(const Answer& rows);
[[nodiscard]] std::vector<Endpoint> endpoints_in(const Answer& rows);
[[nodiscard]] std::vector<Circuit> circuits_in(const Answer& rows);
[[nodiscard]] std::vector<Operation> operations_in(const Answer& rows);
[[nodiscard]] std::vector<ApiKey> api_keys_in(const Answer& rows);
/// Reads the columns number, subject, subject_id, code, detail.
[[nodiscard]] std::vector<NumberedFailure> operation_failures_in(const Answer& rows);
/// Reads the first eighteen columns, in the order of RecordedEvent's members.
[[nodiscard]] std::vector<RecordedEvent> recorded_events_in(const Answer& rows);
[[nodiscard]] std::vector<InboxRequest> inbox_requests_in(const Answer& rows);
/// Reads the answer of attempts_of.
[[nodiscard]] std::vector<AttemptRecord> attempts_in(const Answer& rows, EventId event);

[[nodiscard]] EventStatus event_status(const std::string& text);
[[nodiscard]] OperationKind operation_kind(const std::string& text);
[[nodiscard]] std::string_view name_of(RetryPolicy::Kind kind);
/// The first value, if any.
template <class T>
[[nodiscard]] std::optional<T> first_of(std::vector<T> values) {
    if (values.empty()) return std::nullopt;
    return std::move(values.front());
}
/// One column of all rows: `column_of<T>(rows, 0)`.
template <class T>
[[nodiscard]] std::vector<T> column_of(const Answer& rows, int column) {
    std::vector<T> values;
    values.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) values.push_back(rows.get<T>(row, column));
    return values;
}
/// A map from rows of a text and an id.
template <class Id>
[[nodiscard]] std::map<std::string, Id> ids_by_text(const Answer& rows) {
    std::map<std::string, Id> ids;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        ids.emplace(rows.get<std::string>(row, 0), rows.get<Id>(row, 1));
    }
    return ids;
}
/// For columns of type text: replaces bytes of external input that PostgreSQL rejects (not UTF-8,
/// or zero) by '?', so that they cannot prevent the rest from being written.
[[nodiscard]] std::string as_text(std::string text);

}  // namespace sundial::postgres
