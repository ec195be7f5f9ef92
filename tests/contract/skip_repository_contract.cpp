#include <gmock/gmock.h>

#include "contract/control_plane_contract.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SkippedRun a_run(ScheduleId schedule, std::optional<UserId> user, Instant first) {
    return {.id = uuid_of(next_number()),
            .schedule = schedule,
            .user = user,
            .reason = "misfire_once",
            .first = first,
            .last = first + 1h,
            .count = 3,
            .next = first + 2h,
            .recorded_at = noon};
}

const ScheduleId schedule = an_id<ScheduleId>();

class Runs {
public:
    explicit Runs(Store& store) : store_(store) {}
    void add(const SkippedRun& run) {
        store_.transact([&](Transaction& tx) { return tx.skips().add(run), true; });
    }
    std::vector<SkippedRun> list(const SkipQuery& query = {}) {
        return in_read(store_, [&](Transaction& tx) { return tx.skips().list(query).items; });
    }

private:
    Store& store_;
};

TEST_P(SkipRepositoryContract, KeepsEveryMemberOfARun) {
    Runs runs{store()};
    const SkippedRun of_user = a_run(schedule, an_id<UserId>(), noon + 1us);
    SkippedRun last = a_run(schedule, std::nullopt, noon + 1s);
    last.next.reset();
    last.count = 31'536'000'000;
    runs.add(of_user);
    runs.add(last);
    EXPECT_THAT(runs.list(), ElementsAre(of_user, last));
}

TEST_P(SkipRepositoryContract, JoinsAdjacentRuns) {
    for (const auto user : {std::optional<UserId>{}, std::optional{an_id<UserId>()}}) {
        const ScheduleId its = an_id<ScheduleId>();
        Runs runs{store()};
        const SkippedRun first = a_run(its, user, noon);
        SkippedRun second = a_run(its, user, *first.next);
        second.recorded_at = noon + 1h;
        runs.add(first);
        runs.add(second);
        SkippedRun whole = first;
        whole.last = second.last;
        whole.count = 6;
        whole.next = second.next;
        whole.recorded_at = second.recorded_at;
        SkipQuery query;
        query.schedule = its;
        EXPECT_THAT(runs.list(query), ElementsAre(whole));

        runs.add(second);  // repeated: already known
        runs.add(first);
        EXPECT_THAT(runs.list(query), ElementsAre(whole));
    }
}

TEST_P(SkipRepositoryContract, KeepsSeparateRunsApart) {
    Runs runs{store()};
    const UserId user = an_id<UserId>();
    const SkippedRun run = a_run(schedule, user, noon);
    runs.add(run);
    SkippedRun of_other_reason = a_run(schedule, user, *run.next);
    of_other_reason.reason = "concurrency";
    const SkippedRun of_other_user = a_run(schedule, an_id<UserId>(), *run.next);
    const SkippedRun without_user = a_run(schedule, std::nullopt, *run.next);
    const SkippedRun of_other_schedule = a_run(an_id<ScheduleId>(), user, *run.next);
    const SkippedRun after_one_that_fired = a_run(schedule, user, *run.next + 1h);
    for (const SkippedRun& other :
         {of_other_reason, of_other_user, without_user, of_other_schedule, after_one_that_fired}) {
        runs.add(other);
    }
    EXPECT_EQ(runs.list().size(), 6U);
    EXPECT_EQ(runs.list().front(), run);
}

TEST_P(SkipRepositoryContract, FiltersAndSortsAList) {
    Runs runs{store()};
    const UserId user = an_id<UserId>();
    const SkippedRun early = a_run(schedule, user, noon);
    const SkippedRun middle = a_run(an_id<ScheduleId>(), std::nullopt, noon + 10h);
    const SkippedRun late = a_run(schedule, std::nullopt, noon + 20h);
    for (const SkippedRun& run : {late, early, middle}) runs.add(run);
    const auto like = [&](auto ask) {
        SkipQuery query;
        ask(query);
        return runs.list(query);
    };
    EXPECT_THAT(like([](SkipQuery&) {}), ElementsAre(early, middle, late));
    EXPECT_THAT(like([](SkipQuery& q) { q.page.descending = true; }),
                ElementsAre(late, middle, early));
    EXPECT_THAT(like([](SkipQuery& q) { q.page.limit = 1; }), ElementsAre(early));
    EXPECT_THAT(like([&](SkipQuery& q) {
                    q.page.after =
                        PageKey{std::to_string(middle.first.time_since_epoch().count()), middle.id};
                }),
                ElementsAre(late));
    EXPECT_THAT(like([](SkipQuery& q) { q.schedule = schedule; }), ElementsAre(early, late));
    EXPECT_THAT(like([&](SkipQuery& q) { q.user = user; }), ElementsAre(early));
    // A run covers its first to its last occurrence.
    EXPECT_THAT(like([](SkipQuery& q) { q.from = noon + 1h; }), ElementsAre(early, middle, late));
    EXPECT_THAT(like([](SkipQuery& q) { q.from = noon + 1h + 1us; }), ElementsAre(middle, late));
    EXPECT_THAT(like([](SkipQuery& q) { q.to = noon + 10h; }), ElementsAre(early));
}

TEST_P(SkipRepositoryContract, RemovesRunsOfAUserOrASchedule) {
    Runs runs{store()};
    const UserId user = an_id<UserId>();
    const SkippedRun of_user = a_run(an_id<ScheduleId>(), user, noon);
    const SkippedRun of_schedule = a_run(schedule, an_id<UserId>(), noon);
    const SkippedRun other = a_run(an_id<ScheduleId>(), std::nullopt, noon);
    for (const SkippedRun& run : {of_user, of_schedule, other}) runs.add(run);
    write([&](Transaction& tx) {
        tx.skips().remove_of_user(user);
        tx.skips().remove_of_schedule(schedule);
    });
    EXPECT_THAT(runs.list(), ElementsAre(other));
    write([&](Transaction& tx) { tx.skips().remove_of_schedule(other.schedule); });
    EXPECT_THAT(runs.list(), IsEmpty());
}

}  // namespace
}  // namespace sundial
