#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "sundial/engine.hpp"
#include "support/postgres_cluster.hpp"
#include "support/scripted_receiver.hpp"
#include "support/temporary_folder.hpp"

/// Tests endpoints as an embedding program uses them: through the public headers alone.
namespace {

using namespace std::chrono_literals;
using sundial::EndpointType;
using sundial::Engine;
using sundial::ScriptedReceiver;
using sundial::WebhookOptions;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

std::string detail_of(const auto& answer) { return answer ? "" : answer.error().detail; }
std::string code_of(const auto& answer) { return answer ? "" : answer.error().code; }

class EndpointsOnEach : public testing::TestWithParam<std::string> {
protected:
    EndpointsOnEach() {
        std::string storage = "memory:";
        if (GetParam() == "sqlite") storage = "sqlite:" + folder_.file().string();
        if (GetParam() == "postgres") {
            storage = sundial::PostgresCluster::shared().create_database();
        }
        auto opened =
            Engine::open({.storage = storage,
                          .test_clock = true,
                          .webhooks = WebhookOptions{.key_file = folder_.file("key").string(),
                                                     .allow_private = true,
                                                     .ports = {receiver_.port()}}});
        if (!opened) throw std::runtime_error(opened.error().detail);
        engine_.emplace(*std::move(opened));
    }
    Engine& engine() { return *engine_; }
    ScriptedReceiver& receiver() { return receiver_; }
    std::string status_of(const std::string& id) { return engine().find_event(id)->status; }

private:
    sundial::TemporaryFolder folder_;
    ScriptedReceiver receiver_{ScriptedReceiver::Script{}};
    std::optional<Engine> engine_;
};

TEST_P(EndpointsOnEach, DeliversASignedWebhook) {
    const auto made = engine().put_endpoint({.name = "crm", .url = receiver().url()});
    ASSERT_TRUE(made) << detail_of(made);
    EXPECT_TRUE(made->created);
    EXPECT_THAT(made->secret, StartsWith("whsec_"));
    EXPECT_EQ(made->endpoint.type, "WEBHOOK");

    const auto by_name = engine().schedule({.type = "ORDER",
                                            .at = *engine().now(),
                                            .payload = R"({"order":1})",
                                            .endpoint = "ext:crm"});
    ASSERT_TRUE(by_name) << detail_of(by_name);
    const auto by_id =
        engine().schedule({.type = "ORDER", .at = *engine().now(), .endpoint = made->endpoint.id});
    ASSERT_TRUE(by_id) << detail_of(by_id);
    ASSERT_TRUE(engine().advance(1s));

    EXPECT_EQ(status_of(by_name->id), "COMPLETED");
    EXPECT_EQ(status_of(by_id->id), "COMPLETED");
    const auto requests = receiver().requests();
    ASSERT_THAT(requests, SizeIs(2));
    for (const std::string& request : requests) {
        EXPECT_THAT(request, HasSubstr("webhook-signature: v1,"));
    }
    EXPECT_THAT(requests, testing::Contains(HasSubstr(R"({"order":1})")));
}

TEST_P(EndpointsOnEach, ShowsTheSecretOnlyOnce) {
    ASSERT_TRUE(engine().put_endpoint({.name = "crm", .url = receiver().url()}));
    const auto replaced =
        engine().put_endpoint({.name = "crm", .url = receiver().url(), .timeout = 5s});
    ASSERT_TRUE(replaced) << detail_of(replaced);
    EXPECT_FALSE(replaced->created);
    EXPECT_THAT(replaced->secret, IsEmpty());
    EXPECT_THAT(replaced->endpoint.secret_hint, StartsWith("whsec_"));
    EXPECT_EQ(replaced->endpoint.version, 2U);
}

TEST_P(EndpointsOnEach, KeepsTheEventsOfADisabledEndpoint) {
    ASSERT_TRUE(engine().put_endpoint({.name = "bin", .type = EndpointType::inbox}));
    const auto disabled = engine().disable_endpoint("ext:bin");
    ASSERT_TRUE(disabled) << detail_of(disabled);
    EXPECT_FALSE(disabled->enabled);
    const auto event = engine().schedule(
        {.type = "ORDER", .at = *engine().now(), .payload = "{}", .endpoint = "ext:bin"});
    ASSERT_TRUE(event) << detail_of(event);
    ASSERT_TRUE(engine().advance(1s));
    EXPECT_THAT(*engine().inbox("ext:bin"), IsEmpty());

    ASSERT_TRUE(engine().enable_endpoint("ext:bin"));
    ASSERT_TRUE(engine().advance(1s));
    EXPECT_EQ(status_of(event->id), "COMPLETED");
    const auto kept = engine().inbox("ext:bin");
    ASSERT_TRUE(kept) << detail_of(kept);
    ASSERT_THAT(*kept, SizeIs(1));
    EXPECT_EQ(kept->front().body, "{}");
    EXPECT_EQ(code_of(engine().inbox("ext:bin", 0)), "VALIDATION_FAILED");
}

TEST_P(EndpointsOnEach, ListsFindsAndDeletes) {
    ASSERT_TRUE(engine().put_endpoint({.name = "printers", .type = EndpointType::pull}));
    ASSERT_TRUE(engine().put_endpoint({.name = "bin", .type = EndpointType::inbox}));
    const auto all = engine().endpoints();
    ASSERT_TRUE(all) << detail_of(all);
    ASSERT_THAT(*all, SizeIs(2));
    const auto event =
        engine().schedule({.type = "ORDER", .at = *engine().now() + 1h, .endpoint = "ext:bin"});
    ASSERT_TRUE(event) << detail_of(event);
    EXPECT_EQ(code_of(engine().delete_endpoint("ext:bin")), "ENDPOINT_IN_USE");
    ASSERT_TRUE(engine().cancel(event->id));
    ASSERT_TRUE(engine().delete_endpoint("ext:bin"));
    EXPECT_EQ(code_of(engine().find_endpoint("ext:bin")), "ENDPOINT_NOT_FOUND");
    EXPECT_EQ(engine().find_endpoint("ext:printers")->type, "PULL");
}

TEST_P(EndpointsOnEach, RefusesContradictions) {
    EXPECT_EQ(code_of(engine().put_endpoint({.name = "crm"})), "VALIDATION_FAILED");
    const auto both = engine().schedule(
        {.type = "ORDER", .at = *engine().now(), .queue = "a", .endpoint = "ext:b"});
    EXPECT_EQ(code_of(both), "VALIDATION_FAILED");
}

INSTANTIATE_TEST_SUITE_P(Storage, EndpointsOnEach, testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

TEST(Webhooks, NeedAKey) {
    EXPECT_EQ(code_of(Engine::open({.webhooks = WebhookOptions{}})), "CANNOT_START");
}

TEST(Webhooks, AreRefusedWithoutTheirOption) {
    auto engine = Engine::open({});
    ASSERT_TRUE(engine) << detail_of(engine);
    const auto made = engine->put_endpoint({.name = "crm", .url = "https://crm.example/"});
    EXPECT_EQ(code_of(made), "VALIDATION_FAILED");
}

TEST(Webhooks, DoNotReachPrivateAddressesByDefault) {
    const sundial::TemporaryFolder folder;
    auto engine =
        Engine::open({.webhooks = WebhookOptions{.key_file = folder.file("key").string()}});
    ASSERT_TRUE(engine) << detail_of(engine);
    const auto made = engine->put_endpoint({.name = "crm", .url = "https://127.0.0.1/"});
    EXPECT_EQ(code_of(made), "VALIDATION_FAILED");
}

}  // namespace
