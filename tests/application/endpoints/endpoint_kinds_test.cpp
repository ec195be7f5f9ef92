#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "application/delivery/shadow_kind.hpp"
#include "application/endpoints/edit_endpoint.hpp"
#include "application/endpoints/signing_secrets.hpp"
#include "application/endpoints/test_endpoint.hpp"
#include "application/events/edit_event.hpp"
#include "application/events/schedule_event.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "support/engine.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A type that no file of the product names: a queue elsewhere, with its address for a URL.
class QueueKind final : public EndpointKind {
public:
    explicit QueueKind(Delivery& delivery) : delivery_(delivery) {}
    [[nodiscard]] EndpointType type() const override { return EndpointType{"QUEUE"}; }
    [[nodiscard]] std::vector<FieldError> refuse_new(const TypeSettings& given) const override {
        if (!given.url) return {{"/url", "required", "a QUEUE has an address"}};
        return refuse_edit(given);
    }
    [[nodiscard]] std::vector<FieldError> refuse_edit(const TypeSettings& given) const override {
        if (!given.url || given.url->starts_with("queue:")) return {};
        return {{"/url", "bad_format", "begins with queue:"}};
    }
    [[nodiscard]] std::vector<std::string> options() const override { return {"region"}; }
    [[nodiscard]] std::vector<FieldError> refuse_whole(const Endpoint& after) const override {
        if (after.url != "queue:abroad" || after.options.contains("region")) return {};
        return {{"/region", "required", "this queue is in another region"}};
    }
    [[nodiscard]] std::optional<std::string> refuse_payload(
        std::string_view payload) const override {
        if (payload.find("binary") == std::string_view::npos) return std::nullopt;
        return "a QUEUE takes texts";
    }
    [[nodiscard]] Delivery* delivery() override { return &delivery_; }

private:
    Delivery& delivery_;
};

class EndpointKindsTest : public Engine {
protected:
    EndpointKindsTest() { kinds.add(std::make_unique<QueueKind>(to_queues)); }
    static NewEndpoint a_queue() {
        NewEndpoint requested{.type = EndpointType{"QUEUE"}};
        requested.name = "orders";
        requested.url = "queue:orders";
        return requested;
    }

    FakeDelivery to_queues;
    CreateEndpoint create_endpoint{store, secrets, kinds, ids};
    EditEndpoint edit_endpoint{store, secrets, kinds, ids, unpark_events, log};
    RotateSecret rotate_secret{store, secrets, kinds, ids};
    TestEndpoint test_endpoint{store, kinds, ids};
};

TEST_F(EndpointKindsTest, ANewTypeIsStoredReadAndDeliveredTo) {
    const Endpoint endpoint = create_endpoint.run(a_queue(), "req-1").value().endpoint;
    EXPECT_EQ(queries.endpoint(to_string(endpoint.id)).value(), endpoint);
    EXPECT_THAT(endpoint.signing_keys, IsEmpty());
    EXPECT_THAT(store.recorded().back().data, HasSubstr(R"("type":"QUEUE")"));

    const Event event = a_due_event(endpoint);
    EXPECT_EQ(drain().completed, 1U);

    ASSERT_THAT(to_queues.requests, SizeIs(1));
    EXPECT_EQ(to_queues.requests[0].event->id, event.id);
    EXPECT_EQ(*to_queues.requests[0].endpoint, endpoint);
    EXPECT_EQ(find(event).attempt, Attempt{1});
    EXPECT_THAT(webhook.requests, IsEmpty());
}

TEST_F(EndpointKindsTest, ANewTypeJudgesItsOwnSettings) {
    NewEndpoint requested = a_queue();
    requested.url.reset();
    EXPECT_THAT(defects_of(create_endpoint.run(requested, "req-1")), ElementsAre("/url required"));
    const Endpoint endpoint = create_endpoint.run(a_queue(), "req-2").value().endpoint;
    EndpointEdit edit;
    edit.url = "https://crm.example/";
    const auto edited = edit_endpoint.run(to_string(endpoint.id), edit, std::nullopt, "req-3");
    EXPECT_THAT(defects_of(edited), ElementsAre("/url bad_format"));
}

