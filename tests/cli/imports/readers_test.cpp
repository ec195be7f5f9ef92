#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "cli/imports/imported_file.hpp"

namespace sundial::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> rules_of(const ImportedFile& file) {
    std::vector<std::string> rules;
    for (const ImportedEntry& entry : file.entries)
        rules.push_back(entry.trigger + ' ' + entry.rule + ' ' + entry.zone);
    return rules;
}

std::vector<std::string> reasons_of(const ImportedFile& file) {
    std::vector<std::string> reasons;
    for (const RefusedEntry& refused : file.refused)
        reasons.push_back(std::to_string(refused.line) + ": " + refused.reason);
    return reasons;
}

TEST(ReadCrontab, AppliesCronTzToTheLinesBelowIt) {
    const ImportedFile file = read_crontab(
        "# a comment\n"
        "MAILTO=ops@example.org\n"
        "30 2 * * *\t/usr/bin/backup --all\n"
        "CRON_TZ = \"Europe/Berlin\"\n"
        "@daily rotate\n"
        "*/5 8-18 * * MON-FRI poll X=1\n",
        {});
    EXPECT_THAT(rules_of(file), ElementsAre("cron 30 2 * * * UTC", "cron @daily Europe/Berlin",
                                            "cron */5 8-18 * * MON-FRI Europe/Berlin"));
    EXPECT_THAT(file.refused, IsEmpty());
    ASSERT_THAT(file.notes, SizeIs(1));
    EXPECT_THAT(file.notes.front(), HasSubstr("UTC"));
    EXPECT_EQ(file.entries[0].line, 3U);
    EXPECT_EQ(file.entries[0].payload, R"({"command":"/usr/bin/backup --all"})");
    EXPECT_THAT(file.entries[0].external_id, testing::StartsWith("crontab-backup-"));
}

TEST(ReadCrontab, TakesTheZoneOfTheCallerBeforeTheFiles) {
    const ImportedFile file =
        read_crontab("TZ=Asia/Tokyo\n0 9 * * * a\n", {.zone = "America/New_York"});
    EXPECT_THAT(rules_of(file), ElementsAre("cron 0 9 * * * America/New_York"));
    EXPECT_THAT(file.notes, IsEmpty());
    EXPECT_THAT(read_crontab("TZ=Asia/Tokyo\n0 9 * * * a\n", {}).notes, SizeIs(1));
}

