#include "adapters/postgres/cluster.hpp"

#include <gmock/gmock.h>

namespace sundial::postgres {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* good = "1790000000000000 150018 200 on on on logical UTF8 13.2-1";

ClusterFacts cluster_with(const char* worker) {
    ClusterFacts facts{facts_from("the coordinator", good), {facts_from("10.0.0.2:5432", worker)}};
    facts.before = facts.coordinator.clock;
    facts.after = facts.before + std::chrono::milliseconds{20};
    return facts;
}

auto refuses(const char* text) {
    return testing::AllOf(Field(&ClusterFinding::refuses, true),
                          Field(&ClusterFinding::text, HasSubstr(text)));
}
auto remarks(const char* text) {
    return testing::AllOf(Field(&ClusterFinding::refuses, false),
                          Field(&ClusterFinding::text, HasSubstr(text)));
}

TEST(JudgeCluster, FindsNothingWrongWithAGoodOne) {
    EXPECT_THAT(judge_cluster(cluster_with(good)), IsEmpty());
}

TEST(JudgeCluster, AllowsClocksThatDifferLittle) {
    EXPECT_THAT(
        judge_cluster(cluster_with("1790000000400000 150018 200 on on on logical UTF8 13.2-1")),
        IsEmpty());
    EXPECT_THAT(
        judge_cluster(cluster_with("1790000000600000 150018 200 on on on logical UTF8 13.2-1")),
        ElementsAre(refuses("10.0.0.2:5432 is 580 ms ahead of the coordinator's")));
    EXPECT_THAT(
        judge_cluster(cluster_with("1789999999000000 150018 200 on on on logical UTF8 13.2-1")),
        ElementsAre(refuses("10.0.0.2:5432 is 1000 ms behind the coordinator's")));
}

TEST(JudgeCluster, RefusesWorkersThatDifferOrCannotPrepare) {
    EXPECT_THAT(judge_cluster(cluster_with("1790000000000000 160004 0 on on on logical SQL_ASCII")),
                ElementsAre(refuses("max_prepared_transactions = 0"), refuses("encoding SQL_ASCII"),
                            refuses("is PostgreSQL 16, the coordinator 15"),
                            refuses("has citus not created, the coordinator 13.2-1")));
}

TEST(JudgeCluster, RemarksOnSettingsThatLoseCommitsOrStopMoves) {
    EXPECT_THAT(
        judge_cluster(cluster_with("1790000000000000 150018 9 off off off replica UTF8 13.2-1")),
        ElementsAre(remarks("fsync = off"), remarks("full_page_writes = off"),
                    remarks("synchronous_commit = off"), remarks("wal_level = replica")));
}

TEST(JudgeCluster, RefusesAWorkerThatDoesNotAnswer) {
    ClusterFacts facts = cluster_with("what?");
    EXPECT_THAT(judge_cluster(facts),
                ElementsAre(refuses("does not answer (an unexpected answer")));
    facts.workers.clear();
    EXPECT_THAT(judge_cluster(facts), ElementsAre(remarks("no worker is registered")));
}

}  // namespace
}  // namespace sundial::postgres
