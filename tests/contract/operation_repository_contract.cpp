#include <gmock/gmock.h>

#include "contract/control_plane_contract.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST_P(OperationRepositoryContract, KeepsEveryMember) {
    Operation operation = an_operation();
    add(operation);
    EXPECT_EQ(find(operation.id), operation);

    operation.schedule = an_id<ScheduleId>();
    operation.schedule_version = Version{7};
    operation.total = 5'000'000'000;
    operation.done = 4'999'999'999;
    operation.failed = 3;
    operation.cursor = "after this – ü";
    operation.request = "line 1\nline 2 – ü";
    operation = sundial::claim(operation, instance_a, noon, 30s);
    write([&](Transaction& tx) {
        EXPECT_TRUE(tx.operations().lock(operation.id));
        tx.operations().update(operation);
    });
    EXPECT_EQ(find(operation.id), operation);

    operation = end(operation, OperationStatus::failed, "no more disk", noon + 1us);
    write([&](Transaction& tx) { tx.operations().update(operation); });
    EXPECT_EQ(find(operation.id), operation);
}

TEST_P(OperationRepositoryContract, FindsOnlyExistingOperations) {
    EXPECT_FALSE(find(an_id<OperationId>()));
    write([](Transaction& tx) { EXPECT_FALSE(tx.operations().lock(an_id<OperationId>())); });
    EXPECT_FALSE(claimable());
}

TEST_P(OperationRepositoryContract, ReturnsTheOperationThatHasWaitedLongest) {
    Operation later = an_operation(), longest = an_operation(), held = an_operation(),
              over = an_operation();
    later.claimable_at = noon - 1s;
    longest.claimable_at = noon - 2s;
    held.claimable_at = noon - 3s;
    over.claimable_at = noon - 4s;
    add(later, longest, sundial::claim(held, instance_a, noon, 30s), complete(over, noon));
    EXPECT_EQ(claimable(), longest);
    write([&](Transaction& tx) {
        tx.operations().update(sundial::claim(longest, instance_b, noon, 40s));
    });
    EXPECT_EQ(claimable(), later);
    write([&](Transaction& tx) { tx.operations().update(complete(later, noon)); });
    EXPECT_FALSE(claimable());
    advance(30s);  // the end of a lease
    EXPECT_EQ(claimable()->id, held.id);
}

TEST_P(OperationRepositoryContract, LetsOneOfManyClaimersHaveEachOperation) {
    constexpr int many = 8;
    std::vector<Operation> operations;
    for (int i = 0; i < many; ++i) operations.push_back(an_operation());
    write([&](Transaction& tx) {
        for (const Operation& operation : operations) tx.operations().add(operation);
    });
    std::vector<std::optional<OperationId>> taken(many);
    at_once(many, [&](int i) {
        // A claim skips an operation that another transaction has locked, so each thread repeats
        // until it has one.
        while (!taken[static_cast<std::size_t>(i)]) {
            write([&](Transaction& tx) {
                const auto found = tx.operations().lock_claimable(tx.now());
                if (!found) return;
                tx.operations().update(sundial::claim(*found, instance_a, tx.now(), 30s));
                taken[static_cast<std::size_t>(i)] = found->id;
            });
        }
    });
    std::vector<std::optional<OperationId>> all;
    for (const Operation& operation : operations) all.emplace_back(operation.id);
    EXPECT_THAT(taken, testing::UnorderedElementsAreArray(all));
}

TEST_P(OperationRepositoryContract, CountsRunningOperationsByKind) {
    Operation planning = an_operation();
    planning.kind = OperationKind::plan_schedule;
    add(an_operation(), an_operation(), planning, complete(an_operation(), noon));
    EXPECT_THAT(read([](Transaction& tx) { return tx.operations().running(); }),
                UnorderedElementsAre(Pair(OperationKind::replan_schedule, 2U),
                                     Pair(OperationKind::plan_schedule, 1U)));
}

TEST_P(OperationRepositoryContract, BoundsTheNumberOfRunningOperations) {
    constexpr std::size_t max_running = 2;
    const auto start = [&](int) {
        write([&](Transaction& tx) {
            if (tx.operations().running_for_start(OperationKind::bulk) >= max_running) return;
            Operation one = an_operation();
            one.kind = OperationKind::bulk;
            tx.operations().add(one);
        });
    };
    add(an_operation());  // another kind
    at_once(8, start);
    EXPECT_EQ(read([](Transaction& tx) { return tx.operations().running(); })[OperationKind::bulk],
              max_running);
}

