#include "domain/time/yearly.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time/text.hpp"
#include "domain/time/types.hpp"
#include "support/fake_zone.hpp"
#include "support/instants.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

YearlyRule every_year_on(std::string_view date) {
    const YearlyDate read = *parse_yearly_date(date);
    return {.day = read.day, .from = read.from};
}

std::vector<std::string> next_of(const YearlyRule& rule, const Zone& zone, std::string_view after,
                                 std::size_t count) {
    std::vector<std::string> found;
    for (auto next = next_yearly(rule, zone, at(after)); next && found.size() < count;
         next = next_yearly(rule, zone, next->instant)) {
        found.push_back(format_instant(next->instant));
    }
    return found;
}

TEST(NextYearly, IsStrictlyAfterTheMomentGiven) {
    const auto rule = every_year_on("1987-07-17");
    const FakeZone berlin("Europe/Berlin", 2h);
    EXPECT_THAT(next_of(rule, berlin, "2026-07-17T06:59:59Z", 1),
                ElementsAre("2026-07-17T07:00:00Z"));
    EXPECT_THAT(next_of(rule, berlin, "2026-07-17T06:59:59.999999Z", 1),
                ElementsAre("2026-07-17T07:00:00Z"));
    EXPECT_THAT(next_of(rule, berlin, "2026-07-17T07:00:00Z", 1),
                ElementsAre("2027-07-17T07:00:00Z"));
}

TEST(NextYearly, StartsWithTheDateItself) {
    const auto rule = every_year_on("1987-07-17");
    EXPECT_THAT(next_of(rule, utc_zone(), "0001-01-01T00:00:00Z", 2),
                ElementsAre("1987-07-17T09:00:00Z", "1988-07-17T09:00:00Z"));
}

TEST(NextYearly, HasNoFirstYearWhenTheYearIsUnknown) {
    EXPECT_THAT(next_of(every_year_on("--07-17"), utc_zone(), "0001-01-01T00:00:00Z", 1),
                ElementsAre("0001-07-17T09:00:00Z"));
}

TEST(NextYearly, EndsWithTheYear9999) {
    auto rule = every_year_on("--12-31");
    EXPECT_THAT(next_of(rule, utc_zone(), "9998-01-01T00:00:00Z", 9),
                ElementsAre("9998-12-31T09:00:00Z", "9999-12-31T09:00:00Z"));
    EXPECT_THAT(next_of(rule, FakeZone("West", -15h), "9999-01-01T00:00:00Z", 1), IsEmpty());
    EXPECT_EQ(next_yearly(rule, utc_zone(), never), std::nullopt);
}

TEST(NextYearly, TakesAnyMomentBeforeTheRangeAsItsStart) {
    EXPECT_EQ(next_yearly(every_year_on("--01-01"), utc_zone(), Instant::min())->instant,
              at("0001-01-01T09:00:00Z"));
    // 09:00 in the far east on the first day of year 1 is still year 0 in UTC.
    EXPECT_EQ(next_yearly(every_year_on("--01-01"), FakeZone("East", 10h), Instant::min())->instant,
              at("0001-12-31T23:00:00Z"));
}

struct LeapCase {
    LeapPolicy policy;
    std::vector<std::string> from_2026;
};
void PrintTo(const LeapCase& c, std::ostream* out) { *out << to_string(c.policy); }
class Leapling : public testing::TestWithParam<LeapCase> {};
TEST_P(Leapling, CelebratesInCommonYearsByPolicy) {
    auto rule = every_year_on("2004-02-29");
    rule.leap = GetParam().policy;
    EXPECT_EQ(next_of(rule, FakeZone("America/Bogota", -5h), "2026-01-17T00:00:00Z", 3),
              GetParam().from_2026);
}
INSTANTIATE_TEST_SUITE_P(
    Policies, Leapling,
    testing::Values(
        LeapCase{LeapPolicy::feb28,
                 {"2026-02-28T14:00:00Z", "2027-02-28T14:00:00Z", "2028-02-29T14:00:00Z"}},
        LeapCase{LeapPolicy::mar1,
                 {"2026-03-01T14:00:00Z", "2027-03-01T14:00:00Z", "2028-02-29T14:00:00Z"}},
        LeapCase{LeapPolicy::skip,
                 {"2028-02-29T14:00:00Z", "2032-02-29T14:00:00Z", "2036-02-29T14:00:00Z"}}));

TEST(NextYearly, WaitsEightYearsWithSkipAround2100) {
    auto rule = every_year_on("--02-29");
    rule.leap = LeapPolicy::skip;
    EXPECT_THAT(next_of(rule, utc_zone(), "2096-02-29T09:00:00Z", 1),
                ElementsAre("2104-02-29T09:00:00Z"));
}

