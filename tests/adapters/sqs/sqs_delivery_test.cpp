#include "adapters/sqs/sqs_delivery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>

#include "adapters/sqs/queue.hpp"
#include "support/builders.hpp"
#include "support/scripted_receiver.hpp"

namespace sundial::sqs {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using Script = ScriptedReceiver::Script;

class RunningClock final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override {
        return std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now().time_since_epoch());
    }
};

class Rules final : public DestinationRules {
public:
    explicit Rules(std::string denied) : denied_(std::move(denied)) {}
    [[nodiscard]] std::optional<FieldError> refuse(std::string_view url) const override {
        if (!url.starts_with("http://refused.example")) return std::nullopt;
        return FieldError{"/url", "not_allowed", "not there"};
    }
    [[nodiscard]] bool denied(std::string_view address, std::uint16_t) const override {
        return address == denied_;
    }

private:
    std::string denied_;
};

std::string json_response(const std::string& status, const std::string& body,
                          const std::string& headers = "") {
    return "HTTP/1.1 " + status + "\r\nContent-Type: application/x-amz-json-1.0\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

constexpr const char* one_accepted = R"({"Successful":[{"Id":"0","MessageId":"m"}]})";

class SqsDeliveryTest : public testing::Test {
protected:
    std::unique_ptr<SqsDelivery> make(SenderSettings settings, std::string denied = "") {
        return std::make_unique<SqsDelivery>(
            std::move(settings), std::make_unique<Rules>(std::move(denied)),
            CredentialWorld{
                .environment = [this](const std::string& name) -> std::optional<std::string> {
                    const auto found = environment.find(name);
                    if (found == environment.end()) return std::nullopt;
                    return found->second;
                }},
            clock);
    }
    static std::shared_ptr<const Endpoint> endpoint_at(const std::string& url) {
        Endpoint endpoint = an_endpoint().with_url(url).with_timeout(1h);
        endpoint.type = sqs_type;
        endpoint.options = {{"region", "eu-west-1"}};
        return std::make_shared<const Endpoint>(std::move(endpoint));
    }
    static std::string url_of(const ScriptedReceiver& receiver) {
        return "http://127.0.0.1:" + std::to_string(receiver.port()) + "/1/birthdays";
    }
    static std::future<Outcome> start(SqsDelivery& delivery, const std::string& url,
                                      const Event& event) {
        auto outcome = std::make_shared<std::promise<Outcome>>();
        delivery.start(
            {.event = event, .endpoint = endpoint_at(url), .target_time = {}, .now = noon},
            [outcome](Outcome result) { outcome->set_value(std::move(result)); });
        return outcome->get_future();
    }
    Outcome deliver(const std::string& url) {
        const auto delivery = make({});
        return start(*delivery, url, an_event().with_key("k-1")).get();
    }
    Outcome answered(std::string answer) {
        const ScriptedReceiver receiver(Script{.answer = std::move(answer), .close_after = true});
        return deliver(url_of(receiver));
    }

    RunningClock clock;
    std::map<std::string, std::string> environment{{"AWS_ACCESS_KEY_ID", "AKID"},
                                                   {"AWS_SECRET_ACCESS_KEY", "secret"},
                                                   {"AWS_SESSION_TOKEN", "token"}};
};

TEST_F(SqsDeliveryTest, SendsASignedBatchOfOneAndIsAccepted) {
    const ScriptedReceiver receiver(Script{.answer = json_response("200 OK", one_accepted)});
    const Outcome outcome = deliver(url_of(receiver));
    EXPECT_EQ(outcome.verdict, Verdict::accepted);
    EXPECT_EQ(outcome.status_code, 200);
    ASSERT_THAT(receiver.requests(), SizeIs(1));
    EXPECT_THAT(receiver.requests()[0],
                AllOf(StartsWith("POST / HTTP/1.1\r\n"),
                      HasSubstr("\r\nX-Amz-Target: AmazonSQS.SendMessageBatch\r\n"),
                      HasSubstr("\r\nContent-Type: application/x-amz-json-1.0\r\n"),
                      HasSubstr("\r\nX-Amz-Date: 20270105T1200"),
                      HasSubstr("\r\nX-Amz-Security-Token: token\r\n"),
                      HasSubstr("Credential=AKID/20270105/eu-west-1/sqs/aws4_request"),
                      HasSubstr("/1/birthdays\",\"Entries\":[{\"Id\":\"0\",\"MessageBody\":")));
}

TEST_F(SqsDeliveryTest, SharesARequestAmongTenEventsAndJudgesEachByItself) {
    std::string results = R"({"Successful":[)";
    for (int i = 0; i < 8; ++i) {
        results += (i == 0 ? "" : ",") + (R"({"Id":")" + std::to_string(i) + R"("})");
    }
    results += R"(],"Failed":[{"Id":"8","Code":"InternalError","SenderFault":false},)"
               R"({"Id":"9","Code":"InvalidMessageContents","SenderFault":true}]})";
    const ScriptedReceiver receiver(Script{.answer = json_response("200 OK", results)});
    const auto delivery = make({.gather = 1h});
    std::vector<std::future<Outcome>> outcomes;
    for (int i = 0; i < 10; ++i) {
        outcomes.push_back(start(*delivery, url_of(receiver), an_event()));
    }
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(outcomes[static_cast<std::size_t>(i)].get().verdict, Verdict::accepted);
    }
    EXPECT_EQ(outcomes[8].get().verdict, Verdict::retryable);
    const Outcome refused = outcomes[9].get();
    EXPECT_EQ(refused.verdict, Verdict::permanent);
    EXPECT_THAT(failure_reason(refused), HasSubstr("InvalidMessageContents"));
    EXPECT_THAT(receiver.requests(), SizeIs(1));
}

