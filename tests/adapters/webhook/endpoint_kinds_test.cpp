#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "adapters/webhook/inbox_kind.hpp"
#include "adapters/webhook/signature.hpp"
#include "adapters/webhook/webhook_kind.hpp"
#include "application/ports/failures.hpp"
#include "support/builders.hpp"
#include "support/defects.hpp"
#include "support/fake_ids.hpp"

namespace sundial::webhook {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Seals nothing: the stored form is the key itself. One key can no longer be opened.
class PlainSecrets final : public Secrets {
public:
    Result<NewSecret, ValidationFailed> seal(const std::optional<std::string>&) override {
        return NewSecret{};
    }
    Result<NewKeyPair, ValidationFailed> new_key_pair() override { return NewKeyPair{}; }
    std::optional<std::string> seal_text(std::string_view) override { return {}; }
    std::string open(const std::string& sealed) override {
        if (sealed == "lost") throw Corrupt("sealed under a key that is lost");
        return sealed;
    }
    std::optional<std::string> resealed(const std::string&) override { return {}; }
};
class NoStore final : public Store {
public:
    void transact(const std::function<bool(Transaction&)>&) override {}
    void read(const std::function<void(Transaction&)>&) override {}
    [[nodiscard]] bool open_here() override { return false; }
};
class StoppedClock final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override { return {}; }
};

TEST(WebhookKind, RequiresAUrlThatItsRulesAllow) {
    PlainSecrets secrets;
    const StoppedClock clock;
    const WebhookKind kind({}, secrets, clock);
    EXPECT_THAT(brief(kind.refuse_new({})), ElementsAre("/url required"));
    EXPECT_THAT(brief(kind.refuse_new({.url = "http://crm.example/"})),
                ElementsAre("/url not_allowed"));
    EXPECT_THAT(brief(kind.refuse_edit({.url = "https://127.0.0.1/"})),
                ElementsAre("/url not_allowed"));
    EXPECT_THAT(kind.refuse_edit({}), IsEmpty());
    const TypeSettings everything{.url = "https://crm.example/",
                                  .format = BodyFormat::cloudevents,
                                  .headers = true,
                                  .secret = true,
                                  .ed25519 = true};
    EXPECT_THAT(kind.refuse_new(everything), IsEmpty());
    EXPECT_TRUE(kind.signs());
    EXPECT_EQ(kind.origin("https://CRM.example/hook"), "https://crm.example");
}

TEST(InboxKind, IsMadeOnlyWhereItIsAllowedAndTakesASecretButNoUrl) {
    NoStore store;
    PlainSecrets secrets;
    FakeIds ids;
    const InboxKind in_production({.allowed = false}, store, secrets, ids);
    EXPECT_THAT(brief(in_production.refuse_new({})), ElementsAre("/type not_allowed"));
    EXPECT_THAT(in_production.refuse_edit({}), IsEmpty());

    const InboxKind kind({.allowed = true}, store, secrets, ids);
    EXPECT_THAT(kind.refuse_new({.format = BodyFormat::envelope, .headers = true}), IsEmpty());
    const TypeSettings others{.url = "https://crm.example/", .secret = true, .ed25519 = true};
    EXPECT_THAT(brief(kind.refuse_new(others)),
                ElementsAre("/url not_allowed", "/ed25519 not_allowed"));
    EXPECT_TRUE(kind.keeps_requests());
    EXPECT_TRUE(kind.takes_secret());
    EXPECT_FALSE(kind.signs());
}

/// A request with the id "k" and the body "{}", one minute after its timestamp.
InboxRequest received(std::optional<std::string> signatures, std::string body = "{}") {
    const auto stamp = std::to_string((noon - 1min).time_since_epoch() / 1s);
    InboxRequest request{.id = uuid_of(1),
                         .endpoint = EndpointId{uuid_of(2)},
                         .received_at = noon,
                         .headers = {{"webhook-id", "k"}, {"webhook-timestamp", stamp}},
                         .body = std::move(body)};
    if (signatures) request.headers.emplace_back("webhook-signature", *std::move(signatures));
    return request;
}

std::string signature_by(const std::string& key, SignatureScheme scheme = SignatureScheme::v1) {
    return sign(OpenKey{scheme, key}, "k", std::chrono::floor<std::chrono::seconds>(noon - 1min),
                "{}");
}

TEST(InboxKind, ChecksTheSignatureOfAKeptRequest) {
    NoStore store;
    PlainSecrets secrets;
    FakeIds ids;
    const InboxKind kind({.allowed = true}, store, secrets, ids);
    const Endpoint endpoint = an_endpoint().inbox().signed_by(
        {{.sealed = "lost"}, {.sealed = "new"}, {.sealed = "old", .signs_until = noon}});
    const Endpoint renewed = an_endpoint().inbox().signed_by({{.sealed = "new"}});
    const auto check = [&](const Endpoint& of, const InboxRequest& request) {
        return kind.check_signature(of, request);
    };
    const auto valid = [](bool by_newest) {
        return SignatureCheck{SignatureState::valid, by_newest, 60'000ms};
    };
    const SignatureCheck invalid{SignatureState::invalid, false, 60'000ms};

    EXPECT_EQ(check(renewed, received(signature_by("new"))), valid(true));
    EXPECT_EQ(check(renewed, received(signature_by("old") + ' ' + signature_by("new"))),
              valid(true));
    EXPECT_EQ(check(endpoint, received(signature_by("old"))), valid(false));
    EXPECT_EQ(check(endpoint, received(signature_by("new"))), valid(false));  // it is not the first

    EXPECT_EQ(check(renewed, received(signature_by("new"), "{ }")), invalid);
    EXPECT_EQ(check(renewed, received(signature_by("other"))), invalid);
    EXPECT_EQ(check(renewed, received("v1,")), invalid);
    EXPECT_EQ(check(renewed, received("")), invalid);
    EXPECT_EQ(check(an_endpoint().inbox(), received(signature_by("new"))), invalid);
    EXPECT_EQ(check(renewed, received(std::nullopt)),
              (SignatureCheck{SignatureState::missing, false, 60'000ms}));

    auto without_time = received(signature_by("new"));
    without_time.headers[1].second = "9999999999999";
    EXPECT_EQ(check(renewed, without_time), (SignatureCheck{SignatureState::invalid}));
}

TEST(InboxKind, TakesAStatusAndADelayWithinBounds) {
    NoStore store;
    PlainSecrets secrets;
    FakeIds ids;
    const InboxKind kind({.allowed = true}, store, secrets, ids);
    const auto refused = [&](const char* status, const char* delay) {
        return brief(kind.refuse_edit(
            {.options = {{inbox_status_option, status}, {inbox_delay_option, delay}}}));
    };
    EXPECT_THAT(refused("503", "PT60S"), IsEmpty());
    EXPECT_THAT(refused("200", "PT0S"), IsEmpty());
    EXPECT_THAT(refused("199", "PT61S"),
                ElementsAre("/inboxDelay out_of_range", "/inboxStatus out_of_range"));
    EXPECT_THAT(refused("600", "soon"),
                ElementsAre("/inboxDelay out_of_range", "/inboxStatus out_of_range"));
    EXPECT_THAT(refused("5x3", "PT1M"), ElementsAre("/inboxStatus out_of_range"));
}

}  // namespace
}  // namespace sundial::webhook
