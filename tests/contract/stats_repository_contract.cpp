#include <gmock/gmock.h>

#include "contract/control_plane_contract.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

InstanceReport a_report(InstanceId id, Instant started_at) {
    return {.id = id,
            .version = "1.2.3",
            .roles = {"api", "worker"},
            .started_at = started_at,
            .reported_at = started_at,
            .clock_skew = -3ms,
            .held = 7,
            .slots = 64,
            .draining = false};
}

TEST_P(InstanceRepositoryContract, KeepsTheLatestReportAndTheFirstStart) {
    const InstanceReport first = a_report(instance_a, noon);
    EXPECT_EQ(report(first), std::nullopt);
    EXPECT_EQ(find(instance_a), first);
    InstanceReport later = a_report(instance_a, noon + 5s);
    later.held = 0;
    later.draining = true;
    later.last_claim_at = noon + 4s;
    EXPECT_EQ(report(later), std::nullopt);
    later.started_at = noon;
    EXPECT_EQ(find(instance_a), later);
    EXPECT_FALSE(find(instance_b));
}

TEST_P(InstanceRepositoryContract, ListsInOrderOfTheStart) {
    report(a_report(instance_b, noon));
    report(a_report(instance_a, noon + 1s));
    const auto all = read([](Transaction& tx) { return tx.instances().list(); });
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[0].id, instance_b);
    EXPECT_EQ(all[1].id, instance_a);
}

TEST_P(InstanceRepositoryContract, AnswersAReportWithTheFirstRequestToDrain) {
    report(a_report(instance_a, noon));
    const auto request = [&](InstanceId id, Instant at) {
        return write([&](Transaction& tx) { return tx.instances().request_drain(id, at); });
    };
    EXPECT_FALSE(request(instance_b, noon));
    EXPECT_TRUE(request(instance_a, noon + 1s));
    EXPECT_TRUE(request(instance_a, noon + 2s));
    EXPECT_EQ(report(a_report(instance_a, noon + 5s)), noon + 1s);
    EXPECT_EQ(find(instance_a)->drain_requested_at, noon + 1s);
}

TEST_P(InstanceRepositoryContract, ForgetsOldReportsAndThoseOfAnInstanceThatEnds) {
    report(a_report(instance_a, noon));
    report(a_report(instance_b, noon + 1s));
    write([](Transaction& tx) { tx.instances().forget(noon + 1s); });
    EXPECT_FALSE(find(instance_a));
    write([](Transaction& tx) { tx.instances().remove(instance_b); });
    write([](Transaction& tx) { tx.instances().remove(instance_b); });
    EXPECT_FALSE(find(instance_b));
}

BrowserSession a_session(const std::string& name, Instant created_at) {
    return {.token_hash = name + std::string(32 - name.size(), '\0'),
            .handle = "7f3a9k2m1q",
            .created_at = created_at,
            .expires_at = created_at + 12h};
}

TEST_P(SessionRepositoryContract, KeepsEveryMemberInOrderOfTheCreation) {
    const BrowserSession later = a_session("a", noon + 1s), first = a_session("b", noon);
    add(later);
    add(first);
    EXPECT_THAT(all(), ElementsAre(first, later));
    write([&](Transaction& tx) { tx.sessions().remove(first.token_hash); });
    write([&](Transaction& tx) { tx.sessions().remove(first.token_hash); });
    EXPECT_THAT(all(), ElementsAre(later));
}

TEST_P(SessionRepositoryContract, ForgetsExpiredSessionsAndAllButTheNewest) {
    const BrowserSession expired = a_session("a", noon - 12h), second = a_session("b", noon),
                         third = a_session("c", noon + 1s), fourth = a_session("d", noon + 2s);
    for (const BrowserSession& session : {expired, second, third, fourth}) add(session);
    write([](Transaction& tx) { tx.sessions().forget(noon, 10); });
    EXPECT_THAT(all(), ElementsAre(second, third, fourth));
    write([](Transaction& tx) { tx.sessions().forget(noon, 2); });
    EXPECT_THAT(all(), ElementsAre(third, fourth));
    write([](Transaction& tx) { tx.sessions().forget(noon, 0); });
    EXPECT_THAT(all(), IsEmpty());
}

