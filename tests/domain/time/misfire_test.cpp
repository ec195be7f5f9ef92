#include "domain/time/misfire.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "domain/time/interval.hpp"
#include "domain/time/recurrence.hpp"
#include "domain/time/text.hpp"
#include "support/instants.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// Every six hours; down from midnight of the 17th, for 31 hours.
const Instant last = at("2026-01-17T00:00:00Z");
const Instant now = at("2026-01-18T07:00:00Z");

CatchUp after_31_hours(const MisfireRule& misfire, Instant moment = now) {
    return catch_up(*interval_recurrence(last, 6h), last, moment, misfire);
}

std::vector<std::string> texts(const std::vector<RuleOccurrence>& occurrences) {
    std::vector<std::string> found;
    for (const RuleOccurrence& occurrence : occurrences)
        found.push_back(format_instant(occurrence.instant));
    return found;
}

TEST(CatchUp, FiresAllOldestFirst) {
    const CatchUp done = after_31_hours({.policy = MisfirePolicy::all});
    EXPECT_THAT(texts(done.fire),
                ElementsAre("2026-01-17T06:00:00Z", "2026-01-17T12:00:00Z", "2026-01-17T18:00:00Z",
                            "2026-01-18T00:00:00Z", "2026-01-18T06:00:00Z"));
    EXPECT_EQ(done.dropped, 0U);
    EXPECT_EQ(done.first_dropped, std::nullopt);
    EXPECT_EQ(done.last_dropped, std::nullopt);
    EXPECT_EQ(done.next->instant, at("2026-01-18T12:00:00Z"));
}

TEST(CatchUp, FiresTheNewestUpToTheLimitAndNamesTheRunThatItDrops) {
    const CatchUp done = after_31_hours({.policy = MisfirePolicy::all, .limit = 2});
    EXPECT_THAT(texts(done.fire), ElementsAre("2026-01-18T00:00:00Z", "2026-01-18T06:00:00Z"));
    EXPECT_EQ(done.dropped, 3U);
    EXPECT_EQ(done.first_dropped->instant, at("2026-01-17T06:00:00Z"));
    EXPECT_EQ(done.last_dropped->instant, at("2026-01-17T18:00:00Z"));
}

TEST(CatchUp, FiresTheNewestLateOneForOnce) {
    const CatchUp done = after_31_hours({.policy = MisfirePolicy::once});
    EXPECT_THAT(texts(done.fire), ElementsAre("2026-01-18T06:00:00Z"));
    EXPECT_EQ(done.dropped, 4U);
    EXPECT_EQ(done.last_dropped->instant, at("2026-01-18T00:00:00Z"));
}

TEST(CatchUp, FiresTheOnTimeOnesAloneForOnceAndSkip) {
    for (const auto policy : {MisfirePolicy::once, MisfirePolicy::skip}) {
        const CatchUp done = after_31_hours({.policy = policy, .grace = 7h});
        EXPECT_THAT(texts(done.fire), ElementsAre("2026-01-18T00:00:00Z", "2026-01-18T06:00:00Z"));
        EXPECT_EQ(done.dropped, 3U);
    }
}

TEST(CatchUp, FiresNothingLateForSkip) {
    const CatchUp done = after_31_hours({.policy = MisfirePolicy::skip});
    EXPECT_THAT(done.fire, IsEmpty());
    EXPECT_EQ(done.dropped, 5U);
    EXPECT_EQ(done.first_dropped->instant, at("2026-01-17T06:00:00Z"));
    EXPECT_EQ(done.last_dropped->instant, at("2026-01-18T06:00:00Z"));
}

TEST(CatchUp, DropsOccurrencesOlderThanTheWindow) {
    const CatchUp done = after_31_hours({.policy = MisfirePolicy::all, .window = 24h});
    EXPECT_THAT(texts(done.fire), ElementsAre("2026-01-17T12:00:00Z", "2026-01-17T18:00:00Z",
                                              "2026-01-18T00:00:00Z", "2026-01-18T06:00:00Z"));
    EXPECT_EQ(done.dropped, 1U);
    EXPECT_THAT(after_31_hours({.policy = MisfirePolicy::once, .window = 59min}).fire, IsEmpty());
}