TEST_F(EndpointKindsTest, ANewTypeHasOptionsThatOthersRefuse) {
    NewEndpoint requested = a_queue();
    requested.options = {{"region", "eu-west-1"}};
    const Endpoint endpoint = create_endpoint.run(requested, "req-1").value().endpoint;
    EXPECT_EQ(queries.endpoint(to_string(endpoint.id)).value().options, requested.options);
    EXPECT_THAT(store.recorded().back().data, HasSubstr(R"("options":{"region":"eu-west-1"})"));
    EXPECT_THAT(kinds.options(), ElementsAre("region"));

    requested.options = {{"exchange", "x"}};
    EXPECT_THAT(defects_of(create_endpoint.run(requested, "req-2")),
                ElementsAre("/exchange not_allowed"));
    const PullKind pull;
    EXPECT_THAT(brief(refuse_foreign_options(pull, {.options = {{"region", "x"}}})),
                ElementsAre("/region not_allowed"));
}

TEST_F(EndpointKindsTest, OptionsAreEditedAndJudgedTogetherWithTheUrl) {
    NewEndpoint requested = a_queue();
    requested.options = {{"region", "eu-west-1"}};
    const std::string id = to_string(create_endpoint.run(requested, "req-1").value().endpoint.id);
    EndpointEdit edit;
    edit.url = "queue:abroad";
    EXPECT_EQ(edit_endpoint.run(id, edit, std::nullopt, "req-2").value().options,
              requested.options);
    EndpointEdit removal;
    removal.options.members = {{"region", std::nullopt}};
    EXPECT_THAT(defects_of(edit_endpoint.run(id, removal, std::nullopt, "req-3")),
                ElementsAre("/region required"));
    removal.url = "queue:orders";
    EXPECT_THAT(edit_endpoint.run(id, removal, std::nullopt, "req-4").value().options, IsEmpty());

    requested.url = "queue:abroad";
    requested.options.clear();
    EXPECT_THAT(defects_of(create_endpoint.run(requested, "req-5")),
                ElementsAre("/region required"));
    requested.options = {{"region", "us-east-1"}};
    EXPECT_EQ(edit_endpoint.replace(id, requested, std::nullopt, "req-6").value().options,
              requested.options);
    requested.url = "queue:orders";
    requested.options.clear();
    EXPECT_THAT(edit_endpoint.replace(id, requested, std::nullopt, "req-7").value().options,
                IsEmpty());
}

TEST_F(EndpointKindsTest, ANewTypeMayRefusePayloadsWhenAnEventIsMadeOrEdited) {
    const Endpoint endpoint = create_endpoint.run(a_queue(), "req-1").value().endpoint;
    ScheduleEvent schedule{store, zones, ids, wakeups, kinds};
    EditEvent edit_event{store, zones, ids, wakeups, kinds};
    NewEvent requested;
    requested.event_type = "ORDER";
    requested.endpoint = to_string(endpoint.id);
    requested.target.utc = "now+1h";
    requested.payload = R"({"binary":true})";
    EXPECT_THAT(defects_of(schedule.run(requested)), ElementsAre("/deliveryPayload not_allowed"));
    requested.payload = "{}";
    const Event event = schedule.run(requested).value();
    EventEdit edit;
    edit.payload = R"({"binary":true})";
    EXPECT_THAT(defects_of(edit_event.run(to_string(event.id), edit, std::nullopt, "req-1")),
                ElementsAre("/deliveryPayload not_allowed"));
    edit.endpoint = std::optional<std::string>{};
    EXPECT_TRUE(edit_event.run(to_string(event.id), edit, std::nullopt, "req-1"));
}

TEST_F(EndpointKindsTest, ANewTypeMayRefusePayloadsOfSchedules) {
    const Endpoint endpoint = create_endpoint.run(a_queue(), "req-1").value().endpoint;
    CreateSchedule create{store, zones, ids, wakeups, operations, kinds};
    EditSchedule edit{store, zones, ids, operations, kinds};
    TriggerSchedule trigger{store, zones, ids, wakeups, kinds};
    ScheduleFields fields;
    fields.event_type = "ORDER";
    fields.trigger = TriggerFields{.every = "PT1H"};
    fields.timezone = std::optional<std::string>{"Europe/Paris"};
    fields.endpoint = std::optional{to_string(endpoint.id)};
    fields.payload = R"({"binary":true})";
    EXPECT_THAT(defects_of(create.run(fields, "req-2")), ElementsAre("/payload not_allowed"));
    fields.payload = "{}";
    const std::string id = to_string(create.run(fields, "req-3").value().schedule.id);
    ScheduleFields change;
    change.payload = R"({"binary":true})";
    EXPECT_THAT(defects_of(edit.run(id, change, std::nullopt, "req-4")),
                ElementsAre("/payload not_allowed"));
    EXPECT_THAT(defects_of(trigger.run(id, {.payload = R"({"binary":true})"}, "req-5")),
                ElementsAre("/payload not_allowed"));
}

