#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/zones/cctz_time_zones.hpp"
#include "adapters/zones/zoneinfo.hpp"
#include "domain/time/cron.hpp"
#include "domain/time/recurrence_set.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/text.hpp"
#include "domain/time/yearly.hpp"

/// A hundred years of every zone, with another tz database from the middle on: no occurrence is
/// lost, duplicated or out of order.
///
/// The other database differs as much as possible: every zone shows the clock of another zone, up
/// to 26 hours away. TZDIR_AFTER names a real one instead, such as a newer release.
namespace sundial::zones {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::local_days;
using ZonePointer = std::shared_ptr<const Zone>;

const Instant begin = std::chrono::sys_days{std::chrono::January / 1 / 1976};
const Instant change = std::chrono::sys_days{std::chrono::July / 1 / 2026};
const Instant end = std::chrono::sys_days{std::chrono::January / 1 / 2076};

const CctzTimeZones& installed() {
    static const CctzTimeZones zones(zoneinfo_directory());
    return zones;
}

/// The clocks of a zone name before and after the change.
struct Clocks {
    std::string name;
    ZonePointer before, after;
};

std::vector<Clocks> every_zone() {
    const auto data = installed().current();
    const auto names = data->names();
    const char* newer = std::getenv("TZDIR_AFTER");
    const std::shared_ptr<const TzData> after =
        newer != nullptr ? CctzTimeZones(newer).current() : nullptr;
    std::vector<Clocks> all;
    for (std::size_t i = 0; i < names.size(); ++i) {
        // Zones far apart in the alphabet are mostly far apart on the globe.
        const auto& other = names[(i + names.size() / 2) % names.size()];
        const auto moved = after ? after->find(names[i]) : data->find(other);
        if (moved) all.push_back({names[i], *data->find(names[i]), *moved});
    }
    return all;
}

/// One kind of rule during the century.
struct Life {
    std::function<std::unique_ptr<Recurrence>(const ZonePointer&)> rule_in;
    /// The new pending occurrence after the clock of its zone has changed.
    std::function<RuleOccurrence(const Recurrence&, const ZonePointer&, const RuleOccurrence& last,
                                 const RuleOccurrence& pending)>
        pending_after;
    /// Whether `next` correctly follows `last`; the change may lie between them.
    std::function<bool(const RuleOccurrence& last, const RuleOccurrence& next, const Zone& zone,
                       bool over_the_change)>
        follows;
};

/// Walks through the century. Each pair of neighbours must satisfy `life.follows`. Returns the
/// number of occurrences.
std::size_t live(const Life& life, const Clocks& clocks) {
    std::size_t fired = 0;
    std::optional<RuleOccurrence> last;
    const auto fire = [&](const RuleOccurrence& next, const Zone& zone, bool over_the_change) {
        if (last && !life.follows(*last, next, zone, over_the_change)) {
            ADD_FAILURE() << clocks.name << ": " << format_instant(last->instant) << " ("
                          << format_wall(last->nominal) << ") and then "
                          << format_instant(next.instant) << " (" << format_wall(next.nominal)
                          << ')';
        }
        last = next;
        ++fired;
    };

    const auto before = life.rule_in(clocks.before);
    const auto cursor = before->after(begin);
    auto pending = cursor->next();
    for (; pending->instant <= change; pending = cursor->next())
        fire(*pending, *clocks.before, false);

    const auto after = life.rule_in(clocks.after);
    const auto moved = life.pending_after(*after, clocks.after, *last, *pending);
    fire(moved, *clocks.after, true);
    const auto rest = after->after(moved.instant);
    for (auto next = rest->next(); next && next->instant <= end && !testing::Test::HasFailure();
         next = rest->next())
        fire(*next, *clocks.after, false);
    return fired;
}

/// A pending occurrence is identified by its nominal time: that stays, and its instant is computed
/// again.
RuleOccurrence keep_nominal(GapPolicy gap, const Recurrence& rule, const ZonePointer& zone,
                            const RuleOccurrence& pending) {
    const auto kept = occurrences_at(pending.nominal, *zone, gap, OverlapPolicy::earlier).first;
    return kept && !is_skip(kept->note) ? *kept : *next_after(rule, pending.instant);
}

/// A day that the zone's calendar skips, such as 30 December 2011 in Samoa.
bool left_out(const Zone& zone, WallTime nominal) {
    const auto found = zone.lookup(std::chrono::floor<std::chrono::seconds>(nominal));
    return found.kind == LocalLookup::Kind::gap && found.later - found.earlier >= 3h;
}

Life daily_job() {
    return {.rule_in =
                [](const ZonePointer& zone) {
                    return cron_recurrence(*parse_cron("30 2 * * *"), zone);
                },
            .pending_after =
                [](const Recurrence& rule, const ZonePointer& zone, const RuleOccurrence& /*last*/,
                   const RuleOccurrence& pending) {
                    return keep_nominal(GapPolicy::boundary, rule, zone, pending);
                },
            .follows =
                [](const RuleOccurrence& last, const RuleOccurrence& next, const Zone& zone,
                   bool over_the_change) {
                    auto expected = last.nominal + days{1};
                    while (left_out(zone, expected)) expected += days{1};
                    return next.nominal == expected &&
                           (over_the_change || last.instant < next.instant);
                }};
}

Life leap_birthday() {
    const YearlyRule rule{.day = std::chrono::February / 29, .from = std::chrono::year{1972}};
    return {.rule_in = [rule](const ZonePointer& zone) { return yearly_recurrence(rule, zone); },
            .pending_after =
                [](const Recurrence& yearly, const ZonePointer& zone,
                   const RuleOccurrence& /*last*/, const RuleOccurrence& pending) {
                    return keep_nominal(GapPolicy::compatible, yearly, zone, pending);
                },
            .follows =
                [](const RuleOccurrence& last, const RuleOccurrence& next, const Zone& /*zone*/,
                   bool /*over_the_change*/) {
                    const auto year_of = [](const RuleOccurrence& occurrence) {
                        return Date{std::chrono::floor<days>(occurrence.nominal)}.year();
                    };
                    return year_of(next) == year_of(last) + std::chrono::years{1} &&
                           last.instant < next.instant;
                }};
}

Life hourly_rule() {
    const auto set = read_recurrence({.dtstart = "1976-01-01T00:00",
                                      .zone = "here",
                                      .rrule = "FREQ=HOURLY",
                                      .rdates = {},
                                      .exdates = {}});
    return {.rule_in =
                [set](const ZonePointer& zone) {
                    return *rrule_recurrence(*set, [&](std::string_view /*name*/) { return zone; });
                },
            .pending_after =
                [](const Recurrence& rule, const ZonePointer& /*zone*/, const RuleOccurrence& last,
                   const RuleOccurrence& /*pending*/) { return *next_after(rule, last.instant); },
            .follows =
                [](const RuleOccurrence& last, const RuleOccurrence& next, const Zone& /*zone*/,
                   bool over_the_change) {
                    const auto step = next.instant - last.instant;
                    return over_the_change ? 0s < step && step <= 1h : step == 1h;
                }};
}

TEST(Century, ADailyJobRunsOnceOnEveryDayOfEveryZone) {
    for (const Clocks& clocks : every_zone()) {
        const std::size_t fired = live(daily_job(), clocks);
        // Of 36,525 days. Antarctica/Casey lacks seven, because its clock skipped 02:30 by jumping
        // hours ahead.
        ASSERT_GE(fired, 36'518U) << clocks.name;
        ASSERT_LE(fired, 36'526U) << clocks.name;
    }
}

TEST(Century, ABirthdayOnALeapDayComesOnceInEveryYearOfEveryZone) {
    for (const Clocks& clocks : every_zone())
        ASSERT_EQ(live(leap_birthday(), clocks), 100U) << clocks.name;
}

/// Half a billion hours take a minute. Without CENTURY=all, the test takes a sample.
TEST(Century, AnHourlyRuleKeepsItsHoursInEveryZone) {
    constexpr std::size_t hours = 36'525UL * 24;
    const auto zones = every_zone();
    const std::size_t step = std::getenv("CENTURY") != nullptr ? 1 : 30;
    for (std::size_t i = 0; i < zones.size(); i += step) {
        const std::size_t fired = live(hourly_rule(), zones[i]);
        ASSERT_GE(fired, hours - 26) << zones[i].name;  // the offset of its midnight from UTC's
        ASSERT_LE(fired, hours + 26) << zones[i].name;
    }
}

}  // namespace
}  // namespace sundial::zones
