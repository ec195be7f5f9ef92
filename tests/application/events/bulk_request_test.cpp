#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "application/events/bulk_events.hpp"
#include "application/ports/failures.hpp"
#include "support/builders.hpp"

namespace sundial {
namespace {

BulkRequest of_everything() {
    BulkRequest request;
    request.action = BulkAction::reschedule;
    request.ids = {an_id<EventId>(), an_id<EventId>()};
    request.per_second = 50;
    EventQuery& filter = request.filter;
    filter.statuses = {EventStatus::failed, EventStatus::pending};
    filter.priorities = {Priority::critical, Priority::low};
    filter.types = {"A", "B"};
    filter.zones = {"Europe/Paris"};
    filter.user = an_id<UserId>();
    filter.schedule = an_id<ScheduleId>();
    filter.endpoint = an_id<EndpointId>();
    filter.target_from = noon - 1us;
    filter.target_to = noon;
    filter.executed_from = noon + 1us;
    filter.executed_to = noon + 1s;
    filter.late_execution = true;
    filter.dismissed = false;
    filter.key = IdempotencyKey{"order-7"};
    filter.prefix = "order";
    filter.reason = "HTTP_STATUS";
    request.target = {.utc = "2027-01-05T14:00:00Z",
                      .local = "2027-01-05T14:00:00",
                      .zone = "Europe/Paris",
                      .gap = GapPolicy::later,
                      .overlap = OverlapPolicy::reject};
    request.shift = -90s;
    return request;
}

/// Writing and reading returns the same request, and different requests have different texts.
TEST(BulkRequest, IsReadBackCompletely) {
    const BulkRequest request = of_everything();
    const BulkRequest read = bulk_request_of(text_of(request));
    EXPECT_EQ(text_of(read), text_of(request));
    EXPECT_EQ(read.action, request.action);
    EXPECT_EQ(read.ids, request.ids);
    EXPECT_EQ(read.per_second, request.per_second);
    EXPECT_EQ(read.filter.statuses, request.filter.statuses);
    EXPECT_EQ(read.filter.priorities, request.filter.priorities);
    EXPECT_EQ(read.filter.types, request.filter.types);
    EXPECT_EQ(read.filter.zones, request.filter.zones);
    EXPECT_EQ(read.filter.user, request.filter.user);
    EXPECT_EQ(read.filter.schedule, request.filter.schedule);
    EXPECT_EQ(read.filter.endpoint, request.filter.endpoint);
    EXPECT_EQ(read.filter.target_from, request.filter.target_from);
    EXPECT_EQ(read.filter.target_to, request.filter.target_to);
    EXPECT_EQ(read.filter.executed_from, request.filter.executed_from);
    EXPECT_EQ(read.filter.executed_to, request.filter.executed_to);
    EXPECT_EQ(read.filter.late_execution, request.filter.late_execution);
    EXPECT_EQ(read.filter.dismissed, request.filter.dismissed);
    EXPECT_EQ(read.filter.key, request.filter.key);
    EXPECT_EQ(read.filter.prefix, request.filter.prefix);
    EXPECT_EQ(read.filter.reason, request.filter.reason);
    EXPECT_EQ(read.target.utc, request.target.utc);
    EXPECT_EQ(read.target.local, request.target.local);
    EXPECT_EQ(read.target.zone, request.target.zone);
    EXPECT_EQ(read.target.gap, request.target.gap);
    EXPECT_EQ(read.target.overlap, request.target.overlap);
    EXPECT_EQ(read.shift, request.shift);
}

TEST(BulkRequest, IsReadBackIfEmpty) {
    BulkRequest request;
    request.action = BulkAction::dismiss;
    const BulkRequest read = bulk_request_of(text_of(request));
    EXPECT_EQ(read.action, BulkAction::dismiss);
    EXPECT_TRUE(read.filter.statuses.empty());
    EXPECT_FALSE(read.filter.dismissed);
    EXPECT_FALSE(read.shift);
    EXPECT_FALSE(read.target.utc);
}

RC_GTEST_PROP(BulkRequest, KeepsTextsLetterByLetter, ()) {
    const auto letters =
        rc::gen::container<std::string>(rc::gen::elementOf(std::string{"\\n\n ab\r\t\xC3\xA4"}));
    BulkRequest request;
    request.filter.types = *rc::gen::container<std::vector<std::string>>(letters);
    request.filter.reason = *letters;
    const BulkRequest read = bulk_request_of(text_of(request));
    RC_ASSERT(read.filter.types == request.filter.types);
    RC_ASSERT(read.filter.reason == request.filter.reason);
}

TEST(BulkRequest, IsNotReadFromAnythingElse) {
    for (const char* text :
         {"", "retry", "action fly\nper_second 1\n", "action retry\n",
          "action retry\nper_second x\n", "action retry\nper_second 1",
          "action retry\nper_second 1\nid x\n", "action retry\nper_second 1\nreason \\"}) {
        EXPECT_THROW((void)bulk_request_of(text), Corrupt) << text;
    }
}

TEST(BulkAction, HasNames) {
    for (const BulkAction action : bulk_actions) {
        EXPECT_EQ(parse_bulk_action(to_string(action)), action);
    }
    EXPECT_FALSE(parse_bulk_action("delete"));
}

}  // namespace
}  // namespace sundial