TEST_P(SessionRepositoryContract, RemovesTheOldSessionsOfOneKey) {
    const BrowserSession first = a_session("a", noon), second = a_session("b", noon + 1s),
                         third = a_session("c", noon + 2s);
    BrowserSession other = a_session("d", noon - 1s);
    other.handle = "another1key";
    for (const BrowserSession& session : {third, first, second, other}) add(session);
    const auto remove_but = [&](std::size_t kept) {
        write([&](Transaction& tx) { tx.sessions().remove_of(first.handle, kept); });
    };
    remove_but(3);
    EXPECT_THAT(all(), ElementsAre(other, first, second, third));
    remove_but(1);
    EXPECT_THAT(all(), ElementsAre(other, third));
    remove_but(0);
    EXPECT_THAT(all(), ElementsAre(other));
}

StatsRow a_row(StatsMeasure measure, Instant slot, std::uint64_t count) {
    StatsRow row{.key = {.measure = measure, .slot = slot, .instance = instance_a}, .count = count};
    row.durations.add(10ms, count);
    return row;
}

TEST_P(StatsRepositoryContract, KeepsEveryMember) {
    StatsRow row = a_row(StatsMeasure::failed, noon, 3);
    row.key.step = StatsStep::hour;
    row.key.by = StatsBy::type;
    row.key.label = "REMINDER – ü";
    row.key.instance = instance_b;
    row.durations.add(5h);
    store_rows({row});
    EXPECT_THAT(rows({.step = StatsStep::hour,
                      .by = StatsBy::type,
                      .measures = {StatsMeasure::failed},
                      .from = noon,
                      .to = noon + 1us}),
                ElementsAre(row));
}

TEST_P(StatsRepositoryContract, ReplacesARowThatIsWrittenAgain) {
    store_rows(
        {a_row(StatsMeasure::completed, noon, 1), a_row(StatsMeasure::completed, noon - 1min, 5)});
    store_rows({a_row(StatsMeasure::completed, noon, 2)});
    EXPECT_THAT(rows({.measures = {StatsMeasure::completed}, .from = noon - 1h, .to = noon + 1h}),
                ElementsAre(a_row(StatsMeasure::completed, noon - 1min, 5),
                            a_row(StatsMeasure::completed, noon, 2)));
}

TEST_P(StatsRepositoryContract, ReadsTheRequestedRowsOnly) {
    StatsRow of_type = a_row(StatsMeasure::started, noon, 9);
    of_type.key.by = StatsBy::type;
    of_type.key.label = "X";
    StatsRow of_hour = a_row(StatsMeasure::started, noon, 9);
    of_hour.key.step = StatsStep::hour;
    const StatsRow before = a_row(StatsMeasure::started, noon - 1min, 1),
                   wanted = a_row(StatsMeasure::started, noon, 2),
                   retried = a_row(StatsMeasure::retried, noon, 3),
                   after = a_row(StatsMeasure::started, noon + 1min, 4);
    store_rows(
        {of_type, of_hour, before, wanted, retried, after, a_row(StatsMeasure::due, noon, 5)});
    EXPECT_THAT(rows({.measures = {StatsMeasure::started}, .from = noon, .to = noon + 1min}),
                ElementsAre(wanted));
    EXPECT_THAT(rows({.measures = {StatsMeasure::started, StatsMeasure::retried},
                      .from = noon,
                      .to = noon + 1min}),
                testing::UnorderedElementsAre(retried, wanted));
    EXPECT_THAT(
        rows({.measures = {StatsMeasure::started}, .from = noon - 1h, .to = noon + 1h, .limit = 2}),
        SizeIs(2));
}

TEST_P(StatsRepositoryContract, ForgetsOldRowsOfAStepInBatches) {
    StatsRow of_hour = a_row(StatsMeasure::started, noon - 1h, 9);
    of_hour.key.step = StatsStep::hour;
    store_rows({of_hour, a_row(StatsMeasure::started, noon - 2min, 1),
                a_row(StatsMeasure::failed, noon - 1min, 1), a_row(StatsMeasure::failed, noon, 1)});
    const auto forget = [&] {
        return write([](Transaction& tx) { return tx.stats().forget(StatsStep::minute, noon, 1); });
    };
    EXPECT_TRUE(forget());
    EXPECT_TRUE(forget());
    EXPECT_FALSE(forget());
    EXPECT_THAT(rows({.measures = {StatsMeasure::started, StatsMeasure::failed},
                      .from = noon - 24h,
                      .to = noon + 24h}),
                ElementsAre(a_row(StatsMeasure::failed, noon, 1)));
    EXPECT_THAT(rows({.step = StatsStep::hour,
                      .measures = {StatsMeasure::started},
                      .from = noon - 24h,
                      .to = noon + 24h}),
                ElementsAre(of_hour));
}

