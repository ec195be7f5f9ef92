#include "domain/time/cron.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "support/fake_zone.hpp"

/// A cron expression, after one byte that selects zone and policies. Every input gets a result. A
/// valid rule fires in order, and as often as its count says.
namespace sundial {
namespace {

std::shared_ptr<const Zone> zone_of(unsigned choice) {
    static const auto utc = std::make_shared<const FakeZone>(utc_zone());
    static const auto forth_and_back = std::make_shared<const FakeZone>(new_york());
    static const auto over_the_date_line = std::make_shared<const FakeZone>(apia());
    switch (choice % 3) {
        case 0:
            return utc;
        case 1:
            return forth_and_back;
        default:
            return over_the_date_line;
    }
}

void check_firing(const CronRule& rule, unsigned choice) {
    constexpr std::array gaps{GapPolicy::boundary, GapPolicy::earlier, GapPolicy::later,
                              GapPolicy::skip};
    constexpr std::array overlaps{OverlapPolicy::earlier, OverlapPolicy::later, OverlapPolicy::both,
                                  OverlapPolicy::skip};
    const auto recurrence = cron_recurrence(rule, zone_of(choice), gaps.at(choice / 3 % 4),
                                            overlaps.at(choice / 12 % 4));
    // Around changes of these zones, and at the limits of the calendar.
    const std::array<Instant, 5> starts{Instant::min(),
                                        std::chrono::sys_days{std::chrono::December / 29 / 2011},
                                        std::chrono::sys_days{std::chrono::March / 8 / 2026},
                                        std::chrono::sys_days{std::chrono::November / 1 / 2026},
                                        latest_instant - std::chrono::days{400}};
    for (const Instant start : starts) {
        const auto found = list_after(*recurrence, start, 50);
        Instant before = start;
        for (const RuleOccurrence& occurrence : found) {
            base::check(occurrence.instant > before && in_range(occurrence.instant));
            before = occurrence.instant;
        }
        base::check(recurrence->count(start, before) == found.size());
    }
    base::check(describe(rule).size() >= std::string_view("every hour").size());
    base::check(next_after(*recurrence, Instant::min()).has_value());
    base::check(recurrence->count(Instant::min(), Instant::max()) > 0);
}

}  // namespace
}  // namespace sundial

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace sundial;
    if (size == 0) return 0;
    const auto rule = parse_cron({reinterpret_cast<const char*>(data) + 1, size - 1});
    if (!rule) {
        const TimeError& error = rule.error();
        base::check(error.code == TimeErrorCode::bad_cron ||
                    error.code == TimeErrorCode::never_fires);
        base::check(
            std::ranges::all_of(error.message, [](char c) { return c >= ' ' && c <= '~'; }));
        return 0;
    }
    check_firing(*rule, data[0]);
    return 0;
}
