#include "adapters/sqlite/event_rows.hpp"

#include <string_view>
#include <tuple>

#include "adapters/sqlite/event_statements.hpp"
#include "adapters/sqlite/rows.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

struct Ending {
    Instant at;
    std::optional<std::string_view> reason;
};

Ending ending_of(const Event& event) {
    if (const auto* completed = std::get_if<Completed>(&event.state)) {
        return {completed->at, std::nullopt};
    }
    if (const auto* failed = std::get_if<Failed>(&event.state)) return {failed->at, failed->reason};
    const auto& cancelled = std::get<Cancelled>(event.state);
    return {cancelled.at, cancelled.reason};
}

}  // namespace

std::optional<Event> live_event(Connection& connection, EventId id) {
    return first_of(connection.query(sql::live_event, id), read_event);
}

void add_live(Session& session, const Event& event) {
    std::apply(
        [&](const auto&... body) {
            session.connection.execute(sql::add_event, event.id, status_of(event), event.priority,
                                       event.claimable_at, claimed_by(event), body...);
        },
        body_of(event));
    session.ledger.added(event);
}

void move_live(Session& session, const Event& before, const Event& after) {
    const auto moved = session.connection.execute(
        sql::move_event, after.id, status_of(after), after.claimable_at, claimed_by(after),
        after.version, after.attempt, after.retry_count, after.first_attempt_at, after.updated_at);
    base::check(moved == 1);
    session.ledger.moved(before, after);
    if (is_claimed(after)) session.ledger.lease_until(after.claimable_at);
}

void finish_live(Session& session, const Event& before, const Event& after,
                 const LastAttempt& last) {
    base::check(session.connection.execute(sql::remove_event, after.id) == 1);
    const Ending ending = ending_of(after);
    std::apply(
        [&](const auto&... body) {
            session.connection.execute(sql::add_history, after.id, status_of(after), after.priority,
                                       ending.at, ending.reason, last.settled_by, last.started_at,
                                       last.duration, last.status_code, after.dismissed_at,
                                       body...);
        },
        body_of(after));
    session.ledger.moved(before, after);
}

void add_attempt(Session& session, const AttemptRecord& attempt) {
    session.connection.execute(sql::add_attempt, attempt.event, attempt.number, attempt.outcome,
                               attempt.endpoint, attempt.started_at, attempt.duration,
                               attempt.status_code, attempt.error_code, attempt.error_text,
                               Bytes{attempt.response_body}, attempt.instance, session.now,
                               attempt.held);
}

}  // namespace sundial::sqlite
