#include "application/events/edit_event.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/control_plane.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

class EditEventTest : public ControlPlane {
protected:
    Result<Event> edit(const Event& event, const EventEdit& changes) {
        return edit_event.run(to_string(event.id), changes, std::nullopt, "req-1");
    }
    Event edited_event(const Event& event, const EventEdit& changes) {
        return edit(event, changes).value();
    }
    Event local_event() {
        NewEvent requested = a_reminder();
        requested.target = {
            .local = "2027-03-13T02:30", .zone = "America/New_York", .gap = GapPolicy::boundary};
        return scheduled(requested);
    }
};

TEST_F(EditEventTest, FiresNow) {
    const Event event = scheduled(a_reminder());
    clock.advance(1min);
    const Event now = edited_event(event, {.target = {.utc = "now"}});
    EXPECT_EQ(now.due, noon + 1min);
    EXPECT_EQ(now.version, Version{2});
    EXPECT_EQ(wakeups.hints.back(), noon + 1min);
    EXPECT_EQ(claimed_one().id, event.id);
}

TEST_F(EditEventTest, ChangesPayloadEndpointAndPriority) {
    const Endpoint endpoint = an_existing_endpoint();
    const Event event = scheduled(a_reminder());
    const Event after = edited_event(event, {.payload = "[1]",
                                             .endpoint = std::optional{to_string(endpoint.id)},
                                             .priority = Priority::critical});
    EXPECT_EQ(after.payload, "[1]");
    EXPECT_EQ(after.endpoint, endpoint.id);
    EXPECT_EQ(after.priority, Priority::critical);
    EXPECT_EQ(after.due, event.due);
    EXPECT_EQ(after.version, Version{2});
    EXPECT_EQ(find(event), after);

    EXPECT_FALSE(edited_event(event, {.endpoint = Edit<std::string>{std::in_place}}).endpoint);
}

TEST_F(EditEventTest, MakesNoVersionOfAnEditThatChangesNothing) {
    const Event event = scheduled(a_reminder());
    EXPECT_EQ(edited_event(event, {}), event);
    EXPECT_EQ(edited_event(event, {.target = {.utc = "2027-01-05T13:00:00Z"},
                                   .payload = event.payload,
                                   .priority = event.priority}),
              event);
    EXPECT_EQ(find(event), event);
}

TEST_F(EditEventTest, KeepsTheZoneAndThePolicyOfALocalTime) {
    const Event event = local_event();
    const Event after = edited_event(event, {.target = {.local = "2027-03-14T02:30"}});
    EXPECT_EQ(after.due, sys_days{March / 14 / 2027} + 7h);  // the end of the gap
}

TEST_F(EditEventTest, KeepsTheTimeInAnotherZoneOrByAnotherPolicy) {
    const Event event = local_event();
    EXPECT_EQ(edited_event(event, {.target = {.zone = "Europe/Paris"}}).due,
              sys_days{March / 13 / 2027} + 1h + 30min);
    const Event later =
        edited_event(event, {.target = {.local = "2027-03-14T02:30", .zone = "America/New_York"}});
    EXPECT_EQ(edited_event(later, {.target = {.gap = GapPolicy::later}}).due,
              sys_days{March / 14 / 2027} + 7h + 30min);
}

TEST_F(EditEventTest, RefusesInvalidEditsAndChangesNothing) {
    const Event event = scheduled(a_reminder());
    EXPECT_THAT(defects_of(edit(event, {.target = {.utc = "soon"},
                                        .endpoint = std::optional<std::string>{"ext:none"}})),
                UnorderedElementsAre("/targetTimestampUTC bad_time", "/endpointId not_allowed"));
    EXPECT_THAT(defects_of(edit(event, {.target = {.gap = GapPolicy::later}})),
                ElementsAre("/gap not_allowed"));
    EXPECT_EQ(find(event), event);
}

TEST_F(EditEventTest, RefusesAStaleVersion) {
    const Event event = scheduled(a_reminder());
    edited_event(event, {.payload = "1"});
    const auto error = error_of<OptimisticLock>(
        edit_event.run(to_string(event.id), {.payload = "2"}, Version{1}, "req-1"));
    EXPECT_EQ(error.actual, Version{2});
    EXPECT_EQ(find(event).payload, "1");
}

