#include "domain/time/resolve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "domain/time/text.hpp"
#include "domain/time/types.hpp"
#include "support/fake_zone.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

WallTime wall(std::string_view text) { return parse_local(text)->wall; }

/// The instant as text, "skipped", or the code of the error.
std::string answer(const TimeResult<Resolved>& resolved) {
    if (!resolved) return std::string(to_string(resolved.error().code));
    return resolved->instant ? format_instant(*resolved->instant) : "skipped";
}

std::string answers(const Passes& passes) {
    if (!passes.first) return passes.second ? "second without first" : "none";
    return format_instant(*passes.first) +
           (passes.second ? " " + format_instant(*passes.second) : "");
}

TEST(Resolve, TakesTheOnlyMeaningOfAnOrdinaryTimeWhateverThePolicy) {
    for (const auto gap : {GapPolicy::compatible, GapPolicy::skip, GapPolicy::reject}) {
        for (const auto overlap :
             {OverlapPolicy::compatible, OverlapPolicy::skip, OverlapPolicy::reject}) {
            const auto resolved = resolve(wall("2026-07-01T12:17"), new_york(), gap, overlap);
            EXPECT_EQ(answer(resolved), "2026-07-01T16:17:00Z");
            EXPECT_EQ(resolved->kind, LocalLookup::Kind::unique);
        }
    }
}

struct GapCase {
    GapPolicy policy;
    std::string_view dst, half_hour, apia;
};
void PrintTo(const GapCase& c, std::ostream* out) { *out << to_string(c.policy); }
class Gap : public testing::TestWithParam<GapCase> {};
TEST_P(Gap, IsResolvedByItsPolicy) {
    const auto& [policy, dst, half_hour, over_the_date_line] = GetParam();
    const FakeZone lord_howe(
        "Australia/Lord_Howe", 10h + 30min,
        {{std::chrono::sys_days{std::chrono::October / 3 / 2026} + 15h + 30min, 11h}});
    const auto in = [chosen = policy](std::string_view text, const Zone& zone) {
        return answer(resolve(wall(text), zone, chosen, OverlapPolicy::compatible));
    };
    EXPECT_EQ(in("2026-03-08T02:17:00", new_york()), dst);
    EXPECT_EQ(in("2026-10-04T02:17:00", lord_howe), half_hour);
    EXPECT_EQ(in("2011-12-30T13:17:00", apia()), over_the_date_line);
}
INSTANTIATE_TEST_SUITE_P(Policies, Gap,
                         testing::Values(GapCase{GapPolicy::compatible, "2026-03-08T07:17:00Z",
                                                 "2026-10-03T15:47:00Z", "2011-12-30T23:17:00Z"},
                                         GapCase{GapPolicy::earlier, "2026-03-08T06:17:00Z",
                                                 "2026-10-03T15:17:00Z", "2011-12-29T23:17:00Z"},
                                         GapCase{GapPolicy::later, "2026-03-08T07:17:00Z",
                                                 "2026-10-03T15:47:00Z", "2011-12-30T23:17:00Z"},
                                         GapCase{GapPolicy::boundary, "2026-03-08T07:00:00Z",
                                                 "2026-10-03T15:30:00Z", "2011-12-30T10:00:00Z"},
                                         GapCase{GapPolicy::skip, "skipped", "skipped", "skipped"},
                                         GapCase{GapPolicy::reject, "nonexistent_time",
                                                 "nonexistent_time", "nonexistent_time"}));

