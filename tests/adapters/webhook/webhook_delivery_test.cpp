#include "adapters/webhook/webhook_delivery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <memory>
#include <ostream>
#include <thread>

#include "support/builders.hpp"
#include "support/loopback.hpp"
#include "support/plain_secrets.hpp"
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

class SteadyClock final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override {
        return std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now().time_since_epoch());
    }
};

Resolution resolution(std::initializer_list<std::string_view> addresses) {
    Resolution found;
    for (const std::string_view text : addresses)
        found.addresses.push_back(parse_address(text).value());
    return found;
}

class WebhookDeliveryTest : public testing::Test {
protected:
    Outcome deliver(Endpoint endpoint, const UrlRules& rules) {
        WebhookDelivery delivery({}, rules, secrets_, clock_);
        return deliver_by(delivery, std::move(endpoint));
    }
    Outcome deliver(const std::string& url) {
        return deliver(an_endpoint().with_url(url), everywhere_);
    }
    /// Delivers to a name that resolves to these addresses.
    Outcome deliver_to_name(const ScriptedReceiver& receiver, const Resolution& found,
                            const UrlRules& rules) {
        WebhookDelivery delivery({}, rules, secrets_, clock_,
                                 [found](const std::string& /*host*/) { return found; });
        return deliver_by(delivery, an_endpoint().with_url(named_url(receiver)));
    }
    static std::string named_url(const ScriptedReceiver& receiver) {
        return "http://receiver.example:" + std::to_string(receiver.port()) + "/hook";
    }
    Outcome answered(Script script) {
        const ScriptedReceiver receiver(std::move(script));
        return deliver(receiver.url());
    }

    static std::shared_ptr<const Endpoint> shared(Endpoint endpoint) {
        return std::make_shared<const Endpoint>(std::move(endpoint));
    }
    static Outcome deliver_by(WebhookDelivery& delivery, Endpoint endpoint) {
        std::promise<Outcome> outcome;
        Event event = an_event().with_key("renewal-7").due(noon);
        event.attempt = Attempt{2};
        event.payload = R"({ "text": "as it came" })";
        delivery.start({event, shared(std::move(endpoint)),
                        "2027-01-05T09:00:00-05:00[America/New_York]", noon},
                       [&](Outcome result) { outcome.set_value(std::move(result)); });
        return outcome.get_future().get();
    }

    AddressRules everything_{{.allow_private = true}};
    UrlRules everywhere_{{}, everything_};
    PlainSecrets secrets_;
    SteadyClock clock_;
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
    friend void PrintTo(const AnswerCase& one, std::ostream* out) { *out << one.name; }
};
class Answers : public WebhookDeliveryTest, public testing::WithParamInterface<AnswerCase> {};

TEST_P(Answers, HaveTheOutcomesOfTheTable) {
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
        AnswerCase{"switching_protocols", "HTTP/1.1 101 x\r\nUpgrade: y\r\n\r\n",
                   Verdict::permanent, DeliveryErrorCode::http_status},
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
    // On a busy machine the time may be up before the request is sent.
    std::size_t attempts = 0;
    for (; attempts < 20 && receiver.requests().empty(); ++attempts) {
        const Outcome outcome =
            deliver(an_endpoint().with_url(receiver.url()).with_timeout(1s), everywhere_);
        EXPECT_EQ(outcome.verdict, Verdict::retryable);
        EXPECT_EQ(outcome.error, DeliveryErrorCode::timeout);
    }
    EXPECT_GE(receiver.requests().size(), 1U);
    EXPECT_LE(receiver.requests().size(), attempts);
}

TEST_F(WebhookDeliveryTest, NeverResendsOnABrokenKeptConnection) {
    const ScriptedReceiver receiver(
        {.answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .close_after = true});
    WebhookDelivery delivery({}, everywhere_, secrets_, clock_);
    for (std::size_t sent = 1; sent <= 5; ++sent) {
        (void)deliver_by(delivery, an_endpoint().with_url(receiver.url()));
        EXPECT_LE(receiver.requests().size(), sent);
    }
}

