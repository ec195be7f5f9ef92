#include "adapters/postgres/claiming.hpp"

#include <utility>

#include "adapters/postgres/rows.hpp"

namespace sundial::postgres {

WantedRows wanted_of(const std::array<std::uint32_t, 4>& shares) {
    WantedRows wanted;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (shares[i] == 0) continue;
        wanted.priorities.push_back(static_cast<std::int16_t>(i));
        wanted.shares.push_back(static_cast<std::int32_t>(shares[i]));
    }
    return wanted;
}

Claimed claimed_in(const Database::Answered& answered) {
    const Answer& rows = answered.answers.front();
    Claimed claimed{{}, answered.now};
    if (rows.empty()) return claimed;
    claimed.now = rows.get<Instant>(0, rows.column("now").value());
    const int previous_lost = rows.column("rescued").value();
    auto events = events_in(rows);
    claimed.events.reserve(events.size());
    const int line = rows.column("line").value();
    for (std::size_t row = 0; row < events.size(); ++row) {
        if (auto joined = rows.get<std::optional<std::string>>(row, line)) {
            claimed.lined_up.push_back({Line{*std::move(joined)},
                                        rows.get<std::uint32_t>(row, rows.column("shard").value()),
                                        events[row].priority, events[row].claimable_at});
            continue;
        }
        claimed.events.push_back({std::move(events[row]), rows.get<bool>(row, previous_lost)});
    }
    return claimed;
}

}  // namespace sundial::postgres
