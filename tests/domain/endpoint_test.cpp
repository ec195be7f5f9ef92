#include "domain/endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/builders.hpp"
#include "support/defects.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Headers = std::vector<HeaderText>;

constexpr std::chrono::seconds claim_lease = 30s;

std::vector<std::string> wrong(const EndpointBuilder& endpoint) {
    return brief(defects(endpoint, claim_lease));
}
std::vector<std::string> wrong(const Headers& headers) { return brief(header_defects(headers)); }
std::vector<std::string> wrong(std::string header, std::string value) {
    return wrong(Headers{{std::move(header), std::move(value)}});
}

TEST(EndpointDefects, AreNoneForAWebhookAndAnInbox) {
    EXPECT_THAT(wrong(an_endpoint().with_external_id("crm")), IsEmpty());
    EXPECT_THAT(wrong(an_endpoint().inbox()), IsEmpty());
}

TEST(EndpointDefects, JudgeTheNameAndTheExternalId) {
    EXPECT_THAT(wrong(an_endpoint().named("").with_external_id(std::string(129, 'x'))),
                ElementsAre("/externalId too_long", "/name required"));
    EXPECT_THAT(wrong(an_endpoint().named(std::string(255, 'x'))), IsEmpty());
    EXPECT_THAT(wrong(an_endpoint().named(std::string(256, 'x'))), ElementsAre("/name too_long"));
}

TEST(EndpointDefects, RefuseHeadersThatAreNotLegal) {
    EXPECT_THAT(wrong("X Team", "a"), ElementsAre("/headers/X Team bad_format"));
    EXPECT_THAT(wrong("", "a"), ElementsAre("/headers/ bad_format"));
    EXPECT_THAT(wrong("X-Team:", "a"), ElementsAre("/headers/X-Team: bad_format"));
    for (const std::string_view value :
         {std::string_view{"a\r\nHost: evil"}, std::string_view{"a\n"}, std::string_view{"a\0b", 3},
          std::string_view{"\x1b[31m"}}) {
        EXPECT_THAT(wrong("X-Team", std::string{value}), ElementsAre("/headers/X-Team bad_format"));
    }
    EXPECT_THAT(wrong("X-Team", "a\tb é"), IsEmpty());
}

TEST(EndpointDefects, RefuseHeadersThatAreOursOrTheConnections) {
    for (const char* name : {"webhook-id",
                             "Webhook-Signature",
                             "WEBHOOK-TIMESTAMP",
                             "X-Idempotency-Key",
                             "Idempotency-Key",
                             "Sundial-Attempt",
                             "Sundial-Whatever",
                             "ce-id",
                             "traceparent",
                             "Content-Type",
                             "Content-Length",
                             "User-Agent",
                             "Host",
                             "Connection",
                             "Transfer-Encoding",
                             "TE",
                             "Upgrade",
                             "Expect",
                             "Trailer",
                             "Proxy-Authorization",
                             "Cookie"}) {
        EXPECT_THAT(wrong(name, "x"),
                    ElementsAre("/headers/" + std::string{name} + " not_allowed"));
    }
    EXPECT_THAT(wrong("Authorization", "Bearer x"), IsEmpty());
}

TEST(EndpointDefects, RefuseAHeaderGivenTwice) {
    EXPECT_THAT(wrong(Headers{{"X-Team", "a"}, {"x-team", "b"}}),
                ElementsAre("/headers/x-team not_allowed"));
}

TEST(EndpointDefects, RefuseTheHintOfAHeaderInPlaceOfItsValue) {
    EXPECT_THAT(wrong("Authorization", "…Q9f"), ElementsAre("/headers/Authorization bad_format"));
    EXPECT_THAT(wrong("Authorization", header_hint("short")),
                ElementsAre("/headers/Authorization bad_format"));
}

TEST(HeaderHint, ShowsTheEndOfALongValueAndNothingOfAShortOne) {
    EXPECT_EQ(header_hint("Bearer 0123456789"), "…789");
    EXPECT_EQ(header_hint("0123456789abcdef"), "…def");
    EXPECT_EQ(header_hint("0123456789abcde"), "…");
    EXPECT_EQ(header_hint(""), "…");
    EXPECT_EQ(header_hint("0123456789abcdé"), "…");
    EXPECT_EQ(header_hint("0123456789abc d"), "…");
}

TEST(EndpointDefects, BoundNumberAndSizeOfHeaders) {
    Headers headers;
    for (int i = 0; i < 20; ++i) headers.emplace_back("X-" + std::to_string(i), "v");
    EXPECT_THAT(wrong(headers), IsEmpty());
    headers.emplace_back("X-20", "v");
    EXPECT_THAT(wrong(headers), ElementsAre("/headers out_of_range"));

    EXPECT_THAT(wrong("X-Big", std::string(4096 - 5, 'v')), IsEmpty());
    EXPECT_THAT(wrong("X-Big", std::string(4096 - 4, 'v')), ElementsAre("/headers too_long"));
}

TEST(EndpointDefects, LeaveTenSecondsBetweenTimeoutAndLease) {
    EXPECT_THAT(wrong(an_endpoint().with_timeout(1s)), IsEmpty());
    EXPECT_THAT(wrong(an_endpoint().with_timeout(20s)), IsEmpty());
    const auto found = defects(an_endpoint().with_timeout(21s), claim_lease);
    ASSERT_THAT(brief(found), ElementsAre("/timeout out_of_range"));
    EXPECT_EQ(found[0].message, "must be PT1S to PT20S, the lease of PT30S less PT10S");
}

TEST(EndpointDefects, BoundTheTimeoutHoweverLongTheLease) {
    EXPECT_THAT(wrong(an_endpoint().with_timeout(0s)), ElementsAre("/timeout out_of_range"));
    EXPECT_THAT(defects(an_endpoint().with_timeout(30s), 120s), IsEmpty());
    EXPECT_THAT(brief(defects(an_endpoint().with_timeout(31s), 120s)),
                ElementsAre("/timeout out_of_range"));
}

TEST(EndpointDefects, BoundOnesOwnDelays) {
    const auto with = [](std::vector<std::chrono::seconds> delays) {
        return wrong(an_endpoint().with_retry_policy(
            {.kind = RetryPolicy::Kind::custom, .custom = std::move(delays)}));
    };
    EXPECT_THAT(with({1s, 24h}), IsEmpty());
    EXPECT_THAT(with(std::vector<std::chrono::seconds>(50, 1s)), IsEmpty());
    EXPECT_THAT(with({}), ElementsAre("/retryPolicy/delays out_of_range"));
    EXPECT_THAT(with(std::vector<std::chrono::seconds>(51, 1s)),
                ElementsAre("/retryPolicy/delays out_of_range"));
    EXPECT_THAT(with({1s, 0s, 24h + 1s}), ElementsAre("/retryPolicy/delays/1 out_of_range",
                                                      "/retryPolicy/delays/2 out_of_range"));
    EXPECT_THAT(wrong(an_endpoint().retrying_client_errors(51)),
                ElementsAre("/retryClientErrors out_of_range"));
}

TEST(Endpoint, OfTypePullIsPulled) {
    EXPECT_TRUE(is_pulled(an_endpoint().pull()));
    EXPECT_FALSE(is_pulled(an_endpoint()));
}

}  // namespace
}  // namespace sundial