TEST_F(SqsDeliveryTest, SendsEachEventAloneIfTheirRequestIsRefusedAsAWhole) {
    const ScriptedReceiver receiver(Script{.answer_to = [](const std::string& request) {
        const bool is_offending = request.find("k-3") != std::string::npos;
        return is_offending ? json_response("400 Bad Request",
                                            R"({"__type":"com.amazonaws.sqs#Odd","message":"k-3"})")
                            : json_response("200 OK", one_accepted);
    }});
    const auto delivery = make({.gather = 1h});
    std::vector<std::future<Outcome>> outcomes;
    for (int i = 0; i < 10; ++i) {
        outcomes.push_back(
            start(*delivery, url_of(receiver), an_event().with_key("k-" + std::to_string(i))));
    }
    for (int i = 0; i < 10; ++i) {
        const Outcome outcome = outcomes[static_cast<std::size_t>(i)].get();
        EXPECT_EQ(outcome.verdict, i == 3 ? Verdict::permanent : Verdict::accepted) << i;
    }
    EXPECT_THAT(receiver.requests(), SizeIs(11));
}

TEST_F(SqsDeliveryTest, SendsTheEventsOfARefusedRequestInTheirOrder) {
    const ScriptedReceiver receiver(Script{.answer_to = [](const std::string& request) {
        const bool is_together = request.find("\"Id\":\"1\"") != std::string::npos;
        return is_together ? json_response("400 Bad Request", R"({"__type":"Odd"})")
                           : json_response("200 OK", one_accepted);
    }});
    const auto delivery = make({.gather = 1h});
    const std::string url = url_of(receiver) + ".fifo";
    std::vector<std::future<Outcome>> outcomes;
    for (int i = 0; i < 10; ++i) {
        outcomes.push_back(start(*delivery, url, an_event().with_key("k-" + std::to_string(i))));
    }
    for (auto& outcome : outcomes) EXPECT_EQ(outcome.get().verdict, Verdict::accepted);
    const auto requests = receiver.requests();
    ASSERT_THAT(requests, SizeIs(11));
    for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_THAT(requests[i + 1],
                    HasSubstr("\"MessageDeduplicationId\":\"k-" + std::to_string(i) + '"'));
    }
}

TEST_F(SqsDeliveryTest, BlamesTheQueueAndNoEventIfThereIsNoSuchQueue) {
    const ScriptedReceiver receiver(
        Script{.answer = json_response("400 Bad Request", R"({"__type":"QueueDoesNotExist"})")});
    const auto delivery = make({.gather = 1h});
    std::vector<std::future<Outcome>> outcomes;
    for (int i = 0; i < 10; ++i) {
        outcomes.push_back(start(*delivery, url_of(receiver), an_event()));
    }
    for (auto& outcome : outcomes) EXPECT_EQ(outcome.get().verdict, Verdict::permanent);
    EXPECT_THAT(receiver.requests(), SizeIs(1));
}

