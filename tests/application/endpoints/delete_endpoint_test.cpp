#include "application/endpoints/delete_endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/control_plane.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class DeleteEndpointTest : public ControlPlane {
protected:
    Result<void> remove(const Endpoint& endpoint,
                        EventsOfEndpoint events = EventsOfEndpoint::prevent,
                        std::optional<Version> expected = std::nullopt) {
        return delete_endpoint.run(to_string(endpoint.id), events, expected, "req-9");
    }
    Event an_event_for(const Endpoint& endpoint, const std::string& when = "now+1h") {
        NewEvent requested = a_reminder();
        requested.endpoint = to_string(endpoint.id);
        requested.target.utc = when;
        return scheduled(requested);
    }
    bool exists(const Endpoint& endpoint) {
        return queries.endpoint(to_string(endpoint.id)).has_value();
    }

    DeleteEndpoint delete_endpoint{store, zones, ids, wakeups};
};

TEST_F(DeleteEndpointTest, RemovesAnEndpointThatIsNotUsed) {
    const Endpoint other = an_existing_endpoint();
    const Endpoint endpoint = an_existing_endpoint(an_endpoint().with_external_id("crm"));
    ASSERT_TRUE(delete_endpoint.run("ext:crm", EventsOfEndpoint::prevent, Version{1}, "req-9"));
    EXPECT_FALSE(exists(endpoint));
    EXPECT_TRUE(exists(other));
    EXPECT_EQ(store.recorded().back().event_type, "EndpointDeleted");
    EXPECT_EQ(store.recorded().back().stream.aggregate_id, to_string(endpoint.id));
    EXPECT_TRUE(fails_with<NotFound>(remove(endpoint)));
    // The external id is free again.
    an_existing_endpoint(an_endpoint().with_external_id("crm"));
}

TEST_F(DeleteEndpointTest, RefusesAnotherVersion) {
    const Endpoint endpoint = an_existing_endpoint();
    const auto refused = remove(endpoint, EventsOfEndpoint::prevent, Version{7});
    EXPECT_EQ(error_of<OptimisticLock>(refused).actual, Version{1});
    EXPECT_TRUE(exists(endpoint));
}

TEST_F(DeleteEndpointTest, CountsTheLiveEventsThatPreventIt) {
    const Endpoint endpoint = an_existing_endpoint();
    const Event due = an_event_for(endpoint, "now");
    ASSERT_EQ(claimed_one().id, due.id);
    const Event pending = an_event_for(endpoint);
    an_event_for(an_existing_endpoint());
    const auto in_use = error_of<EndpointInUse>(remove(endpoint));
    EXPECT_EQ(in_use.events, 2U);
    EXPECT_THAT(in_use.schedules, IsEmpty());
    EXPECT_FALSE(in_use.claimed);
    EXPECT_TRUE(exists(endpoint));
    EXPECT_EQ(find(pending), pending);
}

TEST_F(DeleteEndpointTest, LeavesFinishedEventsAsTheyAre) {
    const Endpoint endpoint = an_existing_endpoint();
    an_event_for(endpoint, "now");
    const Event done = completed(claimed_one());
    ASSERT_TRUE(remove(endpoint));
    EXPECT_EQ(find(done), done);
}

TEST_F(DeleteEndpointTest, CancelsEventsThatAreNotClaimed) {
    const Endpoint endpoint = an_existing_endpoint();
    const Event elsewhere = an_event_for(an_existing_endpoint());
    an_event_for(endpoint, "now");
    const Event waiting = claimed_one();
    settle(waiting, RetryIn{1h});
    const Event pending = an_event_for(endpoint);

    ASSERT_TRUE(remove(endpoint, EventsOfEndpoint::cancelled));
    EXPECT_FALSE(exists(endpoint));
    for (const Event& event : {waiting, pending}) {
        const Event cancelled = find(event);
        ASSERT_EQ(status_of(cancelled), EventStatus::cancelled);
        EXPECT_EQ(std::get<Cancelled>(cancelled.state).reason, "endpoint deleted");
    }
    EXPECT_EQ(find(elsewhere), elsewhere);
}

TEST_F(DeleteEndpointTest, ChangesNothingWhileAnEventIsClaimed) {
    const Endpoint endpoint = an_existing_endpoint();
    an_event_for(endpoint, "now");
    const Event held = claimed_one();
    const Event pending = an_event_for(endpoint);

    const auto in_use = error_of<EndpointInUse>(remove(endpoint, EventsOfEndpoint::cancelled));
    EXPECT_EQ(in_use.events, 2U);
    EXPECT_TRUE(in_use.claimed);
    EXPECT_EQ(queries.endpoint(to_string(endpoint.id)).value(), endpoint);
    EXPECT_EQ(find(pending), pending);

    completed(held);
    EXPECT_TRUE(remove(endpoint, EventsOfEndpoint::cancelled));
    EXPECT_EQ(status_of(find(pending)), EventStatus::cancelled);
}

