#include "adapters/sqlite/claiming.hpp"

#include <utility>

#include "adapters/sqlite/event_rows.hpp"
#include "adapters/sqlite/rows.hpp"

namespace sundial::sqlite {
namespace {

AttemptRecord lost_try(const Event& event) {
    return {.event = event.id,
            .number = event.attempt,
            .outcome = AttemptOutcome::lost,
            .endpoint = event.endpoint,
            .started_at = std::nullopt,
            .status_code = std::nullopt,
            .error_code = {},
            .error_text = {},
            .response_body = {},
            .instance = claimed_by(event),
            .held = event.version};
}

}  // namespace

void claim_each(Session& session, Cursor&& ready, const Claimant& by,
                std::chrono::microseconds lease, std::vector<ClaimedEvent>& claimed) {
    for (const Event& before : all_of(std::move(ready), read_event)) {
        const bool rescued = is_claimed(before);
        if (rescued) add_attempt(session, lost_try(before));
        Event event = claim(before, by, session.now, lease).value();
        move_live(session, before, event);
        claimed.push_back({std::move(event), rescued});
    }
}

}  // namespace sundial::sqlite
