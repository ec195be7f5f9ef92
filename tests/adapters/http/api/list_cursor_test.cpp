#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

#include "adapters/http/api/api_fixture.hpp"
#include "application/requests/unindexed_orders.hpp"
#include "base/text.hpp"

namespace sundial::http {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::SizeIs;

/// The content of a cursor, for handmade ones: base64 for URLs, without padding.
std::string unpacked(std::string cursor) {
    for (char& c : cursor) c = c == '-' ? '+' : c == '_' ? '/' : c;
    cursor.append((4 - cursor.size() % 4) % 4, '=');
    return base::from_base64(cursor).value();
}
std::string packed(const std::string& text) {
    std::string cursor = base::to_base64(text);
    for (char& c : cursor) c = c == '+' ? '-' : c == '/' ? '_' : c;
    cursor.erase(cursor.find_last_not_of('=') + 1);
    return cursor;
}

enum class Sorted : std::uint8_t { by_id, by_text, by_number, by_optional_number };

struct List {
    std::string target;
    Sorted sorted;
};

class ListCursor : public ApiTest {
protected:
    ListCursor() {
        write([&](Transaction& tx) { ASSERT_TRUE(tx.schedules().add(a_schedule())); });
        for (const std::string name : {"Li", "Mo", "Na"}) {
            UserFields fields = ada();
            fields.last_name = name;
            created(fields);
        }
        an_existing_endpoint();
        for (int i = 0; i < 3; ++i) {
            NewEvent requested = a_reminder();
            requested.target.utc = "now";
            scheduled(requested);
            write([&](Transaction& tx) {
                tx.inbox().add({.id = ids.fresh(),
                                .endpoint = bin.id,
                                .received_at = tx.now(),
                                .headers = {},
                                .body = "{}"});
            });
        }
        for (const Event& event : claimed()) completed(event);
        an_existing_endpoint();
    }

    [[nodiscard]] std::vector<List> lists() const {
        using enum Sorted;
        return {{"/v1/users?limit=1", by_number},
                {"/v1/users?limit=1&sort=-updatedAt", by_number},
                {"/v1/users?limit=1&sort=lastName", by_text},
                {"/v1/users?limit=1&sort=-lastName", by_text},
                {"/v1/events?limit=1", by_number},
                {"/v1/events?limit=1&sort=-createdAt", by_id},
                {"/v1/events?limit=1&sort=executedAt&executedFrom=now-1h", by_optional_number},
                {"/v1/events?limit=1&sort=-latenessMs&executedFrom=now-1h", by_optional_number},
                {"/v1/endpoints?limit=1", by_number},
                {"/v1/schedules?limit=1", by_number},
                {"/v1/endpoints/" + to_string(bin.id) + "/inbox?limit=1", by_id}};
    }
    /// The cursor after the first row.
    std::string cursor_of(const List& list) {
        const Response first = get(list.target);
        EXPECT_EQ(first.status, 200) << first.body;
        const std::string cursor = text_member(first.body, "nextCursor");
        EXPECT_FALSE(cursor.empty()) << first.body;
        return cursor;
    }
    /// The cursor up to the sort value: its binding, and an id.
    std::string without_value(const List& list) {
        const std::string unpacked_cursor = unpacked(cursor_of(list));
        return unpacked_cursor.substr(0, unpacked_cursor.find(' ') + 1 + 36);
    }
    int answer_to(const List& list, const std::string& unpacked_cursor) {
        return get(list.target + "&cursor=" + packed(unpacked_cursor)).status;
    }

