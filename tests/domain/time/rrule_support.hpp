#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/time/recurrence.hpp"
#include "domain/time/recurrence_set.hpp"
#include "domain/time/text.hpp"
#include "support/fake_zone.hpp"

namespace sundial {

/// Finds this zone for every name except "UTC".
[[nodiscard]] inline FindZone only(FakeZone zone) {
    const auto found = std::make_shared<const FakeZone>(std::move(zone));
    return [found](std::string_view name) -> TimeResult<std::shared_ptr<const Zone>> {
        if (name == "UTC")
            return std::shared_ptr<const Zone>(std::make_shared<FakeZone>(utc_zone()));
        return std::shared_ptr<const Zone>(found);
    };
}

struct SetPolicies {
    GapPolicy gap = GapPolicy::compatible;
    OverlapPolicy overlap = OverlapPolicy::compatible;
};

/// The set that an iCalendar text describes, in `zone`.
[[nodiscard]] inline TimeResult<std::unique_ptr<Recurrence>> read_in(const FakeZone& zone,
                                                                     std::string_view ical,
                                                                     SetPolicies policies = {}) {
    const auto set = read_icalendar(ical, "Fake/Zone");
    if (!set) return set.error();
    return rrule_recurrence(*set, only(zone), policies.gap, policies.overlap);
}

/// The first instants of the set as texts; after an error, "" and its code.
[[nodiscard]] inline std::vector<std::string> first_of(const FakeZone& zone, std::string_view ical,
                                                       std::size_t count, SetPolicies policies = {},
                                                       Instant after = Instant::min()) {
    const auto set = read_in(zone, ical, policies);
    if (!set) return {"", std::string(to_string(set.error().code))};
    std::vector<std::string> found;
    for (const RuleOccurrence& occurrence : list_after(**set, after, count))
        found.push_back(format_instant(occurrence.instant));
    return found;
}

}  // namespace sundial
