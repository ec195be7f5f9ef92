#include "cli/shadow/run_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "adapters/zones/cctz_time_zones.hpp"
#include "adapters/zones/zoneinfo.hpp"
#include "cli/output.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RunLogTest : public testing::Test {
protected:
    [[nodiscard]] RunLog read(std::string_view text, const RunLogOptions& options = {}) const {
        const auto zone = zones_->find("Europe/Berlin").value();
        return read_run_log(text, options, *zone, parse_instant("2027-01-02T12:00:00Z")->instant);
    }
    [[nodiscard]] static std::vector<std::string> brief(const RunLog& log) {
        std::vector<std::string> all;
        for (const LoggedRun& run : log.runs)
            all.push_back(std::to_string(run.line) + ' ' + format_instant(run.at) + ' ' + run.name +
                          (run.user.empty() ? "" : " of " + run.user));
        return all;
    }
    static RunLogOptions csv() { return {.format = RunLogFormat::csv}; }
    [[nodiscard]] std::string time_in(const std::string& text) const {
        const RunLog log = read("time,name\n" + text + ",x\n", csv());
        return log.runs.empty() ? "refused" : format_instant(log.runs.front().at);
    }

    std::unique_ptr<const TimeZones> zones_ =
        std::make_unique<zones::CctzTimeZones>(zones::zoneinfo_directory());
};

TEST_F(RunLogTest, ReadsTheStartsOfCronJobs) {
    const RunLog log = read(
        "Dec 31 23:59:01 web CRON[812]: (root) CMD (   cd / && run-parts --report "
        "/etc/cron.hourly)\n"
        "Dec 31 23:59:01 web CRON[811]: pam_unix(cron:session): session opened for user root\n"
        "Jan  1 00:00:01 web cron[813]: (ada) CMD (echo (a) CMD (b))\n"
        "2027-01-01T00:15:01.123456+01:00 web CRON[814]: (ada) CMD (poll)\n"
        "2027-01-01T00:30:01+0100 web CROND[815]: (ada) CMD (poll)\n"
        "2027-01-01T00:30:02+0100 web CRON[815]: (ada) CMDEND (poll)\n"
        "2027-01-01T00:30:03+0100 web app[1]: (ada) CMD (not of the daemon)\n");
    EXPECT_THAT(
        brief(log),
        ElementsAre("1 2026-12-31T22:59:01Z cd / && run-parts --report /etc/cron.hourly of root",
                    "3 2026-12-31T23:00:01Z echo (a) CMD (b) of ada",
                    "4 2026-12-31T23:15:01.123456Z poll of ada",
                    "5 2026-12-31T23:30:01Z poll of ada"));
    EXPECT_THAT(log.unread, IsEmpty());
}

TEST_F(RunLogTest, OneUserIsSelected) {
    const RunLog log = read(
        "Dec 31 23:59:01 web CRON[812]: (root) CMD (x)\nDec 31 23:59:01 web CRON[812]: (ada) CMD "
        "(x)\n",
        {.user = "ada"});
    EXPECT_THAT(log.runs, SizeIs(1));
}

TEST_F(RunLogTest, ALineOfCronWithoutATimeIsReported) {
    const RunLog log = read("yesterday web CRON[812]: (root) CMD (x)\n");
    EXPECT_THAT(log.runs, IsEmpty());
    ASSERT_THAT(log.unread, SizeIs(1));
    EXPECT_EQ(log.unread[0].line, 1U);
}

TEST_F(RunLogTest, ReadsTimesAsOtherProgramsWriteThem) {
    EXPECT_EQ(time_in("2027-01-01T05:00:00Z"), "2027-01-01T05:00:00Z");
    EXPECT_EQ(time_in("2027-01-01 05:00:00.5+00"), "2027-01-01T05:00:00.5Z");
    EXPECT_EQ(time_in("2027-01-01 05:00:00+0530"), "2026-12-31T23:30:00Z");
    EXPECT_EQ(time_in("2027-01-01 05:00:00 UTC"), "2027-01-01T05:00:00Z");
    EXPECT_EQ(time_in("2027-01-01 05:00:00"), "2027-01-01T04:00:00Z");
    EXPECT_EQ(time_in("2027-01-01T05:00"), "2027-01-01T04:00:00Z");
    EXPECT_EQ(time_in("1798779600"), "2027-01-01T05:00:00Z");
    EXPECT_EQ(time_in("1798779600250"), "2027-01-01T05:00:00.25Z");
    EXPECT_EQ(time_in("soon"), "refused");
    EXPECT_EQ(time_in("99999999999999999999"), "refused");
    EXPECT_EQ(time_in(""), "refused");
}

TEST_F(RunLogTest, ATimeThatOccursTwiceFollowsTheLinesBefore) {
    const RunLog log = read(
        "time,name\n2026-10-25 02:30:00,a\n2026-10-25 02:45:00,a\n2026-10-25 02:30:00,a\n"
        "2026-10-25 02:45:00,a\n2026-10-25 03:00:00,a\n",
        csv());
    EXPECT_THAT(brief(log), ElementsAre("2 2026-10-25T00:30:00Z a", "3 2026-10-25T00:45:00Z a",
                                        "4 2026-10-25T01:30:00Z a", "5 2026-10-25T01:45:00Z a",
                                        "6 2026-10-25T02:00:00Z a"));
}

TEST_F(RunLogTest, ColumnsMayHaveOtherNames) {
    RunLogOptions options = csv();
    options.time_column = "start_time";
    options.name_column = "command";
    const RunLog log = read(
        "jobid,command,start_time\n1,\"select 1, 2\",2027-01-01 05:00:00+00\n2,x\n3,y,\n", options);
    EXPECT_THAT(brief(log), ElementsAre("2 2027-01-01T05:00:00Z select 1, 2"));
    ASSERT_THAT(log.unread, SizeIs(2));
    EXPECT_THAT(log.unread[0].reason, HasSubstr("2 fields"));
    EXPECT_THAT(log.unread[1].reason, HasSubstr("no time"));
    EXPECT_THAT(read("\xEF\xBB\xBF"
                     "start_time,command\n2027-01-01 05:00:00+00,x\n",
                     options)
                    .runs,
                SizeIs(1));
    options.name_column = "jobname";
    EXPECT_THROW((void)read("jobid,command,start_time\n", options), BadArgument);
    EXPECT_THROW((void)read("", options), BadArgument);
}

TEST_F(RunLogTest, ReadsLinesOfJson) {
    const RunLog log = read(
        "{\"time\":\"2027-01-01T05:00:00Z\",\"name\":\"a\"}\n\n{\"time\":1798779600000,\"name\":"
        "\"b\"}\nx\n",
        {.format = RunLogFormat::ndjson});
    EXPECT_THAT(brief(log), ElementsAre("1 2027-01-01T05:00:00Z a", "3 2027-01-01T05:00:00Z b"));
    EXPECT_THAT(log.unread, SizeIs(1));
}

TEST_F(RunLogTest, CommandsAreEscapedAsCronDoes) {
    EXPECT_EQ(as_cron_logs("  a\tb  "), "a^Ib");
    EXPECT_EQ(as_cron_logs("caf\xc3\xa9"), "caf\\303\\251");
}

}  // namespace
}  // namespace sundial::cli