TEST(ReadCrontab, SplitsCommandInputAndUser) {
    const ImportedFile file =
        read_crontab("0 9 * * * ada mail -s {x} b%Hi%100\\% done\n", {.with_user = true});
    ASSERT_THAT(file.entries, SizeIs(1));
    EXPECT_EQ(file.entries[0].payload,
              R"({"command":"mail -s {{x} b","input":"Hi\n100% done","user":"ada"})");
}

TEST(ReadCrontab, RefusesWhatCronDoesNotRun) {
    const struct {
        const char* line;
        const char* reason;
    } cases[]{
        {"@reboot /bin/true", "when a machine starts"},
        {"0 9 * *", "five fields"},
        {"0 9 * * *", "command is missing"},
        {"0~30 9 * * * a", "random"},
        {"5/15 * * * * a", "step without a range"},
        {"0 22-2 * * * a", "ends before it begins"},
        {"0 9 L * * a", "not a field of a crontab"},
        {"0 9 15W * * a", "not a field of a crontab"},
        {"0 9 ? * 2 a", "not a field of a crontab"},
        {"0 9 * * 5#2 a", "not a field of a crontab"},
    };
    for (const auto& each : cases) {
        const ImportedFile file = read_crontab(each.line, {});
        EXPECT_THAT(file.entries, IsEmpty()) << each.line;
        EXPECT_THAT(reasons_of(file), ElementsAre(HasSubstr(each.reason))) << each.line;
    }
}

TEST(ReadCrontab, DerivesIdsFromEntriesAndNotFromTheirPlace) {
    const ImportedFile one = read_crontab("0 9 * * * a\n0 9 * * * a\n0 9 * * * b\n", {});
    const ImportedFile other = read_crontab("\n0 9 * * * b\n0 9 * * * a\n", {});
    ASSERT_THAT(one.entries, SizeIs(3));
    ASSERT_THAT(other.entries, SizeIs(2));
    EXPECT_EQ(one.entries[1].external_id, one.entries[0].external_id + "-2");
    EXPECT_EQ(other.entries[0].external_id, one.entries[2].external_id);
    EXPECT_EQ(other.entries[1].external_id, one.entries[0].external_id);
}

TEST(TranslateQuartzCron, CountsDaysFromSundayAsZero) {
    const struct {
        const char* quartz;
        const char* rule;
    } cases[]{
        {"0 0 12 * * ?", "0 12 * * *"},
        {"0 15 10 ? * 2-6", "15 10 * * 1-5"},
        {"0 15 10 ? * MON-FRI", "15 10 * * MON-FRI"},
        {"0 15 10 ? * 1,7", "15 10 * * 0,6"},
        {"0 15 10 ? * 6L", "15 10 * * 5L"},
        {"0 15 10 ? * 6#3", "15 10 * * 5#3"},
        {"0 15 10 ? * 2/2", "15 10 * * 1/2"},
        {"0 15 10 ? * L", "15 10 * * 6"},
        {"0 15 10 L * ?", "15 10 L * *"},
        {"0 15 10 LW * ?", "15 10 LW * *"},
        {"0 15 10 15W * ?", "15 10 15W * *"},
        {"30 0/5 14 * * ?", "30 0/5 14 * * *"},
    };
    for (const auto& each : cases) {
        const TranslatedCron cron = translate_quartz_cron(split_words(each.quartz));
        EXPECT_EQ(cron.error, "") << each.quartz;
        EXPECT_EQ(cron.rule, each.rule) << each.quartz;
    }
}

TEST(TranslateQuartzCron, MakesStartAndEndOfYears) {
    const TranslatedCron cron = translate_quartz_cron({"0", "0", "12", "*", "*", "?", "2027-2028"});
    EXPECT_EQ(cron.starts_at, "2027-01-01T00:00:00");
    EXPECT_EQ(cron.ends_at, "2028-12-31T23:59:59");
    EXPECT_FALSE(translate_quartz_cron({"0", "0", "12", "*", "*", "?", "*"}).starts_at);
}

TEST(TranslateQuartzCron, RefusesWhatQuartzOrSundialCannot) {
    const struct {
        const char* quartz;
        const char* error;
    } cases[]{
        {"0 12 * * ?", "5 fields"},
        {"0 0 12 1 * MON", "must be ?"},
        {"0 0 12 ? * 0", "not a day of the week"},
        {"0 0 12 ? * 8", "not a day of the week"},
        {"0 0 12 * * ? 2027,2029", "not one range"},
    };
    for (const auto& each : cases)
        EXPECT_THAT(translate_quartz_cron(split_words(each.quartz)).error, HasSubstr(each.error))
            << each.quartz;
}

TEST(ReadQuartz, ReadsTheTriggersOfAnXmlFile) {
    const ImportedFile file = read_quartz(
        "<?xml version=\"1.0\"?>\n"
        "<job-scheduling-data><schedule>\n"
        "<!-- <trigger><cron><name>old</name></cron></trigger> -->\n"
        "<trigger><cron><name>close</name><group>books</group>\n"
        "<job-name>Close &amp; lock</job-name><job-group>g</job-group>\n"
        "<cron-expression>0 0 22 ? * 6</cron-expression>\n"
        "<time-zone>America/New_York</time-zone></cron></trigger>\n"
        "<trigger><simple><name>s</name><group>g</group></simple></trigger>\n"
        "</schedule></job-scheduling-data>\n",
        {});
    EXPECT_THAT(rules_of(file), ElementsAre("cron 0 22 * * 5 America/New_York"));
    EXPECT_EQ(file.entries.at(0).line, 4U);
    EXPECT_EQ(file.entries.at(0).payload,
              R"({"trigger":"books.close","job":"Close & lock","jobGroup":"g"})");
    EXPECT_THAT(reasons_of(file), ElementsAre("8: trigger g.s is not a cron trigger: make a "
                                              "schedule with --every"));
}

TEST(ReadQuartz, ReadsAnExportOfItsTable) {
    const ImportedFile file = read_quartz(
        "SCHED_NAME,TRIGGER_NAME,TRIGGER_GROUP,CRON_EXPRESSION,TIME_ZONE_ID\n"
        "s,close,books,\"0 0 22 ? * MON,WED\",Europe/Paris\n"
        "s,bad,books,0 0 22,Europe/Paris\n",
        {});
    EXPECT_THAT(rules_of(file), ElementsAre("cron 0 22 * * MON,WED Europe/Paris"));
    EXPECT_THAT(reasons_of(file), ElementsAre(HasSubstr("3: the cron expression '0 0 22' has 3")));
}

TEST(ReadEventBridge, ReadsRulesAndSchedules) {
    const ImportedFile file = read_eventbridge(
        R"json([{"Rules":[
{"Name":"weekday","ScheduleExpression":"cron(0 18 ? * MON-FRI *)","State":"DISABLED"},
{"Name":"often","ScheduleExpression":"rate(5 minutes)","State":"ENABLED"},
{"Name":"daily","ScheduleExpression":"rate(1 day)"},
{"Name":"pattern","EventPattern":"{}"}]
},
{"Name":"paris","ScheduleExpression":"cron(0 9 ? * 2 2027)","ScheduleExpressionTimezone":"Europe/Paris",
 "Target":{"Arn":"arn:aws:sqs:x","Input":"{\"a\":1}"}},
{"Name":"once","ScheduleExpression":"at(2027-01-05T09:00:00)"},
{"Name":"both","ScheduleExpression":"cron(0 9 1 * 2 *)"}])json",
        {});
    EXPECT_THAT(rules_of(file), ElementsAre("cron 0 18 * * MON-FRI UTC", "every PT5M UTC",
                                            "every PT24H UTC", "cron 0 9 * * 1 Europe/Paris"));
    EXPECT_FALSE(file.entries.at(0).enabled);
    EXPECT_EQ(file.entries.at(3).starts_at, "2027-01-01T00:00:00");
    EXPECT_EQ(file.entries.at(3).payload,
              R"({"rule":"paris","target":"arn:aws:sqs:x","input":"{{\"a\":1}"})");
    EXPECT_THAT(reasons_of(file),
                ElementsAre(HasSubstr("5: the rule 'pattern' matches events"),
                            HasSubstr("9: 'at(2027-01-05T09:00:00)' is not a recurring rule"),
                            HasSubstr("10: 'cron(0 9 1 * 2 *)' restricts both")));
    EXPECT_THAT(read_eventbridge("nonsense", {}).refused, SizeIs(1));
}