TEST_F(EndpointKindsTest, AnAttemptWhoseLeaseIsLostIsAbandonedByItsType) {
    const Event event = a_due_event(create_endpoint.run(a_queue(), "req-1").value().endpoint);
    deliver.abandon(event);
    EXPECT_THAT(to_queues.abandoned, ElementsAre(event.id));
}

TEST_F(EndpointKindsTest, NothingIsSentToATypeThatTheProgramDoesNotHave) {
    Endpoint unknown = an_endpoint();
    unknown.type = EndpointType{"PIGEON"};
    an_existing_endpoint(unknown);
    const Event event = a_due_event(unknown);

    EXPECT_EQ(drain().failed, 1U);

    EXPECT_THAT(std::get<Failed>(find(event).state).reason, HasSubstr("PIGEON"));
}

TEST_F(EndpointKindsTest, AnEndpointOfATypeThatTheProgramDoesNotHaveIsRefused) {
    Endpoint unknown = an_endpoint();
    unknown.type = EndpointType{"PIGEON"};
    an_existing_endpoint(unknown);
    const std::string id = to_string(unknown.id);
    const auto refused = ElementsAre("/type not_allowed");
    EndpointEdit edit;
    edit.enabled = false;
    EXPECT_THAT(defects_of(edit_endpoint.run(id, edit, std::nullopt, "req-1")), refused);
    EXPECT_THAT(defects_of(rotate_secret.run(id, {}, std::nullopt, "req-2")), refused);
    EXPECT_THAT(defects_of(test_endpoint.run(id, "req-3")), refused);
}

TEST_F(EndpointKindsTest, PullTakesNoSettingsForRequests) {
    const PullKind pull;
    EXPECT_THAT(pull.refuse_new({}), IsEmpty());
    EXPECT_THAT(brief(pull.refuse_edit({.url = "https://crm.example/",
                                        .format = BodyFormat::envelope,
                                        .headers = true,
                                        .secret = true,
                                        .ed25519 = true})),
                ElementsAre("/url not_allowed", "/secret not_allowed", "/headers not_allowed",
                            "/ed25519 not_allowed", "/format not_allowed"));
}

TEST_F(EndpointKindsTest, AnEventOfAShadowIsCompletedAndNothingIsSent) {
    kinds.add(std::make_unique<ShadowKind>());
    NewEndpoint requested{.type = shadow_type};
    requested.name = "trial";
    const Endpoint endpoint = create_endpoint.run(requested, "req-1").value().endpoint;
    const Event event = a_due_event(endpoint);

    EXPECT_EQ(drain().completed, 1U);

    EXPECT_EQ(status_of(find(event)), EventStatus::completed);
    EXPECT_EQ(find(event).attempt, Attempt{1});
    EXPECT_THAT(webhook.requests, IsEmpty());
    EXPECT_EQ(test_endpoint.run(to_string(endpoint.id), "req-2").value().outcome.verdict,
              Verdict::accepted);
}

TEST_F(EndpointKindsTest, ShadowTakesNoSettingsForRequests) {
    const ShadowKind shadow;
    EXPECT_THAT(shadow.refuse_new({}), IsEmpty());
    EXPECT_THAT(brief(shadow.refuse_edit({.url = "https://crm.example/",
                                          .format = BodyFormat::envelope,
                                          .headers = true,
                                          .secret = true,
                                          .ed25519 = true})),
                ElementsAre("/url not_allowed", "/secret not_allowed", "/headers not_allowed",
                            "/ed25519 not_allowed", "/format not_allowed"));
}

}  // namespace
}  // namespace sundial
