#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sundial/engine.hpp"
#include "support/migrated_database.hpp"
#include "support/results.hpp"
#include "support/scripted_receiver.hpp"
#include "support/temporary_folder.hpp"

/// Tests endpoints as an embedding program uses them: through the public headers alone.
namespace {

using namespace std::chrono_literals;
using sundial::code_of;
using sundial::detail_of;
using sundial::EndpointType;
using sundial::Engine;
using sundial::ScriptedReceiver;
using sundial::WebhookOptions;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class EndpointsOnEach : public testing::TestWithParam<std::string> {
protected:
    EndpointsOnEach() {
        std::string storage = "memory:";
        if (GetParam() == "sqlite") storage = "sqlite:" + folder_.file().string();
        if (GetParam() == "postgres") {
            storage = sundial::migrated_database();
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

TEST_P(EndpointsOnEach, ChangesSingleSettings) {
    const auto made = engine().put_endpoint({.name = "crm",
                                             .url = receiver().url(),
                                             .headers = {{"X-Team", "red"}, {"X-Old", "1"}},
                                             .timeout = 5s,
                                             .max_in_flight = 7});
    ASSERT_TRUE(made) << detail_of(made);
    const auto changed =
        engine().change_endpoint("ext:crm", {.headers = {{"X-Old", std::nullopt}, {"X-New", "2"}},
                                             .retry_delays = std::vector{2s, 3s},
                                             .max_per_second = 50,
                                             .if_version = 1});
    ASSERT_TRUE(changed) << detail_of(changed);
    EXPECT_EQ(changed->version, 2U);
    EXPECT_EQ(changed->url, receiver().url());
    EXPECT_EQ(changed->timeout, 5s);
    EXPECT_EQ(changed->max_in_flight, std::optional{7U});
    EXPECT_EQ(changed->max_per_second, std::optional{50U});
    EXPECT_THAT(changed->retry_delays, testing::ElementsAre(2s, 3s));
    EXPECT_THAT(changed->headers, testing::UnorderedElementsAre("X-Team", "X-New"));

    const auto unlimited = engine().change_endpoint(
        "ext:crm", {.retry_delays = std::vector<std::chrono::seconds>{}, .max_in_flight = 0});
    ASSERT_TRUE(unlimited) << detail_of(unlimited);
    EXPECT_EQ(unlimited->max_in_flight, std::nullopt);
    EXPECT_THAT(unlimited->retry_delays, SizeIs(10));

    const auto late = engine().change_endpoint("ext:crm", {.timeout = 6s, .if_version = 1});
    ASSERT_EQ(code_of(late), "OPTIMISTIC_LOCK");
    EXPECT_EQ(std::get<sundial::VersionConflict>(late.error().data).actual, 3U);
    const auto wrong = engine().change_endpoint("ext:crm", {.max_per_second = 10'001});
    ASSERT_EQ(code_of(wrong), "VALIDATION_FAILED");
    EXPECT_EQ(std::get<sundial::InvalidFields>(wrong.error().data).at(0).field, "max_per_second");
    EXPECT_EQ(code_of(engine().change_endpoint("ext:none", {.timeout = 6s})), "ENDPOINT_NOT_FOUND");
}

TEST_P(EndpointsOnEach, RotatesASecretThatSignsBesideTheOldOne) {
    const auto made =
        engine().put_endpoint({.name = "crm", .url = receiver().url(), .ed25519 = true});
    ASSERT_TRUE(made) << detail_of(made);
    EXPECT_THAT(made->endpoint.public_key, StartsWith("whpk_"));
    const auto rotated = engine().rotate_secret("ext:crm", {.old_signs_for = 1h});
    ASSERT_TRUE(rotated) << detail_of(rotated);
    EXPECT_FALSE(rotated->created);
    EXPECT_THAT(rotated->secret, StartsWith("whsec_"));
    EXPECT_NE(rotated->secret, made->secret);
    EXPECT_NE(rotated->endpoint.public_key, made->endpoint.public_key);

    const auto signatures = [&] {
        EXPECT_TRUE(engine().test_endpoint("ext:crm"));
        const std::string request = receiver().requests().back();
        std::size_t count = 0;
        for (auto at = request.find("v1,"); at != std::string::npos; at = request.find("v1,", at)) {
            ++count;
            at += 3;
        }
        return count;
    };
    EXPECT_EQ(signatures(), 2U);
    ASSERT_TRUE(engine().advance(2h));
    EXPECT_EQ(signatures(), 1U);
    EXPECT_EQ(code_of(engine().rotate_secret("ext:crm", {.old_signs_for = 200h})),
              "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine().rotate_secret("ext:none")), "ENDPOINT_NOT_FOUND");
}

TEST_P(EndpointsOnEach, SendsATestRequest) {
    ASSERT_TRUE(engine().put_endpoint({.name = "crm", .url = receiver().url()}));
    const auto sent = engine().test_endpoint("ext:crm");
    ASSERT_TRUE(sent) << detail_of(sent);
    EXPECT_TRUE(sent->accepted);
    EXPECT_EQ(sent->status, std::optional{204});
    EXPECT_EQ(sent->error, "");
    ASSERT_THAT(receiver().requests(), SizeIs(1));
    EXPECT_THAT(receiver().requests().front(), HasSubstr("sundial.test"));
    EXPECT_EQ(code_of(engine().find_event(sent->event_id)), "EVENT_NOT_FOUND");

    ASSERT_TRUE(engine().put_endpoint({.name = "bin", .type = EndpointType::inbox}));
    ASSERT_TRUE(engine().test_endpoint("ext:bin"));
    EXPECT_THAT(*engine().inbox("ext:bin"), SizeIs(1));
    ASSERT_TRUE(engine().clear_inbox("ext:bin"));
    EXPECT_THAT(*engine().inbox("ext:bin"), IsEmpty());

    ASSERT_TRUE(engine().create_queue("printers"));
    EXPECT_EQ(code_of(engine().test_endpoint("ext:printers")), "VALIDATION_FAILED");
    ASSERT_TRUE(engine().disable_endpoint("ext:crm"));
    EXPECT_EQ(code_of(engine().test_endpoint("ext:crm")), "ENDPOINT_DISABLED");
    const auto within = engine().transact([&](sundial::Transaction&) {
        return sundial::Result<sundial::Done>{engine().test_endpoint("ext:bin").error()};
    });
    EXPECT_EQ(code_of(within), "REENTRANT_CALL");
}

/// State and secret of the signature of each request, the newest request first.
std::vector<std::pair<std::string, std::string>> signatures_in(Engine& engine,
                                                               const std::string& inbox) {
    std::vector<std::pair<std::string, std::string>> found;
    const auto requests = engine.inbox(inbox);
    if (!requests) throw std::runtime_error(requests.error().detail);
    for (const auto& request : *requests) {
        found.emplace_back(request.signature.state, request.signature.secret);
    }
    return found;
}

TEST_P(EndpointsOnEach, ChecksTheSignaturesInAnInbox) {
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    ASSERT_TRUE(engine().put_endpoint({.name = "bin", .type = EndpointType::inbox}));
    ASSERT_TRUE(engine().test_endpoint("ext:bin"));
    EXPECT_EQ(signatures_in(engine(), "ext:bin"), (Pairs{{"MISSING", ""}}));

    ASSERT_TRUE(engine().rotate_secret("ext:bin"));
    ASSERT_TRUE(engine().test_endpoint("ext:bin"));
    EXPECT_EQ(signatures_in(engine(), "ext:bin"), (Pairs{{"VALID", "CURRENT"}, {"MISSING", ""}}));
    const auto age = engine().inbox("ext:bin")->front().signature.age;
    ASSERT_TRUE(age);
    EXPECT_GE(*age, 0ms);
    EXPECT_LT(*age, 20s);  // the timestamp has whole seconds; a busy machine takes some more

    ASSERT_TRUE(engine().rotate_secret("ext:bin", {.old_signs_for = 1h}));
    EXPECT_EQ(signatures_in(engine(), "ext:bin"), (Pairs{{"VALID", "PREVIOUS"}, {"MISSING", ""}}));
    ASSERT_TRUE(engine().rotate_secret("ext:bin", {.old_signs_for = 0s}));
    EXPECT_EQ(signatures_in(engine(), "ext:bin").front().first, "INVALID");
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

/// They were stored by an engine that had webhooks.
TEST(Webhooks, AreNotChangedByAnEngineWithoutThem) {
    const sundial::TemporaryFolder folder;
    const std::string storage = "sqlite:" + folder.file().string();
    {
        auto with =
            Engine::open({.storage = storage,
                          .webhooks = WebhookOptions{.key_file = folder.file("key").string()}});
        ASSERT_TRUE(with) << detail_of(with);
        const auto crm = with->put_endpoint({.name = "crm", .url = "https://crm.example/"});
        ASSERT_TRUE(crm) << detail_of(crm);
        ASSERT_TRUE(with->put_endpoint({.name = "bin", .type = EndpointType::inbox}));
    }
    auto engine = Engine::open({.storage = storage});
    ASSERT_TRUE(engine) << detail_of(engine);
    EXPECT_EQ(engine->find_endpoint("ext:crm")->type, "WEBHOOK");
    EXPECT_THAT(*engine->endpoints(), SizeIs(2));

    const auto disabled = engine->disable_endpoint("ext:crm");
    EXPECT_EQ(code_of(disabled), "VALIDATION_FAILED");
    EXPECT_THAT(detail_of(disabled), HasSubstr("WEBHOOK, which this program does not have"));
    EXPECT_EQ(code_of(engine->enable_endpoint("ext:crm")), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine->change_endpoint("ext:crm", {.timeout = 5s})), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine->rotate_secret("ext:crm")), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine->test_endpoint("ext:crm")), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine->inbox("ext:bin")), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine->clear_inbox("ext:bin")), "VALIDATION_FAILED");
    EXPECT_TRUE(engine->find_endpoint("ext:crm")->enabled);
    EXPECT_TRUE(engine->delete_endpoint("ext:crm"));
}

TEST(Webhooks, DoNotReachPrivateAddressesByDefault) {
    const sundial::TemporaryFolder folder;
    auto engine =
        Engine::open({.webhooks = WebhookOptions{.key_file = folder.file("key").string()}});
    ASSERT_TRUE(engine) << detail_of(engine);
    const auto made = engine->put_endpoint({.name = "crm", .url = "https://127.0.0.1/"});
    EXPECT_EQ(code_of(made), "VALIDATION_FAILED");
}

TEST(Webhooks, SayWhyATestRequestFailed) {
    const sundial::TemporaryFolder folder;
    const ScriptedReceiver broken{{.answer = "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\nno"}};
    auto opened = Engine::open({.webhooks = WebhookOptions{.key_file = folder.file("key").string(),
                                                           .allow_private = true,
                                                           .ports = {broken.port()}}});
    ASSERT_TRUE(opened) << detail_of(opened);
    ASSERT_TRUE(opened->put_endpoint({.name = "crm", .url = broken.url()}));
    const auto sent = opened->test_endpoint("ext:crm");
    ASSERT_TRUE(sent) << detail_of(sent);
    EXPECT_FALSE(sent->accepted);
    EXPECT_EQ(sent->status, std::optional{500});
    EXPECT_THAT(sent->error, HasSubstr("500"));
    EXPECT_EQ(sent->response_body, "no");
}

}  // namespace
