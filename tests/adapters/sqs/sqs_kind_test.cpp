#include "adapters/sqs/sqs_kind.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "support/builders.hpp"
#include "support/defects.hpp"

namespace sundial::sqs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

/// Like the product's rules: https only.
class HttpsOnly final : public DestinationRules {
public:
    [[nodiscard]] std::optional<FieldError> refuse(std::string_view url) const override {
        if (url.starts_with("https://")) return std::nullopt;
        return FieldError{"/url", "not_allowed", "the scheme must be https"};
    }
    [[nodiscard]] bool denied(std::string_view, std::uint16_t) const override { return false; }
};
class KindClock final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override { return {}; }
};

class SqsKindTest : public testing::Test {
protected:
    std::vector<FieldError> whole(const std::string& url,
                                  std::map<std::string, std::string> options = {}) {
        Endpoint endpoint = an_endpoint().with_url(url);
        endpoint.options = std::move(options);
        return kind.refuse_whole(endpoint);
    }

    KindClock clock;
    SqsKind kind{{},
                 std::make_unique<HttpsOnly>(),
                 {.environment = [](const std::string&) { return std::nullopt; }},
                 clock};
};

constexpr const char* queue_url = "https://sqs.eu-west-1.amazonaws.com/1/birthdays";

TEST_F(SqsKindTest, RequiresTheUrlOfAQueueAndTakesNothingThatAMessageLacks) {
    EXPECT_THAT(brief(kind.refuse_new({})), ElementsAre("/url required"));
    EXPECT_THAT(kind.refuse_new({.url = queue_url}), IsEmpty());
    EXPECT_THAT(kind.refuse_edit({}), IsEmpty());
    EXPECT_THAT(brief(kind.refuse_edit({.url = "https://sqs.eu-west-1.amazonaws.com/"})),
                ElementsAre("/url bad_format"));
    const TypeSettings others{.url = queue_url,
                              .format = BodyFormat::envelope,
                              .headers = true,
                              .secret = true,
                              .ed25519 = true};
    EXPECT_THAT(brief(kind.refuse_new(others)),
                ElementsAre("/format not_allowed", "/headers not_allowed", "/secret not_allowed",
                            "/ed25519 not_allowed"));
    EXPECT_FALSE(kind.signs());
}

TEST_F(SqsKindTest, JudgesItsOptions) {
    EXPECT_THAT(kind.options(), ElementsAre("endpointUrl", "messageGroup", "region"));
    const TypeSettings wrong{.options = {{"endpointUrl", "vpce"},
                                         {"messageGroup", "event"},
                                         {"region", "Ireland (west)"}}};
    EXPECT_THAT(
        brief(kind.refuse_edit(wrong)),
        ElementsAre("/endpointUrl bad_format", "/messageGroup bad_format", "/region bad_format"));
    EXPECT_THAT(brief(refuse_foreign_options(kind, {.options = {{"exchange", "x"}}})),
                ElementsAre("/exchange not_allowed"));
}

TEST_F(SqsKindTest, AppliesTheRulesForUrlsToTheOneThatRequestsGoTo) {
    EXPECT_THAT(whole(queue_url), IsEmpty());
    EXPECT_THAT(brief(whole("http://sqs.eu-west-1.amazonaws.com/1/q")),
                ElementsAre("/url not_allowed"));
    EXPECT_THAT(brief(whole(queue_url, {{"endpointUrl", "http://169.254.169.254"}})),
                ElementsAre("/endpointUrl not_allowed"));
    EXPECT_THAT(
        whole("http://10.0.0.1/1/q", {{"endpointUrl", "https://sqs.eu-west-1.amazonaws.com"}}),
        IsEmpty());
}

TEST_F(SqsKindTest, NeedsARegionAndAFifoQueueForGroups) {
    EXPECT_THAT(brief(whole("https://queue.example/1/q")), ElementsAre("/region required"));
    EXPECT_THAT(whole("https://queue.example/1/q", {{"region", "eu-west-1"}}), IsEmpty());
    EXPECT_THAT(brief(whole(queue_url, {{"messageGroup", "user"}})),
                ElementsAre("/messageGroup not_allowed"));
    EXPECT_THAT(whole(std::string{queue_url} + ".fifo", {{"messageGroup", "user"}}), IsEmpty());
}

TEST_F(SqsKindTest, RefusesPayloadsWithCharactersThatSqsRefuses) {
    EXPECT_EQ(kind.refuse_payload(R"({"text":"Jörg\u0001"})"), std::nullopt);
    EXPECT_THAT(kind.refuse_payload("{\"text\":\"\uFFFF\"}"), Optional(HasSubstr("U+FFFF")));
}

}  // namespace
}  // namespace sundial::sqs