TEST_P(OperationRepositoryContract, ReportsWhenTheNextOperationIsClaimable) {
    const auto next = [&] {
        return read([](Transaction& tx) { return tx.operations().next_claimable(); });
    };
    EXPECT_FALSE(next());
    Operation resting = an_operation(), later = an_operation();
    resting.claimable_at = noon + 2s;
    later.claimable_at = noon + 3s;
    add(resting, later, sundial::claim(an_operation(), instance_a, noon, 1s),
        complete(an_operation(), noon));
    EXPECT_EQ(next(), noon + 2s);
}

TEST_P(OperationRepositoryContract, StoresFailedItems) {
    const OperationId operation = an_id<OperationId>(), other = an_id<OperationId>();
    const auto failure = [](OperationSubject subject) {
        return OperationFailure{subject, an_id<EventId>().value, "unknown_zone", "no – ü 'x'"};
    };
    const std::vector<NumberedFailure> first{{1, failure(OperationSubject::event)},
                                             {2, failure(OperationSubject::user)}};
    const std::vector<NumberedFailure> second{{3, failure(OperationSubject::schedule)}};
    write([&](Transaction& tx) {
        tx.operations().add_failures(operation, first);
        tx.operations().add_failures(other, second);
        tx.operations().add_failures(operation, second);
    });
    const auto list = [&](PageRequest page) {
        return read(
            [&](Transaction& tx) { return tx.operations().list_failures({operation, page}); });
    };
    EXPECT_THAT(list({}).items, ElementsAre(first[0], first[1], second[0]));
    const auto begin = list({.limit = 2, .after = std::nullopt});
    EXPECT_THAT(begin.items, ElementsAre(first[0], first[1]));
    EXPECT_TRUE(begin.has_more);
    const auto rest = list({.limit = 2, .after = PageKey{"2", operation.value}});
    EXPECT_THAT(rest.items, ElementsAre(second[0]));
    EXPECT_FALSE(rest.has_more);
}

TEST_P(OperationRepositoryContract, ListsByCreationAndFilters) {
    const auto of = [&](auto change) {
        Operation operation = an_operation();
        change(operation);
        add(operation);
        return operation.id;
    };
    const ScheduleId schedule = an_id<ScheduleId>();
    const auto third = of([](Operation& one) { one.created_at = noon + 2s; });
    const auto first = of([&](Operation& one) {
        one.kind = OperationKind::plan_schedule;
        one.schedule = schedule;
    });
    const auto second = of([](Operation& one) {
        one.created_at = noon + 1s;
        one = complete(one, noon + 1s);
    });
    const auto list = [&](const OperationQuery& query) {
        std::vector<OperationId> ids;
        const auto page = read([&](Transaction& tx) { return tx.operations().list(query); });
        for (const Operation& one : page.items) ids.push_back(one.id);
        EXPECT_FALSE(page.has_more);
        return ids;
    };
    EXPECT_THAT(list({}), ElementsAre(first, second, third));
    OperationQuery down;
    down.page.descending = true;
    EXPECT_THAT(list(down), ElementsAre(third, second, first));
    down.page.after = PageKey{std::to_string((noon + 2s).time_since_epoch().count()), third.value};
    EXPECT_THAT(list(down), ElementsAre(second, first));
    OperationQuery filtered;
    filtered.statuses = {OperationStatus::completed, OperationStatus::failed};
    EXPECT_THAT(list(filtered), ElementsAre(second));
    filtered = {};
    filtered.kinds = {OperationKind::plan_schedule};
    EXPECT_THAT(list(filtered), ElementsAre(first));
    filtered = {};
    filtered.schedule = schedule;
    EXPECT_THAT(list(filtered), ElementsAre(first));
    filtered.schedule = an_id<ScheduleId>();
    EXPECT_THAT(list(filtered), IsEmpty());
    OperationQuery one;
    one.page.limit = 1;
    EXPECT_TRUE(read([&](Transaction& tx) { return tx.operations().list(one); }).has_more);
}

TEST_P(OperationRepositoryContract, IsRolledBackWithItsTransaction) {
    const Operation operation = an_operation();
    store().transact([&](Transaction& tx) {
        tx.operations().add(operation);
        return false;
    });
    EXPECT_FALSE(find(operation.id));
}

}  // namespace
}  // namespace sundial
