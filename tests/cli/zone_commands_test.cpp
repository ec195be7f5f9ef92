#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "domain/time/text.hpp"
#include "support/fake_time_zones.hpp"

namespace sundial::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

const Instant now = parse_instant("2026-11-21T12:00:00Z")->instant;

/// Tests the output of a command with the fake tz database 2025b.
class ZoneCommands : public testing::Test {
protected:
    int list(const std::string& part) { return list_zones(part, zones, now, output()); }
    int show(const ZoneShowOptions& options) { return show_zone(options, zones, now, output()); }
    int convert(const ZoneConvertOptions& options) {
        return convert_time(options, zones, output());
    }
    int diff(const ZoneDiffOptions& options, const TzData& after) {
        return diff_zones(options, zones, after, now, output());
    }
    [[nodiscard]] std::string out() const { return out_.str(); }
    [[nodiscard]] std::string err() const { return err_.str(); }

    FakeTzData zones;
    bool json = false;

private:
    Output output() { return {out_, err_, json}; }
    std::ostringstream out_, err_;
};

TEST(TextTable, AlignsColumnsAndEndsLinesWithoutBlanks) {
    TextTable table({"zone", "offset"});
    table.add({"Europe/Paris", "+01:00"});
    table.add({"UTC", ""});
    EXPECT_EQ(table.text(), "zone          offset\nEurope/Paris  +01:00\nUTC\n");
}

TEST_F(ZoneCommands, ListsByAPartOfTheNameInAnyCase) {
    EXPECT_EQ(list("YORK"), 0);
    EXPECT_EQ(out(),
              "zone              offset  next change (UTC)\n"
              "America/New_York  -05:00  2027-03-14T07:00:00Z to -04:00\n");
}

TEST_F(ZoneCommands, ListsAsTheApiDoes) {
    json = true;
    EXPECT_EQ(list("p"), 0);
    EXPECT_THAT(out(), HasSubstr(R"({"release":"2025b","data":[)"));
    EXPECT_THAT(out(), HasSubstr(R"({"name":"Europe/Paris","offset":"+01:00","changes":[]})"));
}

TEST_F(ZoneCommands, ReportsThatNoNameHasThePart) {
    EXPECT_EQ(list("mars"), 3);
    EXPECT_THAT(err(), HasSubstr("no zone has 'mars' in its name"));
    EXPECT_THAT(out(), IsEmpty());
}

TEST_F(ZoneCommands, ShowsTheChangesOfTheClock) {
    EXPECT_EQ(show({.zone = "America/New_York", .from = {}, .to = "2028-01-01T00:00:00Z"}), 0);
    EXPECT_THAT(out(), HasSubstr("America/New_York, tzdata 2025b: now 2026-11-21T07:00:00"));
    EXPECT_THAT(out(),
                HasSubstr("2027-03-14T02:00:00  2027-03-14T03:00:00  2027-03-14T07:00:00Z  -05:00 "
                          "to -04:00  forward by PT1H: the times between do not exist"));
    EXPECT_THAT(out(), HasSubstr("2027-11-07T02:00:00  2027-11-07T01:00:00  2027-11-07T06:00:00Z  "
                                 "-04:00 to -05:00  back by PT1H: the times between occur twice"));
}

TEST_F(ZoneCommands, ReportsThatNothingChanges) {
    EXPECT_EQ(show({.zone = "UTC", .from = {}, .to = {}}), 0);
    EXPECT_THAT(out(), HasSubstr("no change from 2026-11-21T12:00:00Z to 2029-11-2"));
}

TEST_F(ZoneCommands, RefusesInvalidZonesAndTimes) {
    EXPECT_EQ(show({.zone = "Mars/Base", .from = {}, .to = {}}), 3);
    EXPECT_THAT(err(), HasSubstr("unknown_zone"));
    EXPECT_EQ(show({.zone = "UTC", .from = "yesterday", .to = {}}), 2);
    EXPECT_THAT(err(), HasSubstr("--from: "));
    EXPECT_EQ(show({.zone = "UTC", .from = {}, .to = "2020-01-01T00:00:00Z"}), 2);
    EXPECT_THAT(err(), HasSubstr("--to must not be before --from"));
    EXPECT_THAT(out(), IsEmpty());
}

TEST_F(ZoneCommands, ConvertsALocalTimeToOtherClocks) {
    EXPECT_EQ(convert({.time = "2027-01-05T09:00",
                       .from = "America/New_York",
                       .to = {"UTC", "Asia/Kolkata"}}),
              0);
    EXPECT_EQ(out(),
              "local                offset  zone\n"
              "2027-01-05T14:00:00  +00:00  UTC\n"
              "2027-01-05T19:30:00  +05:30  Asia/Kolkata\n");
    EXPECT_THAT(err(), IsEmpty());
}