struct OverlapCase {
    OverlapPolicy policy;
    std::string_view answer;
};
void PrintTo(const OverlapCase& c, std::ostream* out) { *out << to_string(c.policy); }
class Overlap : public testing::TestWithParam<OverlapCase> {};
TEST_P(Overlap, IsResolvedByItsPolicy) {
    EXPECT_EQ(answer(resolve(wall("2026-11-01T01:17"), new_york(), GapPolicy::compatible,
                             GetParam().policy)),
              GetParam().answer);
}
INSTANTIATE_TEST_SUITE_P(
    Policies, Overlap,
    testing::Values(OverlapCase{OverlapPolicy::compatible, "2026-11-01T05:17:00Z"},
                    OverlapCase{OverlapPolicy::earlier, "2026-11-01T05:17:00Z"},
                    OverlapCase{OverlapPolicy::later, "2026-11-01T06:17:00Z"},
                    OverlapCase{OverlapPolicy::both, "not_allowed"},
                    OverlapCase{OverlapPolicy::skip, "skipped"},
                    OverlapCase{OverlapPolicy::reject, "ambiguous_time"}));

TEST(Resolve, ReportsWhereTheTimeLies) {
    const auto kind_of = [](std::string_view text) {
        return resolve(wall(text), new_york(), GapPolicy::skip, OverlapPolicy::skip)->kind;
    };
    EXPECT_EQ(kind_of("2026-03-08T01:59:59"), LocalLookup::Kind::unique);
    EXPECT_EQ(kind_of("2026-03-08T02:00:00"), LocalLookup::Kind::gap);
    EXPECT_EQ(kind_of("2026-03-08T02:59:59.999999"), LocalLookup::Kind::gap);
    EXPECT_EQ(kind_of("2026-03-08T03:00:00"), LocalLookup::Kind::unique);
    EXPECT_EQ(kind_of("2026-11-01T00:59:59.999999"), LocalLookup::Kind::unique);
    EXPECT_EQ(kind_of("2026-11-01T01:00:00"), LocalLookup::Kind::overlap);
    EXPECT_EQ(kind_of("2026-11-01T01:59:59.999999"), LocalLookup::Kind::overlap);
    EXPECT_EQ(kind_of("2026-11-01T02:00:00"), LocalLookup::Kind::unique);
}

TEST(Resolve, KeepsAFractionButAtTheBoundary) {
    const auto in_gap = wall("2026-03-08T02:17:00.25");
    const auto by = [&](GapPolicy gap) {
        return answer(resolve(in_gap, new_york(), gap, OverlapPolicy::compatible));
    };
    EXPECT_EQ(by(GapPolicy::later), "2026-03-08T07:17:00.25Z");
    EXPECT_EQ(by(GapPolicy::earlier), "2026-03-08T06:17:00.25Z");
    EXPECT_EQ(by(GapPolicy::boundary), "2026-03-08T07:00:00Z");
    EXPECT_EQ(answer(resolve(wall("1969-07-20T20:17:40.5"), utc_zone(), GapPolicy::compatible,
                             OverlapPolicy::compatible)),
              "1969-07-20T20:17:40.5Z");
}

std::string with_offset(std::string_view text, std::chrono::seconds offset,
                        OverlapPolicy overlap = OverlapPolicy::compatible) {
    return answer(resolve(wall(text), new_york(), GapPolicy::compatible, overlap, offset));
}

TEST(Resolve, LetsTheOffsetChooseInAnOverlapWhateverThePolicy) {
    for (const auto policy : {OverlapPolicy::compatible, OverlapPolicy::later, OverlapPolicy::skip,
                              OverlapPolicy::reject}) {
        EXPECT_EQ(with_offset("2026-11-01T01:17", -4h, policy), "2026-11-01T05:17:00Z");
        EXPECT_EQ(with_offset("2026-11-01T01:17:00.5", -5h, policy), "2026-11-01T06:17:00.5Z");
    }
}

TEST(Resolve, RefusesAnOffsetThatTheZoneDoesNotHaveThere) {
    EXPECT_EQ(with_offset("2026-07-01T12:00", -4h), "2026-07-01T16:00:00Z");
    EXPECT_EQ(with_offset("2026-07-01T12:00", -5h), "offset_mismatch");
    EXPECT_EQ(with_offset("2026-11-01T01:17", -6h), "offset_mismatch");
    EXPECT_EQ(with_offset("2026-03-08T02:17", -4h), "offset_mismatch");
    EXPECT_EQ(with_offset("2026-03-08T02:17", -5h), "offset_mismatch");
}

