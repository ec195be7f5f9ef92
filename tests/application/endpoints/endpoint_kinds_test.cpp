#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "application/ports/endpoint_kind.hpp"
#include "application/ports/failures.hpp"
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
};

TEST_F(EndpointKindsTest, ANewTypeIsStoredReadAndDeliveredTo) {
    const Endpoint endpoint = create_endpoint.run(a_queue(), "req-1").value().endpoint;
    EXPECT_EQ(queries.endpoint(to_string(endpoint.id)).value(), endpoint);
    EXPECT_THAT(endpoint.signing_keys, IsEmpty());
    EXPECT_THAT(store.recorded().back().data, HasSubstr(R"("type":"QUEUE")"));

    const Event event = a_due_event(endpoint);
    EXPECT_EQ(drain().completed, 1U);

    ASSERT_THAT(to_queues.requests, SizeIs(1));
    EXPECT_EQ(to_queues.requests[0].event.id, event.id);
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
    EXPECT_THROW((void)kinds.of(unknown), Corrupt);
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

}  // namespace
}  // namespace sundial
