#include "adapters/sqlite/claiming.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "adapters/sqlite/event_rows.hpp"
#include "adapters/sqlite/event_statements.hpp"
#include "adapters/sqlite/rows.hpp"
#include "application/ports/outcome_of_claim.hpp"

namespace sundial::sqlite {

namespace {

/// An expired claim is not released into the line: its attempt is lost, and the next one counts.
bool waits_in_line(const Event& event, std::span<const EndpointId> limited) {
    return event.endpoint && !is_claimed(event) &&
           std::ranges::find(limited, *event.endpoint) != limited.end();
}

}  // namespace

void claim_each(Session& session, Cursor&& ready, const Claiming& claiming, Claimed& claimed) {
    for (const Event& before : all_of(std::move(ready), read_event)) {
        if (waits_in_line(before, claiming.limited)) {
            const Line line = line_of(*before.endpoint);
            session.connection.execute(sql::join_line, before.id, line.value,
                                       std::optional{Obstacle::limit});
            claimed.lined_up.push_back({line, 0, before.priority, before.claimable_at});
            continue;
        }
        const bool previous_lost = is_claimed(before);
        if (previous_lost) add_attempt(session, lost_attempt(before));
        Event event = claim(before, claiming.by, session.now, claiming.lease).value();
        move_live(session, before, event);
        claimed.events.push_back({std::move(event), previous_lost});
    }
}

}  // namespace sundial::sqlite