TEST(NextYearly, IgnoresTheLeapPolicyForOtherDays) {
    for (const auto leap : {LeapPolicy::feb28, LeapPolicy::mar1, LeapPolicy::skip}) {
        auto rule = every_year_on("--02-28");
        rule.leap = leap;
        EXPECT_THAT(next_of(rule, utc_zone(), "2027-01-01T00:00:00Z", 2),
                    ElementsAre("2027-02-28T09:00:00Z", "2028-02-28T09:00:00Z"));
    }
}

TEST(NextYearly, ResolvesTheTimeAfterTheDateIsChosen) {
    auto rule = every_year_on("1987-03-14");
    rule.at = 2h + 17min;
    EXPECT_THAT(next_of(rule, new_york(), "2027-01-17T00:00:00Z", 1),
                ElementsAre("2027-03-14T07:17:00Z"));
    rule.gap = GapPolicy::boundary;
    EXPECT_THAT(next_of(rule, new_york(), "2027-01-17T00:00:00Z", 1),
                ElementsAre("2027-03-14T07:00:00Z"));
    rule.gap = GapPolicy::skip;
    EXPECT_THAT(next_of(rule, new_york(), "2027-01-17T00:00:00Z", 1),
                ElementsAre("2028-03-14T07:17:00Z"));
}

TEST(NextYearly, HasTwoOccurrencesInAnOverlapWithBoth) {
    auto rule = every_year_on("1987-11-07");
    rule.at = 1h + 17min;
    rule.overlap = OverlapPolicy::both;
    EXPECT_THAT(
        next_of(rule, new_york(), "2026-11-30T00:00:00Z", 3),
        ElementsAre("2027-11-07T05:17:00Z", "2027-11-07T06:17:00Z", "2028-11-07T06:17:00Z"));

    const auto first = next_yearly(rule, new_york(), at("2027-01-01T00:00:00Z"));
    const auto second = next_yearly(rule, new_york(), first->instant);
    EXPECT_FALSE(first->second_pass);
    EXPECT_TRUE(second->second_pass);
    EXPECT_EQ(first->nominal, second->nominal);
}

TEST(NextYearly, MovesABirthdayByADayWhereItsDayWasLeftOut) {
    const auto next = next_yearly(every_year_on("1990-12-30"), apia(), at("2011-01-01T00:00:00Z"));
    EXPECT_EQ(format_zoned(next->instant, apia()), "2011-12-31T09:00:00+14:00[Pacific/Apia]");
    EXPECT_EQ(format_date(next->nominal), "2011-12-30");
    EXPECT_EQ(format_wall(next->wall), "2011-12-30T09:00:00");
}

TEST(NextYearly, SeesTheOldYearsLastDayWhenAGapMovedItIntoTheNew) {
    // Like Samoa's change, but over 31 December.
    const FakeZone zone("Pacific/Elsewhere", -10h,
                        {{std::chrono::sys_days{std::chrono::December / 31 / 2011} + 10h, 14h}});
    EXPECT_THAT(next_of(every_year_on("--12-31"), zone, "2011-12-31T11:00:00Z", 2),
                ElementsAre("2011-12-31T19:00:00Z", "2012-12-30T19:00:00Z"));
}

TEST(YearlyOn, KeepsTheNominalDateInAnotherZone) {
    const auto rule = every_year_on("1987-07-17");
    const auto nominal = std::chrono::year{2026} / 7 / 17;
    EXPECT_EQ(yearly_on(rule, FakeZone("Pacific/Honolulu", -10h), nominal)->instant,
              at("2026-07-17T19:00:00Z"));
    const auto moved = yearly_on(rule, FakeZone("Pacific/Auckland", 12h), nominal);
    EXPECT_EQ(moved->instant, at("2026-07-16T21:00:00Z"));
    EXPECT_EQ(moved->nominal, nominal);
}

TEST(YearlyOn, HasNothingWhereAPolicySkipsIt) {
    auto rule = every_year_on("1987-03-14");
    rule.at = 2h + 17min;
    rule.gap = GapPolicy::skip;
    const auto nominal = std::chrono::year{2027} / 3 / 14;
    EXPECT_EQ(yearly_on(rule, new_york(), nominal), std::nullopt);
    EXPECT_NE(yearly_on(rule, utc_zone(), nominal), std::nullopt);
}

std::vector<RuleOccurrence> listed(const YearlyRule& rule, FakeZone zone, std::string_view after,
                                   std::size_t count) {
    const auto recurrence = yearly_recurrence(rule, std::make_shared<FakeZone>(std::move(zone)));
    const auto cursor = recurrence->after(at(after), Skipped::listed);
    std::vector<RuleOccurrence> found;
    for (std::size_t i = 0; i < count; ++i) found.push_back(cursor->next().value());
    return found;
}