TEST_F(EditEventTest, LeavesAClaimedEventToItsHolder) {
    const Event event = scheduled(a_reminder());
    clock.advance(1h);
    const Event held = claimed_one();
    const auto error = error_of<InvalidStateTransition>(edit(event, {.payload = "1"}));
    EXPECT_EQ(error.status, EventStatus::processing);
    EXPECT_EQ(error.claimed_by, instance_a);
    EXPECT_EQ(error.version, held.version);
    EXPECT_EQ(find(event), held);
}

TEST_F(EditEventTest, EndsTheWaitForAnEndpoint) {
    const Endpoint endpoint = an_existing_endpoint();
    const Event event = scheduled(a_reminder());
    clock.advance(1h);
    parked(claimed_one());

    const Event after = edited_event(event, {.endpoint = std::optional{to_string(endpoint.id)}});

    EXPECT_EQ(after.claimable_at, noon + 1h);
    EXPECT_EQ(claimed_one().endpoint, endpoint.id);
}

TEST_F(EditEventTest, RefusesOtherEditsOfWaitingEvents) {
    scheduled(a_reminder());
    clock.advance(1h);
    const Event held = claimed_one();
    settle(held, RetryIn{1min});
    EXPECT_TRUE(fails_with<InvalidStateTransition>(edit(held, {.payload = "1"})));
    EXPECT_TRUE(fails_with<InvalidStateTransition>(edit(held, {.target = {.utc = "now"}})));
}

TEST_F(EditEventTest, DismissesAFailedEventAndUndoesIt) {
    const Event event = a_failed_event();
    const Event dismissed = edited_event(event, {.dismissed = true});
    EXPECT_EQ(dismissed.dismissed_at, clock.now());
    EXPECT_EQ(dismissed.version, base::next(event.version));
    EXPECT_EQ(edited_event(event, {.dismissed = true}), dismissed);
    EXPECT_FALSE(edited_event(event, {.dismissed = false}).dismissed_at);
}

TEST_F(EditEventTest, KeepsTheNoteOfADismissal) {
    const Event event = a_failed_event();
    const Event noted = edited_event(event, {.dismissed = true, .note = "refunded"});
    EXPECT_EQ(noted.dismissal_note, "refunded");
    EXPECT_EQ(edited_event(event, {.dismissed = true}), noted);
    EXPECT_EQ(edited_event(event, {.dismissed = true, .note = "refunded"}), noted);
    const Event corrected = edited_event(event, {.dismissed = true, .note = "by hand"});
    EXPECT_EQ(corrected.dismissal_note, "by hand");
    EXPECT_EQ(corrected.dismissed_at, noted.dismissed_at);
    EXPECT_EQ(edited_event(event, {.dismissed = false}).dismissal_note, std::nullopt);
}

TEST_F(EditEventTest, RefusesANoteWithoutADismissal) {
    const Event event = a_failed_event();
    EXPECT_TRUE(fails_with<ValidationFailed>(edit(event, {.note = "why"})));
    EXPECT_TRUE(fails_with<ValidationFailed>(edit(event, {.dismissed = false, .note = "why"})));
}

TEST_F(EditEventTest, DismissesOnlyFailedEvents) {
    const Event pending = scheduled(a_reminder());
    EXPECT_TRUE(fails_with<InvalidStateTransition>(edit(pending, {.dismissed = true})));
    clock.advance(1h);
    const Event done = completed(claimed_one());
    EXPECT_TRUE(fails_with<InvalidStateTransition>(edit(done, {.dismissed = true})));
    EXPECT_TRUE(fails_with<InvalidStateTransition>(edit(done, {.payload = "1"})));
    EXPECT_EQ(find(done), done);
}

TEST_F(EditEventTest, ReportsAnUnknownId) {
    for (const char* id : {"0199", "ext:x", "01995b2c-7d3a-7000-8000-00000000ffff"}) {
        EXPECT_EQ(error_of<NotFound>(edit_event.run(id, {}, std::nullopt, "req-1")).id, id);
    }
}

}  // namespace
}  // namespace sundial