TEST(Resolve, NamesTheValidOffsets) {
    const auto overlap = resolve(wall("2026-11-01T01:17"), new_york(), GapPolicy::compatible,
                                 OverlapPolicy::compatible, 2h);
    EXPECT_THAT(overlap.error().message, HasSubstr("-04:00 and -05:00"));
    EXPECT_THAT(overlap.error().message, HasSubstr("America/New_York"));
    const auto mean_time =
        resolve(wall("1890-01-01T00:00"), FakeZone("America/New_York", -(4h + 56min + 2s)),
                GapPolicy::compatible, OverlapPolicy::compatible, -(4h + 56min));
    EXPECT_THAT(mean_time.error().message, HasSubstr("-04:56:02"));
}

TEST(Resolve, RefusesTimesOutsideTheYears1To9999InUtc) {
    const FakeZone east("East", 9h);
    const FakeZone west("West", -9h);
    const auto in = [](std::string_view text, const Zone& zone) {
        return answer(resolve(wall(text), zone, GapPolicy::compatible, OverlapPolicy::compatible));
    };
    EXPECT_EQ(in("0001-01-01T08:59:59", east), "out_of_range");
    EXPECT_EQ(in("0001-01-01T09:00:00", east), "0001-01-01T00:00:00Z");
    EXPECT_EQ(in("9999-12-31T14:59:59", west), "9999-12-31T23:59:59Z");
    EXPECT_EQ(in("9999-12-31T15:00:00", west), "out_of_range");
    EXPECT_EQ(answer(resolve(wall("9999-12-31T15:00:00"), west, GapPolicy::compatible,
                             OverlapPolicy::compatible, -9h)),
              "out_of_range");
}

TEST(ResolveRecurring, GivesBothPassesOfAnOverlapInOrder) {
    const auto passes_at = [](std::string_view text, GapPolicy gap, OverlapPolicy overlap) {
        return answers(resolve_recurring(wall(text), new_york(), gap, overlap));
    };
    EXPECT_EQ(passes_at("2026-11-01T01:17", GapPolicy::compatible, OverlapPolicy::both),
              "2026-11-01T05:17:00Z 2026-11-01T06:17:00Z");
    EXPECT_EQ(passes_at("2026-11-01T01:17", GapPolicy::compatible, OverlapPolicy::later),
              "2026-11-01T06:17:00Z");
    EXPECT_EQ(passes_at("2026-11-01T01:17", GapPolicy::compatible, OverlapPolicy::skip), "none");
    EXPECT_EQ(passes_at("2026-11-01T02:00", GapPolicy::compatible, OverlapPolicy::both),
              "2026-11-01T07:00:00Z");
    EXPECT_EQ(passes_at("2026-03-08T02:17", GapPolicy::boundary, OverlapPolicy::both),
              "2026-03-08T07:00:00Z");
    EXPECT_EQ(passes_at("2026-03-08T02:17", GapPolicy::skip, OverlapPolicy::both), "none");
}

TEST(ResolveRecurring, HasNothingOutsideTheRange) {
    EXPECT_EQ(answers(resolve_recurring(wall("9999-12-31T15:00:00"), FakeZone("West", -9h),
                                        GapPolicy::compatible, OverlapPolicy::compatible)),
              "none");
}

TEST(ResolveRecurringDeathTest, TakesNoReject) {
    EXPECT_DEATH(static_cast<void>(resolve_recurring(wall("2026-11-01T02:00"), new_york(),
                                                     GapPolicy::reject, OverlapPolicy::both)),
                 "");
}

}  // namespace
}  // namespace sundial