TEST_F(ZoneCommands, ConvertsAnInstantWithoutAZone) {
    EXPECT_EQ(convert({.time = "2027-01-05T14:00:00Z", .from = {}, .to = {"America/New_York"}}), 0);
    EXPECT_THAT(out(), HasSubstr("2027-01-05T09:00:00  -05:00  America/New_York"));
}

TEST_F(ZoneCommands, NotesAGapAndAnOverlapAndLetsChoose) {
    ZoneConvertOptions gap{.time = "2027-03-14T02:30", .from = "America/New_York", .to = {}};
    EXPECT_EQ(convert(gap), 0);
    EXPECT_THAT(out(), HasSubstr("2027-03-14T07:30:00"));
    EXPECT_THAT(err(), HasSubstr("2027-03-14T02:30:00 does not exist in America/New_York"));
    gap.gap = "boundary";
    EXPECT_EQ(convert(gap), 0);
    EXPECT_THAT(out(), HasSubstr("2027-03-14T07:00:00"));
    gap.gap = "reject";
    EXPECT_EQ(convert(gap), 2);
    EXPECT_THAT(err(), HasSubstr("nonexistent_time"));
    EXPECT_EQ(convert({.time = "2027-11-07T01:30",
                       .from = "America/New_York",
                       .to = {},
                       .gap = "compatible",
                       .overlap = "later"}),
              0);
    EXPECT_THAT(out(), HasSubstr("2027-11-07T06:30:00"));
    EXPECT_THAT(err(), HasSubstr("2027-11-07T01:30:00 occurs twice"));
}

TEST_F(ZoneCommands, ConvertsAsOneDocument) {
    json = true;
    EXPECT_EQ(convert({.time = "2027-03-14T02:30[America/New_York]", .from = {}, .to = {"UTC"}}),
              0);
    EXPECT_EQ(out(), R"({"utc":"2027-03-14T07:30:00Z","resolution":"gap","in":[)"
                     R"({"zone":"UTC","local":"2027-03-14T07:30:00","offset":"+00:00"}]})"
                     "\n");
}

TEST_F(ZoneCommands, RefusesAnInvalidConversion) {
    EXPECT_EQ(convert({.time = "2027-01-05T09:00", .from = {}, .to = {}}), 2) << "no zone";
    EXPECT_EQ(convert({.time = "2027-01-05T09:00", .from = "UTC", .to = {"Mars/Base"}}), 3);
    EXPECT_EQ(convert({.time = "tomorrow", .from = "UTC", .to = {}}), 2);
    EXPECT_EQ(convert({.time = "2027-01-05T09:00", .from = "UTC", .to = {}, .gap = "never"}), 2);
    EXPECT_THAT(err(), HasSubstr("--gap takes"));
    EXPECT_THAT(out(), IsEmpty());
}

TEST_F(ZoneCommands, ReportsWhichZonesDifferAndSinceWhen) {
    FakeTzData after{"2026f"};
    after.put(
        {"Europe/Paris", 1h, {{std::chrono::sys_days{std::chrono::March / 28 / 2027} + 1h, 2h}}});
    after.remove("Asia/Kolkata");
    after.put({"Europe/Kyiv", 2h});
    EXPECT_EQ(diff({}, after), 0);
    EXPECT_EQ(out(),
              "zone          differs from (UTC)    2025b   2026f\n"
              "Europe/Paris  2027-03-28T01:00:00Z  +01:00  +02:00\n"
              "Asia/Kolkata is only in 2025b\n"
              "Europe/Kyiv is only in 2026f\n");
    EXPECT_THAT(err(), HasSubstr("1 of 7 zones differ"));
}

TEST_F(ZoneCommands, ADifferenceOutsideTheRequestedTimeIsIgnored) {
    FakeTzData after{"2026f"};
    after.put(
        {"Europe/Paris", 1h, {{std::chrono::sys_days{std::chrono::March / 28 / 2027} + 1h, 2h}}});
    json = true;
    EXPECT_EQ(diff({.from = {}, .to = "2027-03-28T01:00:00Z"}, after), 0);
    EXPECT_EQ(out(), R"({"before":"2025b","after":"2026f","data":[],"gone":[],"new":[]})"
                     "\n");
}

}  // namespace
}  // namespace sundial::cli