TEST_F(WebhookDeliveryTest, ARefusedConnectionIsRetryable) {
    const auto [socket, port] = bind_to_loopback();
    EXPECT_EQ(deliver("http://127.0.0.1:" + std::to_string(port) + "/").error,
              DeliveryErrorCode::connect);
    ::close(socket);
}

TEST_F(WebhookDeliveryTest, ANameThatResolvesNowhereIsRetryable) {
    // Not by the system: on a machine without a network its answer may take longer than the time.
    WebhookDelivery delivery({}, everywhere_, secrets_, clock_, [](const std::string& /*host*/) {
        return Resolution{{}, "no such name"};
    });
    EXPECT_EQ(deliver_by(delivery, an_endpoint().with_url("http://nobody.invalid/")).error,
              DeliveryErrorCode::dns);
}

void expect_forbidden(const Outcome& outcome, const std::string& what) {
    EXPECT_EQ(outcome.verdict, Verdict::permanent) << what;
    EXPECT_EQ(outcome.error, DeliveryErrorCode::destination_forbidden) << what;
    EXPECT_THAT(outcome.error_text, testing::Not(HasSubstr("127."))) << what;
}

TEST_F(WebhookDeliveryTest, JudgesTheUrlAgainAtEachAttempt) {
    const ScriptedReceiver receiver(Script{});
    const AddressRules addresses{AddressSettings{}};
    const UrlRules plain({.allow_http = true, .ports = {receiver.port()}}, addresses);
    const UrlRules https({.ports = {receiver.port()}}, addresses);
    for (const std::string& url :
         {receiver.url(), "http://127.1:" + std::to_string(receiver.port()) + "/",
          "http://u@receiver.example:" + std::to_string(receiver.port()) + "/",
          std::string("http://receiver.example:1/")}) {
        expect_forbidden(deliver(an_endpoint().with_url(url), plain), url);
    }
    expect_forbidden(deliver(an_endpoint().with_url(named_url(receiver)), https), "http");
    EXPECT_EQ(receiver.connections(), 0);
}

TEST_F(WebhookDeliveryTest, ANameIsDeniedAsSoonAsOneOfItsAddressesIs) {
    const ScriptedReceiver receiver(Script{});
    // The receiver's own address is allowed, all others are not.
    const AddressRules addresses{{.allow = {"127.0.0.1/32"}}};
    const UrlRules rules({.allow_http = true, .ports = {receiver.port()}}, addresses);
    EXPECT_EQ(deliver_to_name(receiver, resolution({"127.0.0.1"}), rules).status_code, 204);
    EXPECT_EQ(receiver.connections(), 1);
    for (const auto& found :
         {resolution({"127.0.0.1", "10.0.0.1"}), resolution({"127.0.0.2", "127.0.0.1"}),
          resolution({"127.0.0.1", "::1"}), resolution({"127.0.0.1", "fe80::1"}),
          resolution({"169.254.169.254"})}) {
        expect_forbidden(deliver_to_name(receiver, found, rules), "a name");
    }
    EXPECT_EQ(receiver.connections(), 1);
}

TEST_F(WebhookDeliveryTest, ConnectsToTheCheckedAddressesIfTheNameChanges) {
    const ScriptedReceiver receiver(Script{});
    const AddressRules addresses{{.allow = {"127.0.0.1/32"}}};
    const UrlRules rules({.allow_http = true, .ports = {receiver.port()}}, addresses);
    // The system resolves "localhost" to 127.0.0.1 and ::1, but is not asked.
    WebhookDelivery delivery({}, rules, secrets_, clock_,
                             [](const std::string& /*host*/) { return resolution({"127.0.0.1"}); });
    const auto outcome = deliver_by(
        delivery, an_endpoint().with_url("http://localhost:" + std::to_string(receiver.port())));
    EXPECT_EQ(outcome.status_code, 204);
}

