#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/http/api/api_fixture.hpp"

namespace sundial::http {
namespace {

namespace bj = boost::json;
using testing::ElementsAre;

/// "pointer code" of each error of a problem.
std::vector<std::string> errors_of(const bj::value& problem) {
    std::vector<std::string> errors;
    for (const bj::value& error : problem.at("errors").as_array()) {
        errors.push_back(text_of(error.at("pointer")) + ' ' + text_of(error.at("code")));
    }
    return errors;
}

std::string an_item(const std::string& more = "") {
    return R"({"eventType":"REMINDER","targetTimestampUTC":"2027-06-01T00:00:00Z","deliveryPayload":{})" +
           more + '}';
}
std::string item_with_key(const std::string& key) {
    return an_item(R"(,"idempotencyKey":")" + key + '"');
}

class EventBatchTest : public ApiTest {
protected:
    Response post(const std::vector<std::string>& items, const std::string& query = "",
                  const Headers& headers = {}) {
        std::string body = R"({"events":[)";
        for (const std::string& item : items) body += (body.back() == '[' ? "" : ",") + item;
        return call("POST", "/v1/events/batch" + query, body + "]}", headers);
    }
    static bj::array data_of(const Response& response) {
        return bj::parse(response.body).at("data").as_array();
    }
    std::size_t stored() {
        return in_read(store, [](Transaction& tx) { return tx.events().list({}).items.size(); });
    }
};

TEST_F(EventBatchTest, AnswersWithAllOfThemInOrder) {
    const Response response = post({item_with_key("b"), item_with_key("a")});
    EXPECT_EQ(response.status, 201);
    const bj::array data = data_of(response);
    ASSERT_EQ(data.size(), 2U);
    EXPECT_EQ(data[0].at("idempotencyKey"), "b");
    EXPECT_EQ(data[1].at("idempotencyKey"), "a");
    for (const bj::value& event : data) {
        EXPECT_EQ(bj::parse(get("/v1/events/" + text_of(event.at("id"))).body), event);
    }
}

TEST_F(EventBatchTest, KeepsEachPayloadByteForByte) {
    const Response response = post(
        {R"({"deliveryPayload": {"b" : 1.0, "a":"]}\""} ,"eventType":"A","targetTimestampUTC":"now"})",
         R"( {"eventType":"B", "targetTimestampUTC":"now","deliveryPayload":[ 2 ] } )"});
    EXPECT_EQ(response.status, 201);
    const bj::array data = data_of(response);
    const auto payload_of = [&](std::size_t i) {
        return queries.event(text_of(data.at(i).at("id")))->payload;
    };
    EXPECT_EQ(payload_of(0), R"({"b" : 1.0, "a":"]}\""})");
    EXPECT_EQ(payload_of(1), "[ 2 ]");
}

TEST_F(EventBatchTest, ReportsTheErrorsOfAnItemAtItsIndex) {
    ASSERT_EQ(post({item_with_key("known")}).status, 201);
    const Response response =
        post({item_with_key("new"), item_with_key("known"),
              R"({"eventType":"","deliveryPayload":1,"odd":1})", "7",
              an_item(R"(,"userId":"ext:unknown","targetTimezone":"Mars/Base")"),
              R"({"eventType":"BIG","targetTimestampUTC":"now","deliveryPayload":")" +
                  std::string(256UL * 1024, 'x') + "\"}",
              an_item()});
    EXPECT_EQ(response.status, 207);
    const bj::array data = data_of(response);
    ASSERT_EQ(data.size(), 7U);
    EXPECT_EQ(data[0].at("idempotencyKey"), "new");
    EXPECT_EQ(data[1].at("code"), "DUPLICATE_IDEMPOTENCY_KEY");
    EXPECT_EQ(data[1].at("status"), 409);
    EXPECT_THAT(errors_of(data[2]), ElementsAre("/eventType required", "/odd unknown_member"));
    EXPECT_EQ(data[2].at("correlationId"), "req-1");
    EXPECT_THAT(errors_of(data[3]), ElementsAre(" wrong_type"));
    EXPECT_THAT(errors_of(data[4]),
                ElementsAre("/userId not_allowed", "/targetTimezone unknown_zone"));
    EXPECT_EQ(data[5].at("code"), "PAYLOAD_TOO_LARGE");
    EXPECT_EQ(data[6].at("eventType"), "REMINDER");
    EXPECT_EQ(stored(), 3U);
}

TEST_F(EventBatchTest, StoresAllOrNothingIfAsked) {
    ASSERT_EQ(post({item_with_key("known")}).status, 201);
    const Response known = post({item_with_key("new"), item_with_key("known")}, "?atomic=true");
    EXPECT_EQ(known.status, 409);
    const bj::value problem = bj::parse(known.body);
    EXPECT_EQ(problem.at("code"), "DUPLICATE_IDEMPOTENCY_KEY");
    EXPECT_EQ(problem.at("index"), 1);

    const Response odd = post({item_with_key("new"), an_item(R"(,"odd":1)")}, "?atomic=true");
    EXPECT_EQ(odd.status, 400);
    EXPECT_THAT(errors_of(bj::parse(odd.body)), ElementsAre("/events/1/odd unknown_member"));
    const Response without_user =
        post({item_with_key("new"), an_item(R"(,"userId":"ext:unknown")")}, "?atomic=true");
    EXPECT_EQ(without_user.status, 400);
    EXPECT_THAT(errors_of(bj::parse(without_user.body)),
                ElementsAre("/events/1/userId not_allowed"));
    EXPECT_EQ(stored(), 1U);

    EXPECT_EQ(post({item_with_key("new"), an_item()}, "?atomic=true").status, 201);
    EXPECT_EQ(stored(), 3U);
}

