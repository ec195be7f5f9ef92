#include "application/instances/report_instance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/control_plane.hpp"

namespace sundial {
namespace {

using testing::IsEmpty;

class InstancesTest : public ControlPlane {
protected:
    ReportInstance report{
        {.id = instance_a, .started_at = noon - 1s, .version = "1", .roles = {"api"}, .slots = 4},
        {.store = store,
         .monotonic = monotonic,
         .facts = [this](Instant) { return facts; },
         .drain = [this] { ++drains; }}};
    DrainInstance drain{store, ids};
    ReportInstance::Facts facts{.held = 3};
    int drains = 0;
    const Caller caller{"req-1", "key:ops"};

    std::optional<InstanceReport> stored() {
        return in_read(store, [](Transaction& tx) { return tx.instances().find(instance_a); });
    }
};

TEST_F(InstancesTest, ReportEveryFiveSeconds) {
    report.run();
    EXPECT_EQ(stored()->held, 3U);
    EXPECT_EQ(stored()->last_claim_at, std::nullopt);
    facts.held = 1;
    facts.last_claim_at = noon;
    monotonic.time += 4s;
    report.run();
    EXPECT_EQ(stored()->held, 3U);
    monotonic.time += 1s;
    report.run();
    EXPECT_EQ(stored()->held, 1U);
    EXPECT_EQ(stored()->last_claim_at, noon);
    report.retire();
    EXPECT_FALSE(stored());
}

/// The first report may come after the first claim.
TEST_F(InstancesTest, ReportTheStartOfTheInstanceAndNotOfItsReports) {
    facts.last_claim_at = noon - 500ms;
    report.run();
    EXPECT_EQ(stored()->started_at, noon - 1s);
    EXPECT_EQ(stored()->reported_at, noon);
    monotonic.time += 5s;
    report.run();
    EXPECT_EQ(stored()->started_at, noon - 1s);
}

TEST_F(InstancesTest, DrainOnceAtTheReportAfterARequest) {
    report.run();
    EXPECT_EQ(drain.run(to_string(instance_a), caller).value().drain_requested_at, noon);
    report.run();
    EXPECT_EQ(drains, 0);
    report.hurry();
    report.run();
    EXPECT_EQ(drains, 1);
    monotonic.time += 5s;
    report.run();
    EXPECT_EQ(drains, 1);
}

TEST_F(InstancesTest, DrainNoUnknownInstance) {
    EXPECT_FALSE(drain.run(to_string(instance_a), caller));
    EXPECT_FALSE(drain.run("x", caller));
    EXPECT_THAT(store.recorded(), IsEmpty());
}

TEST_F(InstancesTest, NameTheCallerOfTheFirstRequestToDrain) {
    report.run();
    ASSERT_TRUE(drain.run(to_string(instance_a), caller));
    ASSERT_TRUE(drain.run(to_string(instance_a), {"req-2", "key:other"}));
    const auto entries = store.recorded();
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].stream, (StreamId{"InstanceAudit", "all"}));
    EXPECT_EQ(entries[0].event_type, "DrainRequested");
    EXPECT_EQ(entries[0].data,
              R"({"instanceId":")" + to_string(instance_a) + R"(","leasesHeld":3})");
    EXPECT_EQ(entries[0].metadata.actor, "key:ops");
}

}  // namespace
}  // namespace sundial
