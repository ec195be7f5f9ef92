#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/check.hpp"
#include "domain/time/recurrence_set.hpp"
#include "support/fake_zone.hpp"

/// Checks that both fuzz targets for RRULE share.
namespace sundial {

inline std::shared_ptr<const Zone> rrule_zone_of(unsigned choice) {
    static const std::array<std::shared_ptr<const Zone>, 3> zones{
        std::make_shared<const FakeZone>(utc_zone()), std::make_shared<const FakeZone>(new_york()),
        std::make_shared<const FakeZone>(apia())};
    return zones.at(choice % zones.size());
}

/// An error has a valid code and a printable message.
inline void check_error(const TimeError& error) {
    using enum TimeErrorCode;
    constexpr std::array codes{bad_rrule, bad_time, out_of_range, bad_request, never_fires};
    base::check(std::ranges::find(codes, error.code) != codes.end());
    base::check(!error.message.empty() && error.message.size() < 600);
    base::check(std::ranges::all_of(error.message, [](char c) { return c >= ' ' && c <= '~'; }));
}

/// The set gets a result. If it fires, it fires in order, and as often as its count says. `choice`
/// selects zone and policies.
inline void check_set(const RecurrenceSet& set, unsigned choice) {
    constexpr std::array gaps{GapPolicy::compatible, GapPolicy::earlier, GapPolicy::boundary,
                              GapPolicy::skip};
    constexpr std::array overlaps{OverlapPolicy::earlier, OverlapPolicy::later, OverlapPolicy::both,
                                  OverlapPolicy::skip};
    const FindZone find = [choice](std::string_view name) {
        return TimeResult<std::shared_ptr<const Zone>>(
            rrule_zone_of(name == "UTC" ? 0 : choice + static_cast<unsigned>(name.size())));
    };
    const auto made =
        rrule_recurrence(set, find, gaps.at(choice / 3 % 4), overlaps.at(choice / 12 % 4));
    base::check(!describe(set).empty());
    if (!made) {
        check_error(made.error());
        return;
    }
    const Recurrence& recurrence = **made;
    // Around changes of these zones, and at the limits of the calendar.
    const std::array<Instant, 5> starts{Instant::min(),
                                        std::chrono::sys_days{std::chrono::December / 29 / 2011},
                                        std::chrono::sys_days{std::chrono::March / 8 / 2026},
                                        std::chrono::sys_days{std::chrono::November / 1 / 2026},
                                        latest_instant - std::chrono::days{400}};
    for (const Instant start : starts) {
        const auto found = list_after(recurrence, start, 50);
        Instant before = start;
        for (const RuleOccurrence& occurrence : found) {
            base::check(occurrence.instant > before && in_range(occurrence.instant));
            before = occurrence.instant;
        }
        base::check(recurrence.count(start, before) == found.size());
    }
    base::check(next_after(recurrence, Instant::min()).has_value());
    base::check(recurrence.count(Instant::min(), Instant::max()) > 0);
}

}  // namespace sundial
