#include <gmock/gmock.h>

#include <atomic>
#include <limits>

#include "application/ports/outbox_progress.hpp"
#include "contract/control_plane_contract.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

std::vector<IdInterval> ids(const std::vector<TakenRange>& ranges) {
    std::vector<IdInterval> found;
    for (const TakenRange& range : ranges) found.push_back(range.ids);
    return found;
}

RefusedRow a_refused_row(std::int64_t id) {
    return {.id = id,
            .kind = "event",
            .code = "VALIDATION_FAILED",
            .detail = "/x – ü",
            .errors = R"([{"code": "required", "message": "–", "pointer": "/x"}])",
            .refused_at = noon};
}

TEST_P(OutboxProgressContract, KeepsEveryMember) {
    OutboxState state{.name = "orders", .source = "sqlite:ü.db", .changed_at = noon};
    write([&](Transaction& tx) { tx.outboxes().declare(state); });
    EXPECT_THAT(all(), ElementsAre(state));

    state.failure = "gone – ü";
    state.changed_at = noon + 1us;
    state.taken = 5'000'000'000;
    state.refused = 7;
    state.last_id = -3;
    state.taken_at = noon + 2us;
    state.followed_by = instance_a;
    state.lease_ends = never;
    write([&](Transaction& tx) {
        EXPECT_TRUE(tx.outboxes().try_lock("orders"));
        tx.outboxes().update(state);
        tx.outboxes().declare({.name = "orders", .source = "another"});  // exists
    });
    EXPECT_THAT(all(), ElementsAre(state));
    write([&](Transaction& tx) { EXPECT_FALSE(tx.outboxes().try_lock("unknown")); });
}

TEST_P(OutboxProgressContract, ListsByName) {
    write([](Transaction& tx) {
        for (const char* name : {"b", "a-b", "a1", "a"}) tx.outboxes().declare({.name = name});
    });
    const auto names = [&](std::optional<std::string> after, std::size_t limit) {
        std::vector<std::string> found;
        for (const auto& one :
             read([&](Transaction& tx) { return tx.outboxes().list(after, limit); })) {
            found.push_back(one.name);
        }
        return found;
    };
    EXPECT_THAT(names(std::nullopt, 3), ElementsAre("a", "a-b", "a1"));
    EXPECT_THAT(names("a1", 3), ElementsAre("b"));
}

TEST_P(OutboxProgressContract, KeepsRangesOfTakenIds) {
    declare("orders");
    declare("crm");
    change("orders", {{}, {{least, -9}, {1, 4}, {7, 7}, {9, 12}, {20, greatest}}});
    change("crm", {{}, {{5, 6}}});
    EXPECT_THAT(ids(newest(2)), ElementsAre(IdInterval{9, 12}, IdInterval{20, greatest}));
    EXPECT_THAT(newest(9), SizeIs(5));
    EXPECT_THAT(ids(after(std::nullopt, 2)), ElementsAre(IdInterval{least, -9}, IdInterval{1, 4}));
    EXPECT_THAT(ids(after(4, 2)), ElementsAre(IdInterval{7, 7}, IdInterval{9, 12}));
    EXPECT_THAT(ids(after(10, 1)), ElementsAre(IdInterval{9, 12}));
    EXPECT_THAT(after(greatest, 1), IsEmpty());

    EXPECT_THAT(ids(near({5, 5})), ElementsAre(IdInterval{1, 4}));
    EXPECT_THAT(ids(near({5, 6})), ElementsAre(IdInterval{1, 4}, IdInterval{7, 7}));
    EXPECT_THAT(ids(near({6, 6})), ElementsAre(IdInterval{7, 7}));
    EXPECT_THAT(near({14, 18}), IsEmpty());
    EXPECT_THAT(ids(near({3, 19})), ElementsAre(IdInterval{1, 4}, IdInterval{7, 7},
                                                IdInterval{9, 12}, IdInterval{20, greatest}));
    EXPECT_THAT(near({least, greatest}), SizeIs(5));
}

TEST_P(OutboxProgressContract, ChangesRangesAndNotesWhen) {
    declare("orders");
    change("orders", {{}, {{1, 4}, {7, 7}, {9, 12}}});
    advance(1s);
    change("orders", {{1, 7}, {{1, 8}}});
    EXPECT_THAT(newest(9), ElementsAre(TakenRange{{1, 8}, noon + 1s}, TakenRange{{9, 12}, noon}));
    change("orders", {{9}, {}});
    EXPECT_THAT(ids(newest(9)), ElementsAre(IdInterval{1, 8}));
}

TEST_P(OutboxProgressContract, KeepsRefusedRowsUntilTheyAreForgotten) {
    declare("orders");
    const std::vector rows{a_refused_row(3), a_refused_row(4), a_refused_row(-1)};
    write([&](Transaction& tx) {
        tx.outboxes().refuse("orders", rows);
        tx.outboxes().refuse("crm", std::vector{a_refused_row(3)});
    });
    const auto refused = [&](std::optional<std::int64_t> after, std::size_t limit) {
        return read(
            [&](Transaction& tx) { return tx.outboxes().refused_after("orders", after, limit); });
    };
    EXPECT_THAT(refused(std::nullopt, 9), ElementsAre(rows[2], rows[0], rows[1]));
    EXPECT_THAT(refused(-1, 1), ElementsAre(rows[0]));
    write([&](Transaction& tx) {
        tx.outboxes().forget_refused("orders", std::vector<std::int64_t>{3, 99});
    });
    EXPECT_THAT(refused(std::nullopt, 9), ElementsAre(rows[2], rows[1]));
}

TEST_P(OutboxProgressContract, LetsOneTransactionLockAnOutboxAndOthersGoOn) {
    declare("orders");
    std::atomic<int> counted{0};
    at_once(8, [&](int) {
        for (bool done = false; !done;) {
            write([&](Transaction& tx) {
                auto state = tx.outboxes().try_lock("orders");
                done = state.has_value();
                if (!done) return;
                ++state->taken;
                tx.outboxes().update(*state);
            });
        }
        ++counted;
    });
    EXPECT_EQ(counted, 8);
    EXPECT_EQ(all().at(0).taken, 8U);
}

}  // namespace
}  // namespace sundial
