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

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
    return std::ranges::find(range, value) != range.end();
}

/// The line that the event joins instead of being claimed. An expired claim joins none: its attempt
/// is lost, and the next one counts.
std::optional<Line> line_to_join(const Event& event, const Claiming& claiming) {
    if (is_claimed(event)) return std::nullopt;
    if (!event.endpoint) {
        return contains(claiming.types_of_others, event.type)
                   ? std::optional{line_of_type(event.type)}
                   : std::nullopt;
    }
    return contains(claiming.limited, *event.endpoint) ? std::optional{line_of(*event.endpoint)}
                                                       : std::nullopt;
}

}  // namespace

void claim_each(Session& session, Cursor&& ready, const Claiming& claiming, Claimed& claimed) {
    for (const Event& before : all_of(std::move(ready), read_event)) {
        if (const auto line = line_to_join(before, claiming)) {
            session.connection.execute(
                sql::join_line, before.id, line->value,
                before.endpoint ? std::optional{Obstacle::limit} : std::nullopt);
            claimed.lined_up.push_back({*line, 0, before.priority, before.claimable_at});
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
