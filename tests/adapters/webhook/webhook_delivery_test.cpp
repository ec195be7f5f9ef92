#include "adapters/webhook/webhook_delivery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "application/ports/failures.hpp"
#include "support/builders.hpp"
#include "support/scripted_receiver.hpp"

namespace sundial::webhook {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Script = ScriptedReceiver::Script;

/// Opens what is sealed by leaving it as it is; "broken" cannot be opened.
class PlainSecrets final : public Secrets {
public:
    Result<NewSecret> seal(const std::optional<std::string>& given) override {
        return NewSecret{given.value_or(""), given.value_or(""), ""};
    }
    Result<NewKeyPair> new_key_pair() override { return NewKeyPair{}; }
    std::optional<std::string> resealed(const std::string& /*sealed*/) override { return {}; }
    std::string open(const std::string& sealed) override {
        if (sealed == "broken") throw Corrupt("sealed under another key");
        return sealed;
    }
};

class WebhookDeliveryTest : public testing::Test {
protected:
    Outcome deliver(Endpoint endpoint, const AddressRules& addresses) {
        WebhookDelivery delivery({}, addresses, secrets_);
        return deliver_by(delivery, std::move(endpoint));
    }
    Outcome deliver(const std::string& url) {
        return deliver(an_endpoint().with_url(url), everything_);
    }
    Outcome answered(Script script) {
        const ScriptedReceiver receiver(std::move(script));
        return deliver(receiver.url());
    }

    static Outcome deliver_by(WebhookDelivery& delivery, Endpoint endpoint) {
        std::promise<Outcome> outcome;
        Event event = an_event().with_key("renewal-7").due(noon);
        event.attempt = Attempt{2};
        event.payload = R"({ "text": "as it came" })";
        delivery.start(
            {event, std::move(endpoint), "2027-01-05T09:00:00-05:00[America/New_York]", noon},
            [&](Outcome result) { outcome.set_value(std::move(result)); });
        return outcome.get_future().get();
    }