TEST_F(WebhookDeliveryTest, NeverConnectsToOwnListenersOrTheDatabase) {
    const ScriptedReceiver listener(Script{}), database(Script{}), other(Script{});
    const Address here = parse_address("127.0.0.1").value();
    const AddressRules addresses({.allow_private = true}, {{here, listener.port()}},
                                 [&] { return std::vector<OwnListener>{{here, database.port()}}; });
    const UrlRules rules({}, addresses);
    expect_forbidden(deliver(an_endpoint().with_url(listener.url()), rules), "listener");
    expect_forbidden(deliver(an_endpoint().with_url(database.url()), rules), "database");
    expect_forbidden(deliver_to_name(listener, resolution({"0.0.0.0"}), rules), "0.0.0.0");
    expect_forbidden(deliver_to_name(database, resolution({"127.0.0.1"}), rules), "by name");
    EXPECT_EQ(deliver(an_endpoint().with_url(other.url()), rules).status_code, 204);
    EXPECT_EQ(listener.connections() + database.connections(), 0);
}

TEST_F(WebhookDeliveryTest, AnUnresolvedNameHasItsOwnTimeout) {
    auto go_on = std::make_shared<std::promise<void>>();
    const auto waiting = go_on->get_future().share();
    WebhookDelivery delivery({.dns_timeout = 50ms}, everywhere_, secrets_, clock_,
                             [waiting](const std::string& /*host*/) {
                                 waiting.wait();
                                 return Resolution{};
                             });
    const Outcome outcome =
        deliver_by(delivery, an_endpoint().with_url("https://receiver.example/"));
    EXPECT_EQ(outcome.verdict, Verdict::retryable);
    EXPECT_EQ(outcome.error, DeliveryErrorCode::timeout);
    EXPECT_THAT(outcome.error_text, HasSubstr("name"));
    EXPECT_GE(outcome.duration, 50ms);
    go_on->set_value();
}

TEST_F(WebhookDeliveryTest, AHandshakeThatStallsIsATimeOutCountedFromTheConnection) {
    const ScriptedReceiver receiver({.hold = true});  // never sends the end of an HTTP head
    const std::string url = "https://127.0.0.1:" + std::to_string(receiver.port()) + "/";
    WebhookDelivery delivery({.connect_timeout = 300ms, .tls_timeout = 800ms}, everywhere_,
                             secrets_, clock_);
    // On a busy machine even the connection may take longer than its own time.
    Outcome outcome;
    do {
        outcome = deliver_by(delivery, an_endpoint().with_url(url));
        EXPECT_EQ(outcome.verdict, Verdict::retryable);
        EXPECT_EQ(outcome.error, DeliveryErrorCode::timeout);
    } while (outcome.error_text == "no connection within 0.3 s");
    EXPECT_EQ(outcome.error_text, "the TLS handshake took more than 0.8 s");
    EXPECT_GE(outcome.duration, 700ms);
}

TEST_F(WebhookDeliveryTest, SignsWhenItSendsNotWhenTheAttemptBegan) {
    const ScriptedReceiver receiver(Script{});
    WebhookDelivery delivery({}, everywhere_, secrets_, clock_, [](const std::string& /*host*/) {
        std::this_thread::sleep_for(1100ms);  // simulates a slow resolver
        return resolution({"127.0.0.1"});
    });
    EXPECT_EQ(deliver_by(delivery, an_endpoint().with_url(named_url(receiver))).status_code, 204);
    const auto at_noon = std::chrono::floor<std::chrono::seconds>(noon).time_since_epoch().count();
    ASSERT_EQ(receiver.requests().size(), 1U);
    EXPECT_THAT(receiver.requests()[0],
                Not(HasSubstr("webhook-timestamp: " + std::to_string(at_noon) + "\r\n")));
}

TEST_F(WebhookDeliveryTest, ARetiredKeySignsTogetherWithTheNewOneUntilItEnds) {
    const ScriptedReceiver receiver(Script{});
    WebhookDelivery delivery({}, everywhere_, secrets_, clock_);
    const auto signatures = [&](Instant old_until) {
        (void)deliver_by(delivery,
                         an_endpoint()
                             .with_url(receiver.url())
                             .signed_by({{.sealed = "new key"},
                                         {.sealed = "old key", .signs_until = old_until}}));
        const std::string request = receiver.requests().back();
        const auto start = request.find("webhook-signature: ") + 19;
        const std::string line = request.substr(start, request.find("\r\n", start) - start);
        return std::ranges::count(line, ' ') + 1;
    };
    EXPECT_EQ(signatures(noon + 1h), 2);
    EXPECT_EQ(signatures(noon), 1);
}