TEST_F(DeleteEndpointTest, IsPreventedByASchedule) {
    const Endpoint endpoint = an_existing_endpoint();
    edited_birthday({.endpoint = to_string(endpoint.id)});
    operations.drain();
    const Event planned = pending_of(created(ada()));
    ASSERT_EQ(planned.endpoint, endpoint.id);
    for (const auto events : {EventsOfEndpoint::prevent, EventsOfEndpoint::cancelled}) {
        const auto in_use = error_of<EndpointInUse>(remove(endpoint, events));
        EXPECT_EQ(in_use.events, 1U);
        EXPECT_THAT(in_use.schedules, ElementsAre("ext:birthday"));
        EXPECT_FALSE(in_use.claimed);
    }
    EXPECT_EQ(find(planned), planned);

    edited_birthday({.endpoint = std::optional<std::string>{}});
    operations.drain();
    EXPECT_TRUE(remove(endpoint));
}

TEST_F(DeleteEndpointTest, PlansTheSuccessorOfAnOccurrenceThatItCancels) {
    const Endpoint endpoint = an_existing_endpoint();
    const User user = created(ada());
    EventEdit edit;
    edit.endpoint = to_string(endpoint.id);
    const Event moved =
        edit_event.run(to_string(pending_of(user).id), edit, std::nullopt, "req-1").value();
    ASSERT_TRUE(remove(endpoint, EventsOfEndpoint::cancelled));
    EXPECT_EQ(status_of(find(moved)), EventStatus::cancelled);
    EXPECT_GT(pending_of(user).due, moved.due);
    EXPECT_EQ(pending_of(user).endpoint, std::nullopt);
}

TEST_F(DeleteEndpointTest, DisablesTheEndpointWhileItCancelsManyEvents) {
    const Endpoint endpoint = an_existing_endpoint();
    const std::size_t many = 2 * batch_size + 1;
    an_event_for(endpoint, "now");
    const Event held = claimed_one();
    for (std::size_t i = 0; i < many; ++i) an_event_for(endpoint);

    const auto in_use = error_of<EndpointInUse>(remove(endpoint, EventsOfEndpoint::cancelled));
    EXPECT_EQ(in_use.events, 1U);
    EXPECT_TRUE(in_use.claimed);
    const Endpoint left = queries.endpoint(to_string(endpoint.id)).value();
    EXPECT_FALSE(left.enabled);
    EXPECT_EQ(left.version, Version{2});
    EventQuery query;
    query.endpoint = endpoint.id;
    query.statuses = {EventStatus::pending};
    EXPECT_THAT(queries.events(query).items, IsEmpty());

    completed(held);
    EXPECT_TRUE(remove(endpoint, EventsOfEndpoint::cancelled, Version{2}));
    EXPECT_FALSE(exists(endpoint));
}

TEST_F(DeleteEndpointTest, CancelsMoreEventsThanOneTransactionMay) {
    const Endpoint endpoint = an_existing_endpoint();
    for (std::size_t i = 0; i < 2 * batch_size + 1; ++i) an_event_for(endpoint);
    ASSERT_TRUE(remove(endpoint, EventsOfEndpoint::cancelled, Version{1}));
    EXPECT_FALSE(exists(endpoint));
    EventQuery query;
    query.endpoint = endpoint.id;
    query.page.limit = 500;
    const auto events = queries.events(query).items;
    EXPECT_THAT(events, SizeIs(2 * batch_size + 1));
    for (const Event& event : events) EXPECT_EQ(status_of(event), EventStatus::cancelled);
}

TEST_F(DeleteEndpointTest, RefusesRetriesToADeletedEndpoint) {
    const Endpoint endpoint = an_existing_endpoint();
    an_event_for(endpoint, "now");
    const Event failure = failed(claimed_one());
    ASSERT_TRUE(remove(endpoint));
    const auto refused = retry_event.run(to_string(failure.id), RetryKey::same, "req-1");
    EXPECT_EQ(error_of<NotFound>(refused).noun, Noun::endpoint);
    EXPECT_EQ(error_of<NotFound>(refused).id, to_string(endpoint.id));
    EXPECT_EQ(find(failure), failure);
}

}  // namespace
}  // namespace sundial