TEST_P(StatsRepositoryContract, KeepsAndForgetsRowsOfZones) {
    StatsRow of_zone = a_row(StatsMeasure::completed, noon, 4);
    of_zone.key.step = StatsStep::hour;
    of_zone.key.by = StatsBy::zone;
    of_zone.key.label = "Europe/Berlin";
    store_rows({of_zone});
    const StatsQuery query{.step = StatsStep::hour,
                           .by = StatsBy::zone,
                           .measures = {StatsMeasure::completed},
                           .from = noon - 1h,
                           .to = noon + 1h};
    EXPECT_THAT(rows(query), ElementsAre(of_zone));
    write([](Transaction& tx) { return tx.stats().forget(StatsStep::hour, noon + 1us, 10); });
    EXPECT_THAT(rows(query), testing::IsEmpty());
}

TEST_P(StatsRepositoryContract, ReadsTheRowsOfSomeLabels) {
    std::vector<StatsRow> stored;
    for (const char* label : {"a", "b", "other"}) {
        stored.push_back(a_row(StatsMeasure::completed, noon, 1));
        stored.back().key.by = StatsBy::endpoint;
        stored.back().key.label = label;
    }
    store_rows(stored);
    StatsQuery query{.by = StatsBy::endpoint,
                     .measures = {StatsMeasure::completed},
                     .from = noon,
                     .to = noon + 1min};
    EXPECT_THAT(rows(query), SizeIs(3));
    query.labels = {"b", "other", "missing"};
    EXPECT_THAT(rows(query), testing::UnorderedElementsAre(stored[1], stored[2]));
}

TEST_P(StatsRepositoryContract, CountsWhatWaitsUpToABound) {
    EXPECT_EQ(live_counts(10), LiveCounts{});
    const EndpointId crm = an_id<EndpointId>();
    for (int i = 0; i < 3; ++i) given(an_event().to_endpoint(crm));
    given(an_event().to_endpoint(crm).due(noon + 1h));
    advance(2s);
    LiveCounts counts = live_counts(10);
    EXPECT_EQ(counts.pending, (BoundedCount{4, true}));
    EXPECT_EQ(counts.processing, (BoundedCount{0, true}));
    EXPECT_EQ(counts.due, (BoundedCount{3, true}));
    EXPECT_EQ(counts.oldest_due_age, 2s);
    EXPECT_EQ(live_counts(3).pending, (BoundedCount{3, false}));

    ASSERT_THAT(claim(instance_a), SizeIs(3));
    counts = live_counts(10);
    EXPECT_EQ(counts.pending, (BoundedCount{1, true}));
    EXPECT_EQ(counts.processing, (BoundedCount{3, true}));
    EXPECT_EQ(counts.due, (BoundedCount{0, true}));
    EXPECT_EQ(counts.oldest_due_age, std::nullopt);
}

TEST_P(StatsRepositoryContract, CountsDeadLettersAndCircuits) {
    for (int i = 0; i < 3; ++i) given(an_event());
    for (const ClaimedEvent& one : claim(instance_a)) {
        ASSERT_TRUE(settle({.id = one.event.id,
                            .held = one.event.version,
                            .number = one.event.attempt,
                            .by = instance_a,
                            .result = Refused{"no"},
                            .started_at = std::nullopt,
                            .status_code = std::nullopt,
                            .attempt = std::nullopt}));
    }
    EXPECT_EQ(live_counts(10).dead_letters, (BoundedCount{3, true}));
    EXPECT_EQ(live_counts(2).dead_letters, (BoundedCount{2, false}));
    EXPECT_EQ(live_counts(2).open_circuits, 0U);
}

}  // namespace
}  // namespace sundial
