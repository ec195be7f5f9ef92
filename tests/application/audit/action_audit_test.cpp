#include "application/audit/action_audit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "application/events/bulk_events.hpp"
#include "application/streams/append_to_stream.hpp"
#include "support/control_plane.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const Caller night_shift{"req-7", "key:7f3a9k2m1q"};

class ActionAudit : public ControlPlane {
protected:
    std::vector<RecordedEvent> entries(const char* type, const std::string& id) {
        return in_read(store, [&](Transaction& tx) { return tx.streams().read({type, id}, {}); });
    }
    std::vector<RecordedEvent> entries(const Event& event) {
        return entries(own_stream::event_audit, to_string(event.id));
    }
    /// The only entry of `event`.
    RecordedEvent entry(const Event& event) {
        const auto all = entries(event);
        EXPECT_THAT(all, SizeIs(1));
        return all.at(0);
    }
    Event dismissed(const Event& event, std::optional<bool> value, const Caller& caller) {
        EventEdit edit;
        edit.dismissed = value;
        return edit_event.run(to_string(event.id), edit, std::nullopt, caller).value();
    }
};

TEST_F(ActionAudit, NamesWhoCancelsAnEvent) {
    const Event event = scheduled(a_reminder());
    ASSERT_TRUE(cancel_event.run(to_string(event.id), std::nullopt, night_shift));
    const RecordedEvent cancelled = entry(event);
    EXPECT_EQ(cancelled.event_type, "EventCancelled");
    EXPECT_EQ(cancelled.version, Version{1});
    EXPECT_EQ(cancelled.metadata.actor, night_shift.actor);
    EXPECT_EQ(cancelled.metadata.correlation_id, night_shift.correlation_id);
    EXPECT_EQ(cancelled.data, R"({"status":"PENDING"})");
}

TEST_F(ActionAudit, HasNoEntryForARepeatedOrRefusedCall) {
    const Event event = scheduled(a_reminder());
    EXPECT_FALSE(cancel_event.run(to_string(event.id), Version{9}, night_shift));
    EXPECT_THAT(entries(event), IsEmpty());
    ASSERT_TRUE(cancel_event.run(to_string(event.id), std::nullopt, night_shift));
    ASSERT_TRUE(cancel_event.run(to_string(event.id), std::nullopt, night_shift));
    EXPECT_THAT(entries(event), SizeIs(1));
}

TEST_F(ActionAudit, KeepsTheTimeBeforeAndAfterAChangeAndNoPayload) {
    const Event event = scheduled(a_reminder());
    const EventEdit edit{.target = {.utc = "2030-01-02T03:04:05Z"}, .payload = R"({"pin":"4711"})"};
    ASSERT_TRUE(edit_event.run(to_string(event.id), edit, std::nullopt, night_shift));
    const RecordedEvent changed = entry(event);
    EXPECT_EQ(changed.event_type, "EventChanged");
    EXPECT_EQ(changed.metadata.actor, night_shift.actor);
    EXPECT_THAT(changed.data, HasSubstr(R"("after":{"targetTimestampUTC":"2030-01-02T03:04:05)"));
    EXPECT_THAT(changed.data, HasSubstr(R"("before":{"targetTimestampUTC":")"));
    EXPECT_THAT(changed.data, HasSubstr(R"("payloadChanged":true)"));
    EXPECT_THAT(changed.data, Not(HasSubstr("4711")));
}

TEST_F(ActionAudit, HasNoEntryForAnEditThatChangesNothing) {
    const Event event = scheduled(a_reminder());
    ASSERT_TRUE(
        edit_event.run(to_string(event.id), {.payload = event.payload}, std::nullopt, night_shift));
    EXPECT_THAT(entries(event), IsEmpty());
}

TEST_F(ActionAudit, NamesWhoDismissesADeadLetter) {
    const Event event = a_failed_event();
    EXPECT_EQ(dismissed(event, true, night_shift).dismissed_by, night_shift.actor);
    EXPECT_EQ(find(event).dismissed_by, night_shift.actor);
    EXPECT_EQ(dismissed(event, false, {"req-8", "loopback"}).dismissed_by, std::nullopt);
    const auto all = entries(event);
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[0].event_type, "EventDismissed");
    EXPECT_EQ(all[1].event_type, "EventRestored");
    EXPECT_EQ(all[1].version, Version{2});
    EXPECT_EQ(all[1].metadata.actor, "loopback");
}

TEST_F(ActionAudit, NamesWhoRetriesADeadLetter) {
    const Event event = a_failed_event();
    const Event again =
        retry_event.run(to_string(event.id), RetryKey::same, night_shift).value().event;
    EXPECT_EQ(find(event).dismissed_by, night_shift.actor);
    const RecordedEvent retried = entry(event);
    EXPECT_EQ(retried.event_type, "EventRetried");
    EXPECT_EQ(retried.data, R"({"retryId":")" + to_string(again.id) + R"(","newKey":false})");
    EXPECT_EQ(again.dismissed_by, std::nullopt);
}

TEST_F(ActionAudit, HasOneEntryForABulkOperation) {
    const Event one = a_failed_event();
    const Event other = a_failed_event();
    BulkEvents bulk{store, zones, ids, operations, log};
    BulkRequest request;
    request.action = BulkAction::dismiss;
    request.filter.types = {one.type};
    request.note = "the shop is closed";
    const Operation operation = *bulk.run({request, false}, night_shift).value().operation;
    const auto all = entries(own_stream::operation_audit, to_string(operation.id));
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].event_type, "BulkStarted");
    EXPECT_EQ(all[0].metadata.actor, night_shift.actor);
    EXPECT_THAT(all[0].data, HasSubstr(R"("action":"dismiss")"));
    EXPECT_THAT(all[0].data, HasSubstr(R"("type":[")" + one.type + '"'));
    EXPECT_THAT(all[0].data, HasSubstr(R"("total":2)"));
    EXPECT_THAT(all[0].data, Not(HasSubstr("closed")));
    for (const Event& event : {one, other}) {
        EXPECT_EQ(find(event).dismissed_by, night_shift.actor);
        EXPECT_EQ(find(event).dismissal_note, request.note);
        EXPECT_THAT(entries(event), IsEmpty());
    }
}

TEST_F(ActionAudit, NamesWhoStopsAnOperation) {
    a_failed_event();
    a_failed_event();
    BulkEvents bulk{store, zones, ids, operations, log};
    BulkRequest request;
    request.per_second = 1;
    const Operation operation = *bulk.run({request, false}, night_shift).value().operation;
    ASSERT_TRUE(operations.stop(to_string(operation.id), std::nullopt, {"req-9", "loopback"}));
    const auto all = entries(own_stream::operation_audit, to_string(operation.id));
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[1].event_type, "OperationStopped");
    EXPECT_EQ(all[1].metadata.actor, "loopback");
}

TEST_F(ActionAudit, RefusesAppendsOfClients) {
    for (const char* type : {own_stream::event_audit, own_stream::operation_audit}) {
        EXPECT_TRUE(refuse_own_stream({type, "1"}));
    }
}

}  // namespace
}  // namespace sundial