    Endpoint bin = an_existing_endpoint(an_endpoint().inbox());
};

TEST_F(ListCursor, OfTheServerLeadsToTheNextRow) {
    for (const List& list : lists()) {
        const Response second = get(list.target + "&cursor=" + cursor_of(list));
        EXPECT_EQ(second.status, 200) << list.target;
        EXPECT_NE(second.body, get(list.target).body) << list.target;
    }
}

TEST_F(ListCursor, LacksItsValueOnlyWhereRowsMayLackIt) {
    for (const List& list : lists()) {
        const bool may = list.sorted == Sorted::by_id || list.sorted == Sorted::by_optional_number;
        EXPECT_EQ(answer_to(list, without_value(list)), may ? 200 : 400) << list.target;
    }
}

TEST_F(ListCursor, HasOnlyValuesThatARowCouldHave) {
    const std::vector<std::string> no_numbers{"x",
                                              "1x",
                                              "+1",
                                              " 1",
                                              "1.5",
                                              "9223372036854775807",    // beyond any calendar
                                              "-9223372036854775808",   //
                                              "99999999999999999999"};  // beyond 64 bits
    const std::vector<std::string> no_texts{"\xff", std::string("L\0i", 3), "\xed\xa0\x80"};
    for (const List& list : lists()) {
        const std::string place = without_value(list);
        const auto& wrong = list.sorted == Sorted::by_text ? no_texts : no_numbers;
        for (const std::string& value : wrong) {
            EXPECT_EQ(answer_to(list, place + value), 400) << list.target << ' ' << value;
        }
    }
}

TEST_F(ListCursor, IsOfNoUseForAnotherList) {
    const auto all = lists();
    for (const List& one : all) {
        for (const List& other : all) {
            if (one.target == other.target) continue;
            EXPECT_EQ(get(other.target + "&cursor=" + cursor_of(one)).status, 400);
        }
    }
}

/// Any text sent as a cursor gets a page or INVALID_CURSOR.
TEST_F(ListCursor, MadeOfRandomBytesIsRefused) {
    std::mt19937_64 random{20'270'105};
    for (const List& list : lists()) {
        const std::string place = without_value(list);
        const std::string bound_to = place.substr(0, place.size() - 36);
        for (int i = 0; i < 300; ++i) {
            std::string bytes(random() % 60, '\0');
            for (char& byte : bytes) byte = static_cast<char>(random());
            ASSERT_EQ(answer_to(list, bytes), 400) << packed(bytes);
            ASSERT_EQ(answer_to(list, bound_to + bytes), 400) << packed(bytes);
            ASSERT_THAT(answer_to(list, place + bytes), AnyOf(200, 400)) << packed(bytes);
        }
    }
}

TEST_F(ListCursor, EditedAtRandomGivesAPageOrIsRefused) {
    std::mt19937_64 random{20'270'106};
    for (const List& list : lists()) {
        const std::string whole = unpacked(cursor_of(list));
        for (int i = 0; i < 300; ++i) {
            std::string edited = whole;
            for (auto edits = 1 + random() % 3; edits != 0 && !edited.empty(); --edits) {
                const auto at = random() % edited.size();
                switch (random() % 4) {
                    case 0:
                        edited[at] = static_cast<char>(random());
                        break;
                    case 1:
                        edited.insert(at, 1, static_cast<char>(random()));
                        break;
                    case 2:
                        edited.erase(at, 1);
                        break;
                    default:
                        edited.resize(at);
                }
            }
            ASSERT_THAT(answer_to(list, edited), AnyOf(200, 400))
                << list.target << ' ' << packed(edited);
        }
    }
}

/// Orders without an index: a list without a beginning would read the whole history.
TEST_F(ApiTest, AListInAnOrderWithoutAnIndexNeedsABeginning) {
    for (const std::string sort : {"executedAt", "latenessMs", "-latenessMs"}) {
        const std::string sorted = "/v1/events?sort=" + sort;
        for (const char* rest : {"", "&executedTo=now", "&eventType=REMINDER"}) {
            const Response refused = get(sorted + rest);
            EXPECT_EQ(refused.status, 400) << sort << rest;
            EXPECT_THAT(refused.body, HasSubstr(R"("pointer":"?executedFrom","code":"required")"));
        }
        const std::string user = "&userId=" + base::to_string(uuid_of(1));
        for (const std::string& rest :
             {std::string{"&executedFrom=now-1h"}, user, std::string{"&idempotencyKey=k"}}) {
            EXPECT_EQ(get(sorted + rest).status, 200) << sort << rest;
        }
    }
    EXPECT_EQ(get("/v1/events?sort=-executedAt").status, 200);
}

class UnindexedOrders : public ApiTest {
protected:
    /// Six deliveries, an hour apart; the first and the last are rare.
    UnindexedOrders() {
        an_existing_endpoint();
        for (int i = 0; i < 6; ++i) {
            NewEvent requested = a_reminder();
            requested.target.utc = "now";
            if (i % 5 == 0) requested.event_type = "RARE";
            scheduled(requested);
            for (const Event& event : claimed()) all.push_back(completed(event));
            clock.advance(1h);
        }
        query.executed_from = noon - 24h;
    }

    std::vector<Event> all;
    EventQuery query;
};

TEST_F(UnindexedOrders, ByExecutionPassABoundedNumberOfEventsPerPage) {
    query.sort = EventQuery::Sort::executed_at;
    query.types = {"RARE"};
    query.max_passed = 2;
    std::vector<EventId> found;
    int pages = 1;
    for (; pages < 50; ++pages) {
        const Page<Event> page = queries.events(query);
        for (const Event& event : page.items) found.push_back(event.id);
        if (!page.has_more) break;
        ASSERT_TRUE(page.passed);
        ASSERT_NE(page.passed, query.page.after);
        query.page.after = page.passed;
    }
    ASSERT_THAT(all, SizeIs(6));
    EXPECT_THAT(found, testing::ElementsAre(all.front().id, all.back().id));
    EXPECT_GE(pages, 3) << "6 events, and no page may pass more than 2";
    EXPECT_LE(pages, 20) << "a page passes a fifteenth of what would be too much, or more";
    query.page.after.reset();
    query.max_passed = 6;
    EXPECT_FALSE(queries.events(query).has_more);
}

TEST_F(UnindexedOrders, ByLatenessSortABoundedNumberOfEvents) {
    query.sort = EventQuery::Sort::lateness;
    const auto refusal = [&](std::size_t most) {
        return in_read(store,
                       [&](Transaction& tx) { return refuse_order(tx.events(), query, most); });
    };
    EXPECT_FALSE(refusal(6));
    const auto refused = refusal(5);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->errors.at(0).code, "too_expensive");
    query.executed_to = noon + 2h;
    EXPECT_FALSE(refusal(5));
}

/// A rare filter cannot make one request read every user.
TEST_F(ApiTest, APageOfUsersPassesAtMostTenThousand) {
    write([&](Transaction& tx) {
        for (int i = 0; i < 10'050; ++i) {
            const auto at = clock.now() + std::chrono::microseconds{i};
            ASSERT_TRUE(
                tx.users().add(a_user().named("N", i == 10'040 ? "Rare" : "M").created(at)));
        }
    });
    const Response first = get("/v1/users?q=Rare");
    EXPECT_THAT(first.body, HasSubstr(R"("data":[],"hasMore":true)"));
    const Response second = get("/v1/users?q=Rare&cursor=" + text_member(first.body, "nextCursor"));
    EXPECT_EQ(text_member(second.body, "lastName"), "Rare") << second.body;
    EXPECT_THAT(second.body, HasSubstr(R"("hasMore":false)"));
}

}  // namespace
}  // namespace sundial::http