std::vector<std::string> described(const std::vector<RuleOccurrence>& occurrences) {
    std::vector<std::string> texts;
    for (const RuleOccurrence& each : occurrences)
        texts.push_back(format_wall(each.nominal) + " " + format_instant(each.instant) + " " +
                        std::string(to_string(each.note)));
    return texts;
}

TEST(YearlyRecurrence, NotesTheReplacementOfALeapDay) {
    auto rule = every_year_on("2004-02-29");
    EXPECT_THAT(described(listed(rule, utc_zone(), "2027-01-01T00:00:00Z", 2)),
                ElementsAre("2027-02-28T09:00:00 2027-02-28T09:00:00Z leap_moved",
                            "2028-02-29T09:00:00 2028-02-29T09:00:00Z "));
    rule.leap = LeapPolicy::skip;
    EXPECT_THAT(described(listed(rule, FakeZone("America/Bogota", -5h), "2027-01-01T00:00:00Z", 2)),
                ElementsAre("2027-03-01T00:00:00 2027-03-01T05:00:00Z leap_skipped",
                            "2028-02-29T09:00:00 2028-02-29T14:00:00Z "));
}

TEST(YearlyRecurrence, NotesTheResolutionOfAGap) {
    auto rule = every_year_on("--03-14");
    rule.at = 2h + 17min;
    const auto in_2027 = [&](GapPolicy policy) {
        rule.gap = policy;
        return described(listed(rule, new_york(), "2027-01-01T00:00:00Z", 1)).front();
    };
    EXPECT_EQ(in_2027(GapPolicy::compatible), "2027-03-14T02:17:00 2027-03-14T07:17:00Z gap_later");
    EXPECT_EQ(in_2027(GapPolicy::earlier), "2027-03-14T02:17:00 2027-03-14T06:17:00Z gap_earlier");
    EXPECT_EQ(in_2027(GapPolicy::boundary),
              "2027-03-14T02:17:00 2027-03-14T07:00:00Z gap_boundary");
    EXPECT_EQ(in_2027(GapPolicy::skip), "2027-03-14T02:17:00 2027-03-14T07:00:00Z gap_skipped");
}

TEST(YearlyRecurrence, NotesTheResolutionOfAnOverlap) {
    auto rule = every_year_on("--11-07");
    rule.at = 1h + 17min;
    const auto in_2027 = [&](OverlapPolicy policy, std::size_t count) {
        rule.overlap = policy;
        return described(listed(rule, new_york(), "2027-01-01T00:00:00Z", count));
    };
    const std::string first = "2027-11-07T01:17:00 2027-11-07T05:17:00Z overlap_earlier";
    const std::string second = "2027-11-07T01:17:00 2027-11-07T06:17:00Z overlap_later";
    EXPECT_THAT(in_2027(OverlapPolicy::compatible, 1), ElementsAre(first));
    EXPECT_THAT(in_2027(OverlapPolicy::later, 1), ElementsAre(second));
    EXPECT_THAT(in_2027(OverlapPolicy::both, 2), ElementsAre(first, second));
    EXPECT_THAT(in_2027(OverlapPolicy::skip, 1),
                ElementsAre("2027-11-07T01:17:00 2027-11-07T05:17:00Z overlap_skipped"));
}

TEST(YearlyRecurrence, CountsWithoutWalkingThroughTheYears) {
    const auto utc = std::make_shared<FakeZone>(utc_zone());
    auto rule = every_year_on("--02-29");
    EXPECT_EQ(yearly_recurrence(rule, utc)->count(Instant::min(), never), 9999U);
    rule.leap = LeapPolicy::skip;
    EXPECT_EQ(yearly_recurrence(rule, utc)->count(Instant::min(), never), 2424U);
    EXPECT_EQ(
        yearly_recurrence(rule, utc)->count(at("2024-02-29T09:00:00Z"), at("2032-02-29T09:00:00Z")),
        2U);
    rule.gap = GapPolicy::skip;
    EXPECT_EQ(yearly_recurrence(rule, utc)->count(Instant::min(), never), 2424U);
    rule.from = std::chrono::year{9000};
    EXPECT_EQ(yearly_recurrence(rule, utc)->count(Instant::min(), at("2000-01-01T00:00:00Z")), 0U);
}

TEST(DescribeYearly, NamesTheDayAndTheLeapPolicy) {
    auto rule = every_year_on("1987-07-17");
    EXPECT_EQ(describe(rule), "every year on 17 July at 09:00");
    rule = every_year_on("--02-29");
    EXPECT_EQ(describe(rule), "every year on 29 February at 09:00, in common years on 28 February");
    rule.leap = LeapPolicy::mar1;
    EXPECT_EQ(describe(rule), "every year on 29 February at 09:00, in common years on 1 March");
    rule.leap = LeapPolicy::skip;
    EXPECT_EQ(describe(rule), "every year on 29 February at 09:00, not in common years");
}

}  // namespace
}  // namespace sundial