TEST_F(WebhookDeliveryTest, ACertificateFileThatHoldsNoneIsRefusedAtTheStart) {
    for (const std::string file : {"/nonexistent/ca.pem", "/dev/null"}) {
        EXPECT_THROW(WebhookDelivery({.ca_file = file}, everywhere_, secrets_, clock_), CannotStart)
            << file;
    }
}

TEST_F(WebhookDeliveryTest, SendsHeadersOfTheUsersWithEmptyAndBlankValues) {
    const ScriptedReceiver receiver(Script{});
    (void)deliver(
        an_endpoint()
            .with_url(receiver.url())
            .with_headers(
                {{"X-Empty", "", "…"}, {"X-Blank", " \t", "…"}, {"Accept", "text/plain", "…"}}),
        everywhere_);
    ASSERT_EQ(receiver.requests().size(), 1U);
    EXPECT_THAT(receiver.requests()[0], AllOf(HasSubstr("\r\nX-Empty:"), HasSubstr("\r\nX-Blank:"),
                                              HasSubstr("\r\nAccept: text/plain\r\n")));
}

TEST_F(WebhookDeliveryTest, ASecretThatCannotBeOpenedIsAFailedAttemptAndSendsNothing) {
    const ScriptedReceiver receiver(Script{});
    Endpoint endpoint = an_endpoint().with_url(receiver.url());
    endpoint.signing_keys = {{.sealed = "broken"}};
    const Outcome outcome = deliver(endpoint, everywhere_);
    EXPECT_EQ(outcome.verdict, Verdict::retryable);
    EXPECT_EQ(outcome.error, DeliveryErrorCode::worker);
    EXPECT_EQ(receiver.connections(), 0);
}

TEST_F(WebhookDeliveryTest, AHeaderThatCannotBeOpenedIsAFailedAttemptAndSendsNothing) {
    const ScriptedReceiver receiver(Script{});
    const Outcome outcome = deliver(
        an_endpoint().with_url(receiver.url()).with_headers({{"Authorization", "broken", "…"}}),
        everywhere_);
    EXPECT_EQ(outcome.verdict, Verdict::retryable);
    EXPECT_EQ(outcome.error, DeliveryErrorCode::worker);
    EXPECT_EQ(receiver.connections(), 0);
}

TEST_F(WebhookDeliveryTest, HidesEndpointHeadersInAnswers) {
    const ScriptedReceiver receiver({.answer =
                                         "HTTP/1.1 401 Unauthorized\r\nContent-Length: 38\r\n\r\n"
                                         "{\"you sent\":\"Bearer 0123456789abcdef\"}"});
    const Outcome outcome =
        deliver(an_endpoint()
                    .with_url(receiver.url())
                    .with_headers({{"Authorization", "Bearer 0123456789abcdef", "…def"}}),
                everywhere_);
    EXPECT_THAT(receiver.requests()[0], HasSubstr("Authorization: Bearer 0123456789abcdef\r\n"));
    EXPECT_EQ(outcome.response_body, R"({"you sent":"***********************"})");
}

TEST_F(WebhookDeliveryTest, ClosesTheConnectionOfAnAttemptWhoseLeaseIsLostAndOfNoOther) {
    const ScriptedReceiver receiver({.hold = true});
    // Outlive the delivery, which reports all outcomes at its end.
    std::promise<Outcome> lost, other;
    WebhookDelivery delivery({}, everywhere_, secrets_, clock_);
    Event event = an_event().due(noon);
    event.attempt = Attempt{2};
    Event earlier = event;
    earlier.attempt = Attempt{1};
    const auto start = [&](const Event& one, std::promise<Outcome>& outcome) {
        delivery.start({one, shared(an_endpoint().with_url(receiver.url())), "", noon},
                       [&outcome](Outcome result) { outcome.set_value(std::move(result)); });
    };
    start(event, lost);
    start(an_event().due(noon), other);
    while (receiver.requests().size() < 2) std::this_thread::yield();

    delivery.abandon(earlier);  // finished long ago
    delivery.abandon(event);
    const Outcome outcome = lost.get_future().get();
    EXPECT_EQ(outcome.verdict, Verdict::retryable);
    EXPECT_EQ(outcome.error, DeliveryErrorCode::lease_lost);
    EXPECT_EQ(other.get_future().wait_for(0s), std::future_status::timeout);
    receiver.wait_for_closed(1);
}