TEST_F(EventBatchTest, RefusesAnInvalidBatch) {
    EXPECT_EQ(post({}).status, 400);
    EXPECT_EQ(post(std::vector<std::string>(1001, an_item())).status, 400);
    EXPECT_EQ(call("POST", "/v1/events/batch", R"({"events":1})").status, 400);
    EXPECT_EQ(call("POST", "/v1/events/batch", R"({"events":[],"more":1})").status, 400);
    EXPECT_EQ(post({an_item()}, "?atomic=perhaps").status, 400);
    EXPECT_EQ(stored(), 0U);
}

TEST_F(EventBatchTest, TakesAThousandWithAllMembersThereAre) {
    const std::string full =
        R"({"eventType":"A","targetTimestampLocal":"2027-06-01T09:00","targetTimezone":"Europe/Paris",)"
        R"("gap":"later","overlap":"later","priority":"LOW","deliveryPayload":{"a":1,"b":2,"c":3,"d":4}})";
    const Response response = post(std::vector<std::string>(1000, full));
    EXPECT_EQ(response.status, 201);
    EXPECT_EQ(data_of(response).size(), 1000U);
}

TEST_F(EventBatchTest, IsAnsweredOnceUnderAnIdempotencyKey) {
    Headers headers;
    headers.add("Idempotency-Key", "batch-1");
    const Response first = post({item_with_key("a"), "7"}, "", headers);
    const Response again = post({item_with_key("a"), "7"}, "", headers);
    EXPECT_EQ(first.status, 207);
    EXPECT_EQ(again.status, 207);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.headers.find("Idempotency-Replayed"), "true");
    EXPECT_EQ(stored(), 1U);
}

/// A storage on two machines. FakeIds puts events with the keys "b" and "d" on the first one, and
/// "a" on the second one.
class TwoMachines final : public Store {
public:
    explicit TwoMachines(Store& store) : store_(store) {}
    void transact(const std::function<bool(Transaction&)>& work) override {
        ++transactions;
        if (fail) fail(transactions);
        store_.transact(work);
    }
    void read(const std::function<void(Transaction&)>& work) override { store_.read(work); }
    [[nodiscard]] bool open_here() override { return store_.open_here(); }
    [[nodiscard]] std::uint32_t parts() const override { return 2; }

    int transactions = 0;
    std::function<void(int)> fail;  // throws in the transactions that fail

private:
    Store& store_;
};

class EventBatchOnTwoMachines : public EventBatchTest {
protected:
    EventBatchOnTwoMachines() {
        add_event_routes(apart, {module_of_machines, queries, clock, zones});
    }
    Response post_apart(const std::string& query = "") {
        Request request;
        request.method = "POST";
        request.headers.add("Content-Type", "application/json");
        request.body = R"({"events":[)" + item_with_key("b") + ',' + item_with_key("a") + ',' +
                       item_with_key("d") + "]}";
        EXPECT_TRUE(read_target("/v1/events/batch" + query, request));
        return apart.handle(std::move(request));
    }

    TwoMachines machines{store};
    const ModulePorts ports_of_machines{.instance = instance_a,
                                        .store = machines,
                                        .zones = zones,
                                        .ids = ids,
                                        .random = random,
                                        .monotonic = monotonic,
                                        .wakeups = wakeups,
                                        .log = log};
    EventsModule module_of_machines{ports_of_machines, operations};
    Router apart{product_api(), open_guard, log, false, nullptr};
};

TEST_F(EventBatchOnTwoMachines, HasATransactionForEachUnlessItIsAtomic) {
    EXPECT_EQ(post_apart("?atomic=true").status, 201);
    EXPECT_EQ(machines.transactions, 1);
    const Response again = post_apart();
    EXPECT_EQ(again.status, 207);
    for (const bj::value& one : data_of(again)) {
        EXPECT_EQ(one.at("code"), "DUPLICATE_IDEMPOTENCY_KEY");
    }
    EXPECT_EQ(machines.transactions, 3);
}

TEST_F(EventBatchOnTwoMachines, RefusesTheEventsOfTheOneThatIsAway) {
    machines.fail = [](int transaction) {
        if (transaction == 2) throw Unavailable("it is away");
    };
    const Response response = post_apart();
    EXPECT_EQ(response.status, 207);
    const bj::array data = data_of(response);
    ASSERT_EQ(data.size(), 3U);
    EXPECT_EQ(data[0].at("idempotencyKey"), "b");
    EXPECT_EQ(data[1].at("code"), "STORAGE_UNAVAILABLE");
    EXPECT_EQ(data[1].at("status"), 503);
    EXPECT_EQ(data[2].at("idempotencyKey"), "d");
    EXPECT_EQ(stored(), 2U);
    ASSERT_FALSE(wakeups.hints.empty());  // for those that are stored
}

TEST_F(EventBatchOnTwoMachines, SaysThatTheOutcomeOfTheOtherIsUnknown) {
    machines.fail = [](int transaction) {
        if (transaction == 1) throw OutcomeUnknown("no answer");
    };
    const bj::array data = data_of(post_apart());
    ASSERT_EQ(data.size(), 3U);
    EXPECT_EQ(data[0].at("code"), "COMMIT_OUTCOME_UNKNOWN");
    EXPECT_EQ(data[1].at("idempotencyKey"), "a");
    EXPECT_EQ(data[2].at("code"), "COMMIT_OUTCOME_UNKNOWN");
}

TEST_F(EventBatchOnTwoMachines, FailsIfBothAreAway) {
    machines.fail = [](int) { throw Unavailable("it is away"); };
    EXPECT_EQ(post_apart().status, 503);
    EXPECT_EQ(machines.transactions, 2);
}

}  // namespace
}  // namespace sundial::http
