#include "adapters/sqlite/claiming.hpp"

#include <utility>

#include "adapters/sqlite/event_rows.hpp"
#include "adapters/sqlite/rows.hpp"
#include "application/ports/outcome_of_claim.hpp"

namespace sundial::sqlite {

void claim_each(Session& session, Cursor&& ready, const Claimant& by,
                std::chrono::microseconds lease, std::vector<ClaimedEvent>& claimed) {
    for (const Event& before : all_of(std::move(ready), read_event)) {
        const bool previous_lost = is_claimed(before);
        if (previous_lost) add_attempt(session, lost_attempt(before));
        Event event = claim(before, by, session.now, lease).value();
        move_live(session, before, event);
        claimed.push_back({std::move(event), previous_lost});
    }
}

}  // namespace sundial::sqlite
