#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/session.hpp"
#include "domain/api_key.hpp"
#include "domain/endpoint.hpp"
#include "domain/event.hpp"
#include "domain/operation.hpp"
#include "domain/outcome.hpp"
#include "domain/schedule.hpp"
#include "domain/trace_context.hpp"
#include "domain/user.hpp"

/// Converts rows to values. Each function reads the columns that the macro of its name lists, and
/// throws Corrupt for values that we cannot have written.

namespace sundial::sqlite {

[[nodiscard]] Event read_event(Cursor& row);
[[nodiscard]] AttemptRecord read_attempt(Cursor& row);
[[nodiscard]] User read_user(Cursor& row);
[[nodiscard]] Schedule read_schedule(Cursor& row);
[[nodiscard]] Endpoint read_endpoint(Cursor& row);
[[nodiscard]] Operation read_operation(Cursor& row);
[[nodiscard]] ApiKey read_api_key(Cursor& row);

[[nodiscard]] inline std::optional<Claimant> claimed_by(const Event& event) {
    const auto* processing = std::get_if<Processing>(&event.state);
    return processing ? processing->claimed_by : std::nullopt;
}

/// The values of SUNDIAL_EVENT_BODY. Texts refer to the event.
[[nodiscard]] inline auto body_of(const Event& event) {
    std::optional<ScheduleId> schedule;
    std::optional<Version> schedule_version;
    std::optional<Date> nominal;
    std::chrono::microseconds nominal_time{0};
    bool second_pass = false;
    Origin origin = Origin::rule;
    if (event.occurrence) {
        schedule = event.occurrence->schedule;
        schedule_version = event.occurrence->schedule_version;
        nominal = event.occurrence->nominal.date;
        nominal_time = event.occurrence->nominal.time;
        second_pass = event.occurrence->nominal.second_pass;
        origin = event.occurrence->origin;
    }
    return std::tuple{event.version,
                      event.attempt,
                      event.retry_count,
                      event.due,
                      event.jitter,
                      event.first_attempt_at,
                      event.created_at,
                      event.updated_at,
                      std::string_view{event.key.value},
                      std::string_view{event.type},
                      event.user,
                      event.endpoint,
                      schedule,
                      schedule_version,
                      nominal,
                      nominal_time,
                      second_pass,
                      origin,
                      event.intent.wall,
                      std::string_view{event.intent.zone},
                      event.intent.gap,
                      event.intent.overlap,
                      std::string_view{event.tz_release},
                      event.retry_of,
                      std::string_view{event.payload},
                      event.trace ? std::optional{stored_form(*event.trace)} : std::nullopt};
}

/// Reads every row of a query with one of the functions above.
template <class Read>
[[nodiscard]] auto all_of(Cursor&& row, Read read) {
    std::vector<decltype(read(row))> found;
    while (row.next()) found.push_back(read(row));
    return found;
}
/// Reads the first row, if any.
template <class Read>
[[nodiscard]] auto first_of(Cursor&& row, Read read) {
    return row.next() ? std::optional{read(row)} : std::nullopt;
}
/// The id in the only column, if there is a row.
template <class Id>
[[nodiscard]] std::optional<Id> id_of(Cursor&& row) {
    return row.next() ? std::optional{row.get<Id>(0)} : std::nullopt;
}
/// The number in the only row and column.
[[nodiscard]] inline std::uint64_t count_in(Cursor&& row) {
    return row.next() ? row.get<std::uint64_t>(0) : 0;
}

/// Changes to event rows, shared by the repository and the queue and counted in the ledger.

/// A live event; empty if the event is finished or unknown.
[[nodiscard]] std::optional<Event> live_event(Connection& connection, EventId id);

void add_live(Session& session, const Event& event);
/// Writes a transition of a live event: the columns that claims and settlements change.
void move_live(Session& session, const Event& before, const Event& after);

/// The attempt that ended an event; empty for a cancelled one.
struct LastAttempt {
    std::optional<Claimant> settled_by{};
    std::optional<Instant> started_at{};
    std::chrono::microseconds duration{0};
    std::optional<int> status_code{};
};
/// Moves `after`, which is final, to history.
void finish_live(Session& session, const Event& before, const Event& after,
                 const LastAttempt& last);

void add_attempt(Session& session, const AttemptRecord& attempt);

}  // namespace sundial::sqlite
