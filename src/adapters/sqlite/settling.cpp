#include "adapters/sqlite/settling.hpp"

#include <utility>

#include "adapters/sqlite/event_rows.hpp"
#include "adapters/sqlite/event_statements.hpp"
#include "adapters/sqlite/rows.hpp"
#include "application/ports/outcome_of_claim.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

/// The row if it is unchanged since the claim.
std::optional<Event> still_held(Connection& connection, EventId id, Version held) {
    auto event = live_event(connection, id);
    if (event && event->version == held && is_claimed(*event)) return event;
    return std::nullopt;
}

std::optional<AttemptRecord> recorded(Connection& connection, EventId id, Attempt number) {
    return first_of(connection.query(sql::attempt, id, number), read_attempt);
}

/// Whether the same holder has recorded this attempt as `outcome`.
bool is_recorded(Connection& connection, EventId id, Attempt number, AttemptOutcome outcome,
                 const Claimant& by) {
    const auto attempt = recorded(connection, id, number);
    return attempt && attempt->outcome == outcome && attempt->instance == by;
}

/// Whether the settlement had already happened and its answer was lost.
bool had_happened(Connection& connection, const Settlement& settlement) {
    if (std::holds_alternative<RetryIn>(settlement.result)) {
        return is_recorded(connection, settlement.id, settlement.number, AttemptOutcome::retryable,
                           settlement.by);
    }
    auto last = connection.query(sql::last_attempt, settlement.id);
    return last.next() && last.get<Attempt>(0) == settlement.number &&
           last.get<std::optional<Claimant>>(1) == settlement.by;
}

/// Records the actual result of a LOST attempt, unless the attempt was never sent because no
/// attempts remained.
void record_late_result(Session& session, const Settlement& settlement) {
    if (std::holds_alternative<Refused>(settlement.result) && !settlement.attempt) return;
    const auto lost = recorded(session.connection, settlement.id, settlement.number);
    if (!lost || lost->outcome != AttemptOutcome::lost) return;
    const AttemptRecord& reported = settlement.attempt ? *settlement.attempt : *lost;
    session.connection.execute(sql::update_attempt, settlement.id, settlement.number,
                               AttemptOutcome::late, reported.endpoint, settlement.started_at,
                               settlement.duration, settlement.status_code, reported.error_code,
                               reported.error_text, Bytes{reported.response_body}, session.now);
}

}  // namespace

Result<void> settle(Session& session, const Settlement& settlement) {
    const auto event = still_held(session.connection, settlement.id, settlement.held);
    if (!event) {
        if (had_happened(session.connection, settlement)) return {};
        record_late_result(session, settlement);
        return LeaseLost{settlement.id, settlement.held};
    }
    const Event next = settled(*event, settlement, session.now);
    if (settlement.attempt) {
        AttemptRecord attempt = *settlement.attempt;
        attempt.held = settlement.held;
        add_attempt(session, attempt);
    }
    if (is_final(next)) {
        finish_live(
            session, *event, next,
            {settlement.by, settlement.started_at, settlement.duration, settlement.status_code});
    } else {
        move_live(session, *event, next);
    }
    return {};
}

Result<void> release_claims(Session& session, const ReleasedClaim& released) {
    const auto event = still_held(session.connection, released.id, released.held);
    if (!event) {
        if (is_recorded(session.connection, released.id, released.number, AttemptOutcome::released,
                        released.by)) {
            return {};
        }
        return LeaseLost{released.id, released.held};
    }
    const Instant until = released.delay ? session.now + *released.delay : never;
    move_live(session, *event, release(*event, session.now, until).value());
    if (released.line) {
        session.connection.execute(sql::join_line, released.id, released.line->value,
                                   released.obstacle);
    } else if (released.obstacle) {
        session.connection.execute(sql::hold_up, released.id, *released.obstacle);
    }
    add_attempt(session, released_attempt(*event, released));
    return {};
}

}  // namespace sundial::sqlite