TEST(ReadPgCron, ReadsCsvAndJson) {
    const ImportedFile csv = read_pgcron(
        "jobid,schedule,command,nodename,nodeport,database,username,active,jobname\n"
        "1,0 3 * * *,\"delete from log\nwhere old\",localhost,5432,app,ada,t,clean\n"
        "2,30 seconds,select 1,localhost,5432,app,ada,f,\n"
        "3,0 0 $ * *,select 2,localhost,5432,app,ada,t,month\n",
        {});
    EXPECT_THAT(rules_of(csv),
                ElementsAre("cron 0 3 * * * UTC", "every PT30S UTC", "cron 0 0 L * * UTC"));
    EXPECT_FALSE(csv.entries.at(1).enabled);
    EXPECT_EQ(csv.entries.at(1).line, 4U);
    const ImportedFile list = read_pgcron(
        R"([{"jobid":1,"schedule":"0 3 * * *","command":"x","database":"app","username":"ada",
             "active":true,"jobname":"clean"}])",
        {});
    EXPECT_THAT(rules_of(list), ElementsAre("cron 0 3 * * * UTC"));
    EXPECT_EQ(list.entries.at(0).external_id, csv.entries.at(0).external_id);
    const ImportedFile lines = read_pgcron(
        "{\"schedule\":\"@hourly\",\"command\":\"x\"}\n{\"command\":\"y\"}\n{oops\n", {});
    EXPECT_THAT(rules_of(lines), ElementsAre("cron @hourly UTC"));
    EXPECT_THAT(reasons_of(lines), ElementsAre(HasSubstr("3: is not JSON"),
                                               HasSubstr("2: the column schedule is missing")));
}

TEST(ReadIcs, ReadsRecurringEvents) {
    const ImportedFile file = read_ics(
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a@x\r\nSUMMARY:Stand-up\\, all\r\n"
        "DTSTART;TZID=Europe/Paris:20270104T0930\r\n 00\r\nRRULE:FREQ=WEEKLY;BYDAY=MO\r\n"
        "EXDATE;TZID=Europe/Paris:20270111T093000\r\n"
        "BEGIN:VALARM\r\nTRIGGER:-PT5M\r\nEND:VALARM\r\nEND:VEVENT\r\n"
        "BEGIN:VEVENT\r\nUID:b\r\nDTSTART:20270104T093000Z\r\nEND:VEVENT\r\n"
        "BEGIN:VEVENT\r\nUID:c\r\nDTSTART;VALUE=DATE:20270104\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\n"
        "BEGIN:VEVENT\r\nUID:a@x\r\nRECURRENCE-ID:20270118T093000\r\nDTSTART:20270118T103000\r\n"
        "END:VEVENT\r\nEND:VCALENDAR\r\n",
        {});
    EXPECT_THAT(rules_of(file), ElementsAre("rrule DTSTART;TZID=Europe/Paris:20270104T093000\n"
                                            "RRULE:FREQ=WEEKLY;BYDAY=MO\n"
                                            "EXDATE;TZID=Europe/Paris:20270111T093000 "
                                            "Europe/Paris"));
    EXPECT_EQ(file.entries.at(0).payload, R"({"uid":"a@x","summary":"Stand-up, all"})");
    EXPECT_THAT(reasons_of(file), ElementsAre(HasSubstr("happens once"), HasSubstr("whole days"),
                                              HasSubstr("RECURRENCE-ID")));
}

TEST(ReadCsvRows, KnowsQuotesAndLineBreaks) {
    const auto rows = read_csv_rows("a,\"b\"\"c\"\r\n\n\"x\ny\",\nz");
    ASSERT_THAT(rows, SizeIs(3));
    EXPECT_THAT(rows[0].fields, ElementsAre("a", "b\"c"));
    EXPECT_THAT(rows[1].fields, ElementsAre("x\ny", ""));
    EXPECT_EQ(rows[1].line, 3U);
    EXPECT_EQ(rows[2].line, 5U);
}

TEST(ReadCsvRows, DoesNotTakeTheRestOfAFileForOneRow) {
    try {
        (void)read_csv_rows("a,b\n\nc,\"d\ne,f\ng,h\n");
        FAIL() << "a quote without an end";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "line 3: a quote of this row has no end");
    }
}

}  // namespace
}  // namespace sundial::cli
