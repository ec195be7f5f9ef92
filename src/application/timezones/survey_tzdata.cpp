#include "application/timezones/survey_tzdata.hpp"

#include <algorithm>

#include "application/operations/operation_task.hpp"
#include "application/timezones/stale_clocks.hpp"

namespace sundial {
namespace {

/// Bounds the events that one request examines: a page of a few moves must not read a million rows.
constexpr std::size_t max_examined = 2'000;

}  // namespace

TzImpact SurveyTzdata::run(const std::optional<ImpactPlace>& after, std::size_t limit) const {
    const auto data = zones_.at_source();
    TzImpact impact{.in_effect = zones_.current()->release(),
                    .release = data->release(),
                    .moves = {},
                    .last = std::nullopt};
    store_.read([&](Transaction& tx) {
        std::size_t budget = max_examined;
        for (const auto& [pair, zone] : stale_clocks(tx, *data, Takeover::of_any).pairs) {
            if (after && pair < after->pair) continue;
            InstantsByClock instants{tx, *zone, *data};
            auto last = after && pair == after->pair ? std::optional{after->event} : std::nullopt;
            for (bool more = true; more;) {
                const auto events = tx.tz().list(pair, last, std::min(batch_size, budget));
                more = !events.empty();
                for (const Event& event : events) {
                    last = event.id;
                    --budget;
                    const auto instant = instants.of(event);
                    if (instant != event.due) impact.moves.push_back({event, instant});
                    if (impact.moves.size() == limit || budget == 0) {
                        impact.last = ImpactPlace{pair, event.id};
                        return;
                    }
                }
            }
        }
    });
    return impact;
}

}  // namespace sundial