/// By itself: the worker may be waiting for a database that does not answer.
TEST_F(WebhookDeliveryTest, ClosesConnectionsWhenTheHeartbeatOfTheInstanceEnds) {
    const ScriptedReceiver receiver({.hold = true});
    std::promise<Outcome> outcome;
    SendPermit permit;
    WebhookDelivery delivery({}, everywhere_, secrets_, clock_, &Resolver::ask_system, permit);
    const auto began = clock_.now();
    permit.begin(began, began + 1h);
    delivery.start({.event = an_event().due(noon),
                    .endpoint = shared(an_endpoint().with_url(receiver.url())),
                    .target_time = "",
                    .now = noon,
                    .claimed = began},
                   [&](Outcome result) { outcome.set_value(std::move(result)); });
    while (receiver.requests().empty()) std::this_thread::yield();
    const auto end = clock_.now() + 300ms;
    permit.extend(end);
    const Outcome aborted = outcome.get_future().get();
    EXPECT_EQ(aborted.verdict, Verdict::retryable);
    EXPECT_EQ(aborted.error, DeliveryErrorCode::lease_lost);
    EXPECT_GE(clock_.now(), end);
    receiver.wait_for_closed(1);
}

TEST_F(WebhookDeliveryTest, SendsNothingForAClaimOfBeforeAnInterruption) {
    const ScriptedReceiver receiver({.hold = true});
    std::promise<Outcome> outcome;
    SendPermit permit;
    WebhookDelivery delivery({}, everywhere_, secrets_, clock_, &Resolver::ask_system, permit);
    const auto now = clock_.now();
    permit.begin(now, now + 1h);
    delivery.start({.event = an_event().due(noon),
                    .endpoint = shared(an_endpoint().with_url(receiver.url())),
                    .target_time = "",
                    .now = noon,
                    .claimed = now - 1us},
                   [&](Outcome result) { outcome.set_value(std::move(result)); });
    EXPECT_EQ(outcome.get_future().get().error, DeliveryErrorCode::lease_lost);
    EXPECT_EQ(receiver.connections(), 0);
}

TEST_F(WebhookDeliveryTest, SendsATestOfAnEndpointWithoutAHeartbeat) {
    const ScriptedReceiver receiver(Script{});
    std::promise<Outcome> outcome;
    SendPermit permit;
    WebhookDelivery delivery({}, everywhere_, secrets_, clock_, &Resolver::ask_system, permit);
    const auto now = clock_.now();
    permit.begin(now, now);
    delivery.start({.event = an_event().due(noon),
                    .endpoint = shared(an_endpoint().with_url(receiver.url())),
                    .target_time = "",
                    .now = noon},
                   [&](Outcome result) { outcome.set_value(std::move(result)); });
    EXPECT_EQ(outcome.get_future().get().verdict, Verdict::accepted);
}

TEST_F(WebhookDeliveryTest, StoppingReportsAllPendingAttempts) {
    const ScriptedReceiver receiver({.hold = true});
    std::promise<Outcome> outcome;
    {
        WebhookDelivery delivery({}, everywhere_, secrets_, clock_);
        delivery.start(
            {an_event().due(noon), shared(an_endpoint().with_url(receiver.url())), "", noon},
            [&](Outcome result) { outcome.set_value(std::move(result)); });
    }
    EXPECT_EQ(outcome.get_future().get().verdict, Verdict::retryable);
}

}  // namespace
}  // namespace sundial::webhook
