#include "cli/imports/people_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/output.hpp"

namespace sundial::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct ReadPeople {
    std::vector<PersonRow> rows;
    std::vector<std::string> notes;
    std::uint64_t bytes = 0;
};

ReadPeople read_people(PeopleFormat format, const std::string& text,
                       const PeopleOptions& options = {}) {
    std::istringstream in(text);
    const auto file = open_people(format, in, options);
    ReadPeople read;
    for (PersonRow row; file->next(row);) read.rows.push_back(row);
    read.notes = file->notes();
    read.bytes = file->bytes();
    return read;
}

std::string refused_header(const std::string& text, const PeopleOptions& options = {}) {
    try {
        (void)read_people(PeopleFormat::csv, text, options);
    } catch (const BadArgument& error) {
        return error.what();
    }
    return "";
}

const std::string header = "external_id,First Name,lastName,date-of-birth,timezone\n";

TEST(PeopleFile, ReadsTheColumnsOfCsvUnderAnyUsualSpelling) {
    const auto read = read_people(PeopleFormat::csv, "\xEF\xBB\xBF" + header +
                                                         "a,Ada,\"Love\nlace\",1992-02-29,"
                                                         "Europe/Paris\r\n\n"
                                                         "b,\"O\"\"Hara\",B,2001-01-01,UTC");
    ASSERT_THAT(read.rows, SizeIs(2));
    EXPECT_THAT(read.notes, IsEmpty());
    EXPECT_EQ(read.rows[0].line, 2U);
    EXPECT_EQ(read.rows[0].external_id, "a");
    EXPECT_EQ(read.rows[0].zone, "Europe/Paris");
    EXPECT_EQ(read.rows[0].text, "a,Ada,\"Love\nlace\",1992-02-29,Europe/Paris");
    EXPECT_EQ(read.rows[0].body, R"({"externalId":"a","firstName":"Ada","lastName":"Love\nlace",)"
                                 R"("dateOfBirth":"1992-02-29","timezone":"Europe/Paris"})");
    EXPECT_EQ(read.rows[1].line, 5U);
    EXPECT_THAT(read.rows[1].body, HasSubstr(R"("firstName":"O\"Hara")"));
}

TEST(PeopleFile, WritesMapsAndLeavesEmptyFieldsOut) {
    const auto read =
        read_people(PeopleFormat::csv,
                    "metadata.team;id;dates.wedding;firstname;lastname;born;shoe size;dates.hired\n"
                    "red;7;;Ada;L;1992-02-29;38;2015-06-01\n",
                    {.zone = "UTC",
                     .delimiter = ';',
                     .columns = {{"externalId", "id"}, {"dateOfBirth", "born"}}});
    ASSERT_THAT(read.rows, SizeIs(1));
    EXPECT_THAT(read.notes, ElementsAre("columns that are not imported: shoe size"));
    EXPECT_EQ(read.rows[0].body,
              R"({"externalId":"7","firstName":"Ada","lastName":"L","dateOfBirth":"1992-02-29",)"
              R"("timezone":"UTC","dates":{"hired":"2015-06-01"},"metadata":{"team":"red"}})");
}

TEST(PeopleFile, RefusesAHeaderWithoutARequiredColumn) {
    EXPECT_THAT(refused_header("id,firstName,lastName,dateOfBirth\n"),
                testing::AllOf(HasSubstr("externalId, timezone"), HasSubstr("it has id, firstName"),
                               HasSubstr("--column externalId=NAME")));
    EXPECT_THAT(refused_header(""), HasSubstr("has no header"));
    EXPECT_THAT(refused_header(header, {.columns = {{"dateOfBirth", "born"}}}),
                HasSubstr("no column 'born'"));
    EXPECT_THAT(refused_header(header, {.columns = {{"age", "timezone"}}}),
                HasSubstr("'age' is not a member"));
    EXPECT_THAT(refused_header("externalId," + header), HasSubstr("two columns are externalId"));
}

TEST(PeopleFile, RefusesRowsThatCannotBeSent) {
    const auto read =
        read_people(PeopleFormat::csv, header + "a,Ada\nb,\xFF,L,1992-02-29,UTC\nc," +
                                           std::string(70'000, 'x') + ",L,1992-02-29,UTC\n");
    ASSERT_THAT(read.rows, SizeIs(3));
    EXPECT_EQ(read.rows[0].refusal, "has 2 fields, the header 5");
    EXPECT_EQ(read.rows[1].refusal, "is not UTF-8");
    EXPECT_EQ(read.rows[2].refusal, "is longer than 64 KiB");
}

TEST(PeopleFile, EndsWhereAQuoteIsMissing) {
    const std::string rest(2'000'000, 'x');
    try {
        (void)read_people(PeopleFormat::csv, header + "a,\"Ada,L,1992-02-29,UTC\n" + rest);
        FAIL() << "read";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("line 2: a row has more than 1 MiB"));
    }
}

TEST(PeopleFile, ReadsAnObjectPerLine) {
    const std::string ada = R"({"externalId":"a","timezone":"UTC"})";
    const std::string text = ada + "\r\n\n" + R"({"externalId":"b"})" + "\nnonsense\n[1]\n{}\n" +
                             std::string(70'000, 'x');
    const auto read = read_people(PeopleFormat::ndjson, text, {.zone = "Asia/Kolkata"});
    ASSERT_THAT(read.rows, SizeIs(6));
    EXPECT_EQ(read.bytes, text.size());
    EXPECT_EQ(read.rows[0].body, ada);
    EXPECT_EQ(read.rows[0].zone, "UTC");
    EXPECT_EQ(read.rows[1].line, 3U);
    EXPECT_EQ(read.rows[1].body, R"({"timezone":"Asia/Kolkata","externalId":"b"})");
    EXPECT_EQ(read.rows[1].zone, "Asia/Kolkata");
    EXPECT_THAT(read.rows[2].refusal, HasSubstr("is not JSON"));
    EXPECT_EQ(read.rows[3].refusal, "is not a JSON object");
    EXPECT_EQ(read.rows[4].body, R"({"timezone":"Asia/Kolkata"})");
    EXPECT_EQ(read.rows[5].refusal, "is longer than 64 KiB");
}

}  // namespace
}  // namespace sundial::cli