TEST(CatchUp, CountsGraceAndWindowInclusively) {
    // At 07:00 the one of 06:00 is exactly an hour old.
    EXPECT_EQ(after_31_hours({.policy = MisfirePolicy::once, .window = 1h}).fire.size(), 1U);
    EXPECT_EQ(after_31_hours({.policy = MisfirePolicy::skip, .grace = 1h}).fire.size(), 1U);
    EXPECT_THAT(after_31_hours({.policy = MisfirePolicy::skip, .grace = 1h}, now + 1us).fire,
                IsEmpty());
}

TEST(CatchUp, FindsOnTimeOccurrencesWithinTheGrace) {
    const CatchUp done =
        after_31_hours({.policy = MisfirePolicy::skip}, at("2026-01-18T06:00:30Z"));
    EXPECT_THAT(texts(done.fire), ElementsAre("2026-01-18T06:00:00Z"));
    EXPECT_EQ(done.dropped, 4U);
}

TEST(CatchUp, FiresOnTimeOccurrencesInAnyWindow) {
    const CatchUp done = after_31_hours({.policy = MisfirePolicy::all, .window = 0s, .grace = 1h});
    EXPECT_THAT(texts(done.fire), ElementsAre("2026-01-18T06:00:00Z"));
}

TEST(CatchUp, DoesNothingIfNoOccurrenceWasMissed) {
    for (const Instant moment : {last, last + 1us, last - 24h}) {
        const CatchUp done = after_31_hours({.policy = MisfirePolicy::all}, moment);
        EXPECT_THAT(done.fire, IsEmpty());
        EXPECT_EQ(done.dropped, 0U);
        EXPECT_EQ(done.next->instant, moment < last ? last : last + 6h);
    }
}

TEST(CatchUp, HasNoNextOnceTheRuleHasEnded) {
    const auto rule = bounded(interval_recurrence(last, 6h), {}, last + 6h);
    EXPECT_EQ(catch_up(*rule, last, now, {}).next, std::nullopt);
}

TEST(CatchUp, AnswersNineThousandYearsOfSecondsAtOnce) {
    const auto rule = interval_recurrence(at("0999-01-01T00:00:00Z"), 1s);
    const Instant late = at("9999-01-01T00:00:00.5Z");
    const CatchUp all = catch_up(*rule, Instant::min(), late, {.policy = MisfirePolicy::all});
    EXPECT_EQ(all.fire.size(), 100U);
    EXPECT_EQ(all.fire.back().instant, at("9999-01-01T00:00:00Z"));
    EXPECT_EQ(all.dropped,
              284'012'524'801U - 100U);  // the seconds of 3,287,182 days, ends included

    const CatchUp graceful =
        catch_up(*rule, Instant::min(), late, {.policy = MisfirePolicy::skip, .grace = 876'600h});
    EXPECT_EQ(graceful.fire.size(), max_at_once);
}

TEST(TimingOf, IsOnTimeThenLateThenExpired) {
    const MisfireRule rule{.window = 1h};
    EXPECT_EQ(punctuality_of(last, last - 1h, rule), Punctuality::on_time);
    EXPECT_EQ(punctuality_of(last, last + 60s, rule), Punctuality::on_time);
    EXPECT_EQ(punctuality_of(last, last + 60s + 1us, rule), Punctuality::late);
    EXPECT_EQ(punctuality_of(last, last + 1h, rule), Punctuality::late);
    EXPECT_EQ(punctuality_of(last, last + 1h + 1us, rule), Punctuality::expired);
    EXPECT_EQ(punctuality_of(last, last + 876'600h, {}), Punctuality::late);
    EXPECT_EQ(punctuality_of(last, last + 5s, {.window = 0s}), Punctuality::on_time);
}

TEST(MisfirePolicyDefaults, AreAllWhereEachIsAMessageOfItsOwn) {
    for (const auto kind : {TimeKind::instant, TimeKind::local, TimeKind::yearly})
        EXPECT_EQ(default_misfire_policy(kind), MisfirePolicy::all);
    for (const auto kind : {TimeKind::cron, TimeKind::rrule, TimeKind::interval})
        EXPECT_EQ(default_misfire_policy(kind), MisfirePolicy::once);
}

}  // namespace
}  // namespace sundial
