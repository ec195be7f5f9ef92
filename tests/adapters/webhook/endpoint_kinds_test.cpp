#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/webhook/inbox_kind.hpp"
#include "adapters/webhook/webhook_kind.hpp"
#include "support/defects.hpp"
#include "support/fake_ids.hpp"

namespace sundial::webhook {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Nothing is sent, so nothing is opened or stored.
class NoSecrets final : public Secrets {
public:
    Result<NewSecret, ValidationFailed> seal(const std::optional<std::string>&) override {
        return NewSecret{};
    }
    Result<NewKeyPair, ValidationFailed> new_key_pair() override { return NewKeyPair{}; }
    std::optional<std::string> seal_text(std::string_view) override { return {}; }
    std::string open(const std::string&) override { return {}; }
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
    NoSecrets secrets;
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

TEST(InboxKind, IsMadeOnlyWhereItIsAllowedAndTakesNeitherUrlNorKeys) {
    NoStore store;
    FakeIds ids;
    const InboxKind in_production({.allowed = false}, store, ids);
    EXPECT_THAT(brief(in_production.refuse_new({})), ElementsAre("/type not_allowed"));
    EXPECT_THAT(in_production.refuse_edit({}), IsEmpty());

    const InboxKind kind({.allowed = true}, store, ids);
    EXPECT_THAT(kind.refuse_new({.format = BodyFormat::envelope, .headers = true}), IsEmpty());
    const TypeSettings others{.url = "https://crm.example/", .secret = true, .ed25519 = true};
    EXPECT_THAT(brief(kind.refuse_new(others)),
                ElementsAre("/url not_allowed", "/secret not_allowed", "/ed25519 not_allowed"));
    EXPECT_TRUE(kind.keeps_requests());
    EXPECT_FALSE(kind.signs());
}

TEST(InboxKind, TakesAStatusAndADelayWithinBounds) {
    NoStore store;
    FakeIds ids;
    const InboxKind kind({.allowed = true}, store, ids);
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