/// It once slept for up to `longest_poll` between two requests to a FIFO queue.
TEST_F(SqsDeliveryTest, SendsTheNextRequestOnceTheLastOneHasEnded) {
    const ScriptedReceiver receiver(Script{.answer = json_response("200 OK", one_accepted)});
    const auto delivery = make({.gather = 0ms, .max_requests = 1, .longest_poll = 1h});
    std::vector<std::future<Outcome>> outcomes;
    for (int i = 0; i < 5; ++i) {
        outcomes.push_back(start(*delivery, url_of(receiver),
                                 an_event().with_payload('"' + std::string(600'000, 'x') + '"')));
    }
    for (auto& outcome : outcomes) {
        ASSERT_EQ(outcome.wait_for(2min), std::future_status::ready) << "the thread sleeps";
        EXPECT_EQ(outcome.get().verdict, Verdict::accepted);
    }
    EXPECT_THAT(receiver.requests(), SizeIs(5));
}

TEST_F(SqsDeliveryTest, RetriesIfTheResponseIsCutOrMakesNoSense) {
    EXPECT_EQ(answered("").verdict, Verdict::retryable);
    EXPECT_EQ(answered("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"Successful\":[").verdict,
              Verdict::retryable);
    const Outcome other = answered(json_response("200 OK", "{}"));
    EXPECT_EQ(other.verdict, Verdict::retryable);
    EXPECT_EQ(other.error, DeliveryErrorCode::protocol);
}

TEST_F(SqsDeliveryTest, NamesErrorsOfTheService) {
    const Outcome missing = answered(json_response(
        "400 Bad Request",
        R"({"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"It does not exist."})"));
    EXPECT_EQ(missing.verdict, Verdict::permanent);
    EXPECT_EQ(failure_reason(missing), "HTTP_STATUS 400 QueueDoesNotExist: It does not exist.");
    const Outcome throttled = answered(
        json_response("400 Bad Request", R"({"__type":"com.amazonaws.sqs#RequestThrottled"})"));
    EXPECT_EQ(throttled.verdict, Verdict::retryable);
    EXPECT_EQ(throttled.retry_after, 1s);
}

TEST_F(SqsDeliveryTest, ShowsNoResponseThatRepeatsItsSessionToken) {
    environment["AWS_SESSION_TOKEN"] = "0123456789abcdef-0123456789ABCDEF-rest";
    const Outcome outcome = answered(json_response(
        "400 Bad Request",
        R"({"__type":"Odd","message":"you sent 456789abcdef-0123456789ABCDEF-rest"})"));
    EXPECT_EQ(outcome.error_text, "400 Odd: (the response repeats the session token)");
}

TEST_F(SqsDeliveryTest, SignsLaterRequestsWithTheTimeThatAResponseShows) {
    const ScriptedReceiver receiver(
        Script{.answer = json_response(
                   "403 Forbidden",
                   R"({"__type":"InvalidSignatureException","message":"Signature expired: now"})",
                   "Connection: close\r\nDate: Tue, 05 Jan 2027 15:00:30 GMT\r\n")});
    const auto delivery = make({});
    const Outcome outcome = start(*delivery, url_of(receiver), an_event()).get();
    EXPECT_EQ(outcome.verdict, Verdict::retryable);
    EXPECT_THAT(outcome.error_text, HasSubstr("differ by"));
    (void)start(*delivery, url_of(receiver), an_event()).get();
    ASSERT_THAT(receiver.requests(), SizeIs(2));
    EXPECT_THAT(receiver.requests()[0], HasSubstr("\r\nX-Amz-Date: 20270105T1200"));
    EXPECT_THAT(receiver.requests()[1], HasSubstr("\r\nX-Amz-Date: 20270105T1500"));
}

TEST_F(SqsDeliveryTest, ConnectsToNoDeniedAddress) {
    const ScriptedReceiver receiver(Script{});
    const auto delivery = make({}, "127.0.0.1");
    const Outcome outcome = start(*delivery, url_of(receiver), an_event()).get();
    EXPECT_EQ(outcome.verdict, Verdict::permanent);
    EXPECT_EQ(outcome.error, DeliveryErrorCode::destination_forbidden);
    EXPECT_EQ(receiver.connections(), 0);
    EXPECT_EQ(deliver("http://refused.example/1/q").error,
              DeliveryErrorCode::destination_forbidden);
}

TEST_F(SqsDeliveryTest, SendsNothingWithoutKeys) {
    environment = {{"AWS_EC2_METADATA_DISABLED", "true"}, {"HOME", "/nowhere"}};
    const ScriptedReceiver receiver(Script{});
    const Outcome outcome = deliver(url_of(receiver));
    EXPECT_EQ(outcome.verdict, Verdict::retryable);
    EXPECT_EQ(outcome.error, DeliveryErrorCode::worker);
    EXPECT_EQ(outcome.error_text, "no AWS credentials are configured");
    EXPECT_THAT(receiver.requests(), IsEmpty());
}

TEST_F(SqsDeliveryTest, RefusesAMessageThatSqsWouldRefuse) {
    const auto delivery = make({});
    const Outcome outcome =
        start(*delivery, "http://127.0.0.1:9/1/q", an_event().with_payload("\"\uFFFE\"")).get();
    EXPECT_EQ(outcome.verdict, Verdict::permanent);
    EXPECT_THAT(outcome.error_text, HasSubstr("U+FFFE"));
}

TEST_F(SqsDeliveryTest, ClosesTheRequestOfAnAbandonedEvent) {
    const ScriptedReceiver receiver(Script{.hold = true});
    const auto delivery = make({});
    const Event event = an_event();
    auto outcome = start(*delivery, url_of(receiver), event);
    while (receiver.requests().empty()) std::this_thread::yield();
    delivery->abandon(event);
    EXPECT_EQ(outcome.get().error, DeliveryErrorCode::lease_lost);
    receiver.wait_for_closed(1);
}

TEST_F(SqsDeliveryTest, ReportsRequestsUnderWayWhenItStops) {
    const ScriptedReceiver receiver(Script{.hold = true});
    auto delivery = make({});
    auto outcome = start(*delivery, url_of(receiver), an_event());
    while (receiver.requests().empty()) std::this_thread::yield();
    delivery.reset();
    EXPECT_EQ(outcome.get().verdict, Verdict::retryable);
}

}  // namespace
}  // namespace sundial::sqs