    AddressRules everything_{{}, {}, true};
    PlainSecrets secrets_;
};

TEST_F(WebhookDeliveryTest, SendsOneSignedPostWithTheBodyAsItIs) {
    const ScriptedReceiver receiver(Script{});
    const Outcome outcome = deliver(receiver.url());
    EXPECT_EQ(outcome.verdict, Verdict::accepted);
    EXPECT_EQ(outcome.status_code, 204);
    ASSERT_EQ(receiver.requests().size(), 1U);
    EXPECT_THAT(
        receiver.requests()[0],
        AllOf(StartsWith("POST /hook?x=1 HTTP/1.1\r\n"), HasSubstr("\r\nwebhook-id: renewal-7\r\n"),
              HasSubstr("\r\nIdempotency-Key: \"renewal-7\"\r\n"),
              HasSubstr("\r\nSundial-Attempt: 2\r\n"),
              HasSubstr("\r\nSundial-Target-Time: 2027-01-05T09:00:00-05:00[America/New_York]\r\n"),
              HasSubstr("\r\nwebhook-signature: v1,"), HasSubstr("\r\nX-Team: crm\r\n"),
              EndsWith("\r\n\r\n{ \"text\": \"as it came\" }")));
    EXPECT_THAT(receiver.requests()[0],
                AllOf(Not(HasSubstr("Expect:")), Not(HasSubstr("chunked"))));
}

struct AnswerCase {
    const char* name;
    const char* answer;
    Verdict verdict;
    std::optional<DeliveryErrorCode> error;
};
class Answers : public WebhookDeliveryTest, public testing::WithParamInterface<AnswerCase> {};

TEST_P(Answers, MeanWhatTheTableSays) {
    const Outcome outcome = answered({.answer = GetParam().answer, .close_after = true});
    EXPECT_EQ(outcome.verdict, GetParam().verdict);
    EXPECT_EQ(outcome.error, GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Reliability6, Answers,
    testing::Values(
        AnswerCase{"ok", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", Verdict::accepted, {}},
        AnswerCase{"whole_head_of_a_2xx_is_enough",
                   "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nearly end",
                   Verdict::accepted,
                   {}},
        AnswerCase{"interim_first",
                   "HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 204 x\r\n\r\n",
                   Verdict::accepted,
                   {}},
        AnswerCase{
            "redirect",
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
            Verdict::permanent, DeliveryErrorCode::http_status},
        AnswerCase{"not_found", "HTTP/1.1 404 x\r\nContent-Length: 0\r\n\r\n", Verdict::permanent,
                   DeliveryErrorCode::http_status},
        AnswerCase{"too_many", "HTTP/1.1 429 x\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n",
                   Verdict::retryable, DeliveryErrorCode::http_status},
        AnswerCase{"server_error", "HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n",
                   Verdict::retryable, DeliveryErrorCode::http_status},
        AnswerCase{"closed_without_a_word", "", Verdict::retryable, DeliveryErrorCode::protocol},
        AnswerCase{"half_a_head", "HTTP/1.1 200 OK\r\nContent-", Verdict::retryable,
                   DeliveryErrorCode::protocol},
        AnswerCase{"not_http", "220 mail.example ESMTP\r\n", Verdict::retryable,
                   DeliveryErrorCode::protocol}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(WebhookDeliveryTest, KeepsTheFirst2KiBOfTheAnswerAndItsRetryAfter) {
    const Outcome outcome =
        answered({.answer = "HTTP/1.1 503 x\r\nRetry-After: 7\r\nContent-Length: 5000\r\n\r\n" +
                            std::string(5000, 'b')});
    EXPECT_EQ(outcome.retry_after, 7s);
    EXPECT_EQ(outcome.response_body.size(), 2048U);
}

TEST_F(WebhookDeliveryTest, ATimeOutIsRetryableAndNotRepeatedByItself) {
    const ScriptedReceiver receiver({.hold = true});
    const Outcome outcome =
        deliver(an_endpoint().with_url(receiver.url()).with_timeout(1s), everything_);
    EXPECT_EQ(outcome.verdict, Verdict::retryable);
    EXPECT_EQ(outcome.error, DeliveryErrorCode::timeout);
    EXPECT_EQ(receiver.requests().size(), 1U);
}

TEST_F(WebhookDeliveryTest, NeverSendsAgainByItselfOnAKeptConnectionThatDied) {
    const ScriptedReceiver receiver(
        {.answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .close_after = true});
    WebhookDelivery delivery({}, everything_, secrets_);
    for (std::size_t sent = 1; sent <= 5; ++sent) {
        (void)deliver_by(delivery, an_endpoint().with_url(receiver.url()));
        EXPECT_LE(receiver.requests().size(), sent);
    }
}

TEST_F(WebhookDeliveryTest, NobodyListeningIsRetryable) {
    std::string url;
    {
        const ScriptedReceiver gone(Script{});
        url = gone.url();
    }
    EXPECT_EQ(deliver(url).error, DeliveryErrorCode::connect);
}

TEST_F(WebhookDeliveryTest, ANameThatResolvesNowhereIsRetryable) {
    EXPECT_EQ(deliver("http://nobody.invalid/").error, DeliveryErrorCode::dns);
}

TEST_F(WebhookDeliveryTest, ConnectsToNoDeniedAddressWhateverTheNameIs) {
    const ScriptedReceiver receiver(Script{});
    const AddressRules strict({}, {}, false);
    for (const std::string& host : {std::string("127.0.0.1"), std::string("localhost")}) {
        const std::string url = "http://" + host + ":" + std::to_string(receiver.port()) + "/";
        const Outcome outcome = deliver(an_endpoint().with_url(url), strict);
        EXPECT_EQ(outcome.verdict, Verdict::permanent) << host;
        EXPECT_EQ(outcome.error, DeliveryErrorCode::destination_forbidden) << host;
    }
    EXPECT_EQ(receiver.connections(), 0);
}

TEST_F(WebhookDeliveryTest, ASecretThatCannotBeOpenedIsAFailedTryAndSendsNothing) {
    const ScriptedReceiver receiver(Script{});
    Endpoint endpoint = an_endpoint().with_url(receiver.url());
    endpoint.signing_keys = {{.sealed = "broken"}};
    const Outcome outcome = deliver(endpoint, everything_);
    EXPECT_EQ(outcome.verdict, Verdict::retryable);
    EXPECT_EQ(outcome.error, DeliveryErrorCode::worker);
    EXPECT_EQ(receiver.connections(), 0);
}

TEST_F(WebhookDeliveryTest, ClosesTheConnectionOfATryWhoseLeaseIsLostAndOfNoOther) {
    const ScriptedReceiver receiver({.hold = true});
    std::promise<Outcome> lost, other;  // outlive the delivery, which tells all at its end
    WebhookDelivery delivery({}, everything_, secrets_);
    Event event = an_event().due(noon);
    event.attempt = Attempt{2};
    Event earlier = event;
    earlier.attempt = Attempt{1};
    const auto start = [&](const Event& one, std::promise<Outcome>& outcome) {
        delivery.start({one, an_endpoint().with_url(receiver.url()), "", noon},
                       [&outcome](Outcome result) { outcome.set_value(std::move(result)); });
    };
    start(event, lost);
    start(an_event().due(noon), other);
    while (receiver.requests().size() < 2) std::this_thread::yield();

    delivery.abandon(earlier);  // over long ago
    delivery.abandon(event);
    const Outcome outcome = lost.get_future().get();
    EXPECT_EQ(outcome.verdict, Verdict::retryable);
    EXPECT_EQ(outcome.error, DeliveryErrorCode::lease_lost);
    EXPECT_EQ(other.get_future().wait_for(0s), std::future_status::timeout);
    receiver.wait_for_closed(1);
}

TEST_F(WebhookDeliveryTest, StoppingTellsEveryoneWhoWaits) {
    const ScriptedReceiver receiver({.hold = true});
    std::promise<Outcome> outcome;
    {
        WebhookDelivery delivery({}, everything_, secrets_);
        delivery.start({an_event().due(noon), an_endpoint().with_url(receiver.url()), "", noon},
                       [&](Outcome result) { outcome.set_value(std::move(result)); });
    }
    EXPECT_EQ(outcome.get_future().get().verdict, Verdict::retryable);
}

}  // namespace
}  // namespace sundial::webhook
