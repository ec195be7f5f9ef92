#include "contract/outbox_contract.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <vector>

#include "application/ports/failures.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::vector<IdInterval> all_ids{
    {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}};

std::vector<std::int64_t> ids(const OutboxPage& page) {
    std::vector<std::int64_t> found;
    for (const OutboxRow& row : page.rows) found.push_back(row.id);
    return found;
}

std::string insert(std::int64_t id, const std::string& request = "{}") {
    return "INSERT INTO sundial_outbox (id, kind, request) VALUES (" + std::to_string(id) +
           ", 'event', '" + request + "');";
}

// Only databases of applications: SQLite files and PostgreSQL.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OutboxContract);

TEST_P(OutboxContract, ReadsRowsAsTheApplicationWroteThem) {
    application().run(
        R"(INSERT INTO sundial_outbox (kind, request) VALUES ('event', '{"a": "ü",  "b":1}');)"
        R"(INSERT INTO sundial_outbox (kind, request) VALUES ('user', '{}');)");
    const OutboxPage page = outbox().read(all_ids, {});
    ASSERT_THAT(page.rows, SizeIs(2));
    EXPECT_EQ(page.rows[0].id, 1);
    EXPECT_EQ(page.rows[0].kind, "event");
    EXPECT_EQ(page.rows[0].request, R"({"a": "ü",  "b":1})");
    EXPECT_FALSE(page.rows[0].too_large);
    EXPECT_EQ(page.rows[1].kind, "user");
    EXPECT_FALSE(page.more);
    EXPECT_EQ(page.last_id, 2);
}

TEST_P(OutboxContract, ReadsOnlyTheGivenIds) {
    for (const std::int64_t id : {-4, 1, 2, 3, 7, 9}) application().run(insert(id));
    EXPECT_THAT(ids(outbox().read(std::vector<IdInterval>{{-9, 1}, {3, 3}, {8, 100}}, {})),
                ElementsAre(-4, 1, 3, 9));
    EXPECT_THAT(ids(outbox().read({}, {})), IsEmpty());
}

TEST_P(OutboxContract, EndsAPageByRowsAndByBytes) {
    const std::string text = '"' + std::string(998, 'x') + '"';
    for (std::int64_t id = 1; id <= 9; ++id) application().run(insert(id, text));
    OutboxPage page = outbox().read(all_ids, {.rows = 4});
    EXPECT_THAT(ids(page), ElementsAre(1, 2, 3, 4));
    EXPECT_TRUE(page.more);
    page = outbox().read(all_ids, {.bytes = 2500});
    EXPECT_THAT(ids(page), ElementsAre(1, 2, 3));
    EXPECT_TRUE(page.more);
    page = outbox().read(std::vector<IdInterval>{{8, 20}}, {});
    EXPECT_THAT(ids(page), ElementsAre(8, 9));
    EXPECT_FALSE(page.more);
}

TEST_P(OutboxContract, LeavesOutRequestsThatAreTooLarge) {
    application().run(insert(1, '"' + std::string(max_outbox_request - 2, 'x') + '"') +
                      insert(2, '"' + std::string(max_outbox_request - 1, 'x') + '"') +
                      insert(3, '"' + std::string(5 * max_outbox_request, 'x') + '"') + insert(4));
    const OutboxPage page = outbox().read(all_ids, {.bytes = 100 * max_outbox_request});
    ASSERT_THAT(page.rows, SizeIs(4));
    EXPECT_EQ(page.rows[0].request->size(), max_outbox_request);
    for (const std::size_t large : {1U, 2U}) {
        EXPECT_TRUE(page.rows[large].too_large);
        EXPECT_FALSE(page.rows[large].request);
    }
    EXPECT_EQ(page.rows[3].request, "{}");
}

TEST_P(OutboxContract, SeesCommittedRowsOnly) {
    const auto commit = application().begin(insert(5));
    EXPECT_THAT(ids(outbox().read(all_ids, {})), IsEmpty());
    commit();
    EXPECT_THAT(ids(outbox().read(all_ids, {})), ElementsAre(5));
}

TEST_P(OutboxContract, TellsWhichRangesHaveRows) {
    for (const std::int64_t id : {1, 5}) application().run(insert(id));
    EXPECT_THAT(outbox().has_rows(std::vector<IdInterval>{{1, 1}, {2, 4}, {4, 9}, {6, 9}}),
                ElementsAre(true, false, true, false));
    EXPECT_THAT(outbox().has_rows({}), IsEmpty());
}

TEST_P(OutboxContract, RemembersTheLatestIdAfterTheRowsAreDeleted) {
    application().run(
        "INSERT INTO sundial_outbox (kind, request) VALUES ('event', '{}');"
        "INSERT INTO sundial_outbox (kind, request) VALUES ('event', '{}');"
        "DELETE FROM sundial_outbox;");
    const OutboxPage page = outbox().read(all_ids, {});
    EXPECT_THAT(page.rows, IsEmpty());
    EXPECT_EQ(page.last_id, 2);
}

TEST_P(OutboxContract, ReportsAMissingTableAndReadsItOnceItIsThere) {
    application().run("ALTER TABLE sundial_outbox RENAME TO away");
    EXPECT_THROW((void)outbox().read(all_ids, {}), Unavailable);
    application().run("ALTER TABLE away RENAME TO sundial_outbox");
    application().run(insert(3));
    EXPECT_THAT(ids(outbox().read(all_ids, {})), ElementsAre(3));
}

}  // namespace
}  // namespace sundial
