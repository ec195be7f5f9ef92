#include "adapters/sqs/message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/builders.hpp"

namespace sundial::sqs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

Event birthday() {
    Event event = an_event().with_id(EventId{uuid_of(1)}).with_key("birthday-7-2027").due(noon);
    event.type = "BIRTHDAY";
    event.user = UserId{uuid_of(2)};
    event.endpoint = EndpointId{uuid_of(3)};
    event.payload = R"({ "message": "Hey, Jörg" })";
    return event;
}

Queue a_queue() { return {.url = "https://sqs.eu-west-1.amazonaws.com/1/queue"}; }
Queue a_fifo_queue(bool by_endpoint) {
    return {.url = "https://sqs.eu-west-1.amazonaws.com/1/queue.fifo",
            .fifo = true,
            .grouped_by_endpoint = by_endpoint};
}

TEST(SqsMessage, HasTheMembersThatExistingWorkersRead) {
    EXPECT_EQ(message_body(birthday()),
              R"({"eventId":"01995b2c-7d3a-7000-8000-000000000001","eventType":"BIRTHDAY",)"
              R"("idempotencyKey":"birthday-7-2027","metadata":{)"
              R"("userId":"01995b2c-7d3a-7000-8000-000000000002",)"
              R"("targetTimestampUTC":"2027-01-05T12:00:00.000Z",)"
              R"("deliveryPayload":{ "message": "Hey, Jörg" }}})");
}

TEST(SqsMessage, WithoutAUserHasANullUserId) {
    Event event = birthday();
    event.user.reset();
    EXPECT_THAT(message_body(event), HasSubstr(R"("userId":null,)"));
}

TEST(SqsMessage, RepeatsTypeAndKeyAsAttributes) {
    const Message message = message_of(birthday(), a_queue());
    EXPECT_THAT(message.fields,
                AllOf(HasSubstr(R"("eventType":{"DataType":"String","StringValue":"BIRTHDAY"})"),
                      HasSubstr(R"("idempotencyKey":{"DataType":"String",)"
                                R"("StringValue":"birthday-7-2027"})"),
                      Not(HasSubstr("MessageGroupId"))));
    // eventType, String, BIRTHDAY and idempotencyKey, String, birthday-7-2027
    EXPECT_EQ(message.bytes, message_body(birthday()).size() + 9 + 6 + 8 + 14 + 6 + 15);
}

TEST(SqsMessage, OfAFifoQueueHasItsKeyAsDeduplicationIdAndTheChosenGroup) {
    EXPECT_THAT(message_of(birthday(), a_fifo_queue(false)).fields,
                AllOf(HasSubstr(R"("MessageDeduplicationId":"birthday-7-2027")"),
                      HasSubstr(R"("MessageGroupId":"01995b2c-7d3a-7000-8000-000000000002")")));
    EXPECT_THAT(message_of(birthday(), a_fifo_queue(true)).fields,
                HasSubstr(R"("MessageGroupId":"01995b2c-7d3a-7000-8000-000000000003")"));
    Event without_user = birthday();
    without_user.user.reset();
    EXPECT_THAT(message_of(without_user, a_fifo_queue(false)).fields,
                HasSubstr(R"("MessageGroupId":"birthday-7-2027")"));
}

TEST(SqsMessage, HashesKeysThatSqsWouldRefuseAsDeduplicationId) {
    EXPECT_EQ(deduplication_id("a-b_c"), "a-b_c");
    EXPECT_EQ(deduplication_id(std::string(128, 'a')), std::string(128, 'a'));
    EXPECT_EQ(deduplication_id(std::string(129, 'a')).size(), 64U);
    EXPECT_EQ(deduplication_id("a b").size(), 64U);
    EXPECT_EQ(deduplication_id("Jörg").size(), 64U);
    EXPECT_NE(deduplication_id("a b"), deduplication_id("a  b"));
}

TEST(SqsMessage, RefusesOnlyTheCharactersThatSqsRefuses) {
    EXPECT_EQ(refuse_characters("tab\t, line\r\n, Jörg, \uFFFD, \U0001F382"), std::nullopt);
    EXPECT_EQ(refuse_characters("\uFDD0 \U0001FFFE \u007F \u0085"), std::nullopt);
    EXPECT_THAT(refuse_characters("x\uFFFE"), Optional(HasSubstr("U+FFFE at byte 1")));
    EXPECT_THAT(refuse_characters("é\uFFFF"), Optional(HasSubstr("U+FFFF at byte 2")));
    EXPECT_THAT(refuse_characters("\x01"), Optional(HasSubstr("a control character")));
}

TEST(SqsMessage, EntriesOfABatchAreNumbered) {
    const Message first{.fields = R"("MessageBody":"a")", .bytes = 1};
    const Message second{.fields = R"("MessageBody":"b")", .bytes = 1};
    EXPECT_EQ(batch_body(a_queue(), std::vector{first, second}),
              R"({"QueueUrl":"https://sqs.eu-west-1.amazonaws.com/1/queue","Entries":[)"
              R"({"Id":"0","MessageBody":"a"},{"Id":"1","MessageBody":"b"}]})");
}

}  // namespace
}  // namespace sundial::sqs
