#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/time/resolve.hpp"
#include "domain/time/yearly.hpp"
#include "support/fake_zone.hpp"

namespace sundial {
namespace {

using std::chrono::seconds;
using std::chrono::year;

constexpr std::int64_t second_of_1995 = 788'918'400;
constexpr std::int64_t second_of_2035 = 2'051'222'400;

/// A zone that changes its clock once in most years, by up to a day either way.
FakeZone gen_yearly_zone() {
    const auto offset = [] { return seconds{*rc::gen::inRange(-12 * 3600, 14 * 3600)}; };
    std::vector<FakeZone::Change> changes;
    const auto first = offset();
    auto at = second_of_1995;
    while (at < second_of_2035) {
        at += *rc::gen::inRange<std::int64_t>(3 * 86'400, 500 * 86'400);
        changes.push_back({std::chrono::sys_seconds{seconds{at}}, offset()});
    }
    return FakeZone("Fake/Zone", first, std::move(changes));
}

YearlyRule gen_yearly_rule() {
    const auto month = *rc::gen::inRange(1U, 13U);
    const std::chrono::year_month_day_last last =
        year{2004} / std::chrono::month{month} / std::chrono::last;  // a leap year
    const auto day = *rc::gen::inRange(1U, static_cast<unsigned>(last.day()) + 1);
    return {.day = std::chrono::month{month} / std::chrono::day{day},
            .from = *rc::gen::element(std::optional<year>{}, std::optional(year{2005})),
            .at = TimeOfDay{*rc::gen::inRange(0, 86'400)},
            .leap = *rc::gen::element(LeapPolicy::feb28, LeapPolicy::mar1, LeapPolicy::skip),
            .gap = *rc::gen::element(GapPolicy::compatible, GapPolicy::earlier, GapPolicy::later,
                                     GapPolicy::boundary, GapPolicy::skip),
            .overlap =
                *rc::gen::element(OverlapPolicy::compatible, OverlapPolicy::earlier,
                                  OverlapPolicy::later, OverlapPolicy::both, OverlapPolicy::skip)};
}

Instant gen_yearly_moment() {
    return Instant{seconds{*rc::gen::inRange(second_of_1995, second_of_2035)}};
}

std::vector<Instant> all_until_2035(const YearlyRule& rule, const Zone& zone, Instant after) {
    constexpr std::size_t max = 100;  // two a year are 80; bounds a rule that does not advance
    std::vector<Instant> found;
    for (auto next = next_yearly(rule, zone, after);
         next && found.size() < max && next->instant.time_since_epoch() < seconds{second_of_2035};
         next = next_yearly(rule, zone, next->instant)) {
        found.push_back(next->instant);
    }
    return found;
}

RC_GTEST_PROP(NextYearlyProperty, AscendsWithoutDuplicates, ()) {
    const FakeZone zone = gen_yearly_zone();
    const Instant start = gen_yearly_moment();
    Instant before = start;
    for (const Instant instant : all_until_2035(gen_yearly_rule(), zone, start)) {
        RC_ASSERT(instant > before);
        before = instant;
    }
}

RC_GTEST_PROP(NextYearlyProperty, MissesNoOccurrenceFromAnyStart, ()) {
    const FakeZone zone = gen_yearly_zone();
    const YearlyRule rule = gen_yearly_rule();
    const Instant start = gen_yearly_moment();
    std::vector<Instant> later;
    for (const Instant instant : all_until_2035(rule, zone, Instant{seconds{second_of_1995}})) {
        if (instant > start) later.push_back(instant);
    }
    RC_ASSERT(all_until_2035(rule, zone, start) == later);
}

RC_GTEST_PROP(NextYearlyProperty, IsTheInstantOfItsNominalDate, ()) {
    const FakeZone zone = gen_yearly_zone();
    const YearlyRule rule = gen_yearly_rule();
    const auto next = next_yearly(rule, zone, gen_yearly_moment());
    RC_PRE(next.has_value());
    const auto again = yearly_on(rule, zone, next->nominal);
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->wall == next->wall);
    RC_ASSERT((again->instant < next->instant) == next->second_pass);
    RC_ASSERT(again->instant <= next->instant);
}

/// A rule compiled in a zone, and the zone.
struct InZone {
    std::shared_ptr<const Zone> zone = std::make_shared<FakeZone>(gen_yearly_zone());
    YearlyRule rule = gen_yearly_rule();
    std::unique_ptr<Recurrence> recurrence = yearly_recurrence(rule, zone);
};

RC_GTEST_PROP(YearlyRecurrenceProperty, CountsListedOccurrences, ()) {
    const InZone yearly;
    const Instant from = gen_yearly_moment();
    const Instant to = gen_yearly_moment();
    std::uint64_t listed = 0;
    for (const RuleOccurrence& each : list_after(*yearly.recurrence, from, 100)) {
        if (each.instant <= to) ++listed;
    }
    RC_ASSERT(yearly.recurrence->count(from, to) == listed);
}

RC_GTEST_PROP(YearlyRecurrenceProperty, ListsSkippedOccurrencesAmongTheOthers, ()) {
    const InZone yearly;
    const Instant from = gen_yearly_moment();
    const auto with_skipped = yearly.recurrence->after(from, Skipped::listed);
    std::vector<RuleOccurrence> firing;
    Instant before = from;
    for (int years = 0; years < 30; ++years) {
        const auto each = with_skipped->next();
        RC_ASSERT(each.has_value());
        RC_ASSERT(each->instant > before);
        before = each->instant;
        if (!is_skip(each->note)) firing.push_back(*each);
    }
    RC_ASSERT(list_after(*yearly.recurrence, from, firing.size()) == firing);
}

}  // namespace
}  // namespace sundial
