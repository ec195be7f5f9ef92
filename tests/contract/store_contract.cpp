#include "contract/store_contract.hpp"

#include <gmock/gmock.h>

#include <future>
#include <stdexcept>

#include "contract/settlements.hpp"

namespace sundial {
namespace {

using testing::IsEmpty;

RecordedEvent a_fact_of(const Uuid& aggregate, std::uint64_t version) {
    return {.stream = {"User", base::to_string(aggregate)},
            .version = Version{version},
            .event_id = an_id<EventId>().value,
            .event_type = version == 1 ? "UserCreated" : "UserUpdated",
            .data = R"({"firstName":"Zoë"})",
            .metadata = {.correlation_id = "req-1", .actor = "key:7f3a9k2m1q"}};
}

bool same(const RecordedEvent& a, const RecordedEvent& b) {
    return a.stream == b.stream && a.version == b.version && a.event_id == b.event_id &&
           a.event_type == b.event_type && a.metadata == b.metadata;
}

TEST_P(StoreContract, CommitsAllChangesOfATransaction) {
    const User user = a_user();
    const Event event = an_event().of_user(user.id);
    const RecordedEvent fact = a_fact_of(user.id.value, 1);
    store().transact([&](Transaction& tx) {
        EXPECT_TRUE(tx.users().add(user));
        EXPECT_TRUE(tx.events().add(event));
        tx.record(fact);
        return true;
    });

    EXPECT_EQ(read([&](Transaction& tx) { return tx.users().find(user.id); }), user);
    EXPECT_EQ(find(event.id), event);
    ASSERT_EQ(recorded().size(), 1U);
    EXPECT_TRUE(same(recorded()[0], fact));
}

TEST_P(StoreContract, RollsBackATransactionThatReturnedFalse) {
    const User user = a_user();
    const Event event = an_event().of_user(user.id);
    store().transact([&](Transaction& tx) {
        EXPECT_TRUE(tx.users().add(user));
        EXPECT_TRUE(tx.events().add(event));
        tx.record(a_fact_of(user.id.value, 1));
        EXPECT_TRUE(tx.users().find(user.id));  // its own changes are visible
        return false;
    });

    EXPECT_FALSE(read([&](Transaction& tx) { return tx.users().find(user.id); }));
    EXPECT_FALSE(find(event.id));
    EXPECT_THAT(recorded(), IsEmpty());
    given(event);  // the key is free too
}

TEST_P(StoreContract, RollsBackAndRethrowsAnException) {
    const User user = a_user();
    EXPECT_THROW(store().transact([&](Transaction& tx) -> bool {
        EXPECT_TRUE(tx.users().add(user));
        throw std::domain_error{"mine"};
    }),
                 std::domain_error);

    EXPECT_FALSE(read([&](Transaction& tx) { return tx.users().find(user.id); }));
    write([&](Transaction& tx) { EXPECT_TRUE(tx.users().add(user)); });  // the store still works
}

TEST_P(StoreContract, RestoresChangedAndRemovedRowsOnRollback) {
    const User user = a_user().named("Ada", "Li");
    const Event event = an_event();
    write([&](Transaction& tx) { EXPECT_TRUE(tx.users().add(user)); });
    given(event);
    store().transact([&](Transaction& tx) {
        User changed = tx.users().lock(user.id).value();
        changed.first_name = "Bea";
        EXPECT_TRUE(tx.users().update(changed));
        tx.users().remove(user.id);
        const Event live = tx.events().lock(event.id).value();
        tx.events().finish(cancel(live, tx.now(), "by hand").value());
        return false;
    });

    EXPECT_EQ(read([&](Transaction& tx) { return tx.users().find(user.id); }), user);
    EXPECT_EQ(find(event.id), event);
    EXPECT_EQ(claim_one().id, event.id);
}

TEST_P(StoreContract, HasOneNowInATransactionWhichIsTheClocks) {
    const auto [first, second] =
        read([&](Transaction& tx) { return std::pair{tx.now(), tx.now()}; });
    EXPECT_EQ(first, noon);
    EXPECT_EQ(second, first);
    advance(1us);
    EXPECT_EQ(write([](Transaction& tx) { return tx.now(); }), noon + 1us);
}

TEST_P(StoreContract, CommitsAResultThatIsAValueAndRollsBackOneThatIsAnError) {
    const User first = a_user().with_external_id("crm-7");
    const User second = a_user();
    const auto add = [&](const User& user, bool again) {
        return in_transaction(store(), [&](Transaction& tx) -> Result<void> {
            EXPECT_TRUE(tx.users().add(user));
            if (again) return NotFound{Noun::user, "u"};
            return {};
        });
    };
    EXPECT_TRUE(add(first, false).has_value());
    EXPECT_TRUE(is<NotFound>(add(second, true)));
    EXPECT_TRUE(read([&](Transaction& tx) { return tx.users().find(first.id); }));
    EXPECT_FALSE(read([&](Transaction& tx) { return tx.users().find(second.id); }));
}

TEST_P(StoreContract, ReadsCommittedData) {
    const User user = a_user();
    write([&](Transaction& tx) { EXPECT_TRUE(tx.users().add(user)); });
    std::optional<User> seen;
    store().read([&](Transaction& tx) { seen = tx.users().find(user.id); });
    EXPECT_EQ(seen, user);
}

TEST_P(StoreContract, NestsTransactions) {
    const User kept = a_user(), undone = a_user(), thrown = a_user();
    const auto add = [&](const User& user) {
        return [&user](Transaction& tx) { return tx.users().add(user).has_value(); };
    };
    const auto there = [&](const User& user) {
        return read([&](Transaction& tx) { return tx.users().find(user.id).has_value(); });
    };
    store().transact([&](Transaction&) {
        store().transact(add(kept));
        store().transact([&](Transaction& tx) { return add(undone)(tx) && false; });
        EXPECT_THROW(store().transact([&](Transaction& tx) -> bool {
            EXPECT_TRUE(add(thrown)(tx));
            throw std::domain_error{"mine"};
        }),
                     std::domain_error);
        EXPECT_TRUE(there(kept));  // its own changes are visible, from either part
        EXPECT_FALSE(there(undone));
        EXPECT_FALSE(there(thrown));
        return true;
    });

    EXPECT_TRUE(there(kept));
    EXPECT_FALSE(there(undone));
    EXPECT_FALSE(there(thrown));
}

TEST_P(StoreContract, KnowsWhetherThisThreadIsInATransaction) {
    EXPECT_FALSE(store().open_here());
    write([&](Transaction&) {
        EXPECT_TRUE(store().open_here());
        write([&](Transaction&) { EXPECT_TRUE(store().open_here()); });
        EXPECT_TRUE(store().open_here());
        EXPECT_FALSE(std::async(std::launch::async, [&] { return store().open_here(); }).get());
    });
    EXPECT_FALSE(store().open_here());
}

TEST_P(StoreContract, RollsBackPartsWithTheWhole) {
    const User user = a_user();
    const Event event = an_event();
    given(event);
    store().transact([&](Transaction&) {
        store().transact([&](Transaction& tx) {
            store().transact(
                [&](Transaction& inner) { return inner.users().add(user).has_value(); });
            return tx.users().find(user.id).has_value();
        });
        EXPECT_EQ(claim_one().id, event.id);  // through another port
        return false;
    });

    EXPECT_FALSE(read([&](Transaction& tx) { return tx.users().find(user.id); }));
    EXPECT_EQ(find(event.id), event);
    EXPECT_EQ(claim_one().attempt, Attempt{1});
}

TEST_P(StoreContract, CommitsChangesOfOtherPortsInTheTransaction) {
    const Event event = an_event();
    given(event);
    store().transact([&](Transaction& tx) {
        const Event claimed = claim_one();
        EXPECT_TRUE(settle(accepted(claimed, noon)).has_value());
        return status_of(*tx.events().find(event.id)) == EventStatus::completed;
    });
    EXPECT_EQ(status_of(*find(event.id)), EventStatus::completed);
}

/// A name conflict aborts a statement in the database. It must not abort the whole transaction.
TEST_P(StoreContract, ContinuesAfterARefusedPart) {
    const User first = a_user().with_external_id("crm-7"),
               second = a_user().with_external_id("crm-7");
    const auto add = [&](const User& user) {
        return in_transaction(
            store(), [&](Transaction& tx) -> Result<void> { return tx.users().add(user); });
    };
    write([&](Transaction& tx) {
        EXPECT_TRUE(add(first).has_value());
        EXPECT_FALSE(add(second).has_value());
        EXPECT_TRUE(tx.users().find(first.id));
    });
    EXPECT_TRUE(read([&](Transaction& tx) { return tx.users().find(first.id); }));
}

/// Two threads lock, read, pause and change. No change may be lost.
TEST_P(StoreContract, LetsOnlyOneTransactionHaveALockedRow) {
    const User user = a_user();
    write([&](Transaction& tx) { EXPECT_TRUE(tx.users().add(user)); });
    constexpr int times = 50;
    at_once(2, [&](int) {
        for (int i = 0; i < times; ++i) {
            store().transact([&](Transaction& tx) {
                User changed = tx.users().lock(user.id).value();
                changed.version = base::next(changed.version);
                return tx.users().update(changed).has_value();
            });
        }
    });
    EXPECT_EQ(read([&](Transaction& tx) { return tx.users().find(user.id)->version; }),
              Version{1 + 2 * times});
}

TEST_P(StoreContract, RecordsFactsInOrderWithTheirExactText) {
    const Uuid user = an_id<UserId>().value;
    const RecordedEvent created = a_fact_of(user, 1);
    const RecordedEvent updated = a_fact_of(user, 2);
    write([&](Transaction& tx) { tx.record(created); });
    write([&](Transaction& tx) { tx.record(updated); });

    const auto all = recorded();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_TRUE(same(all[0], created));
    EXPECT_TRUE(same(all[1], updated));
    EXPECT_EQ(all[1].data, updated.data);
}

TEST_P(StoreContract, ErasesThePayloadsOfOneStreamAndKeepsItsHeaders) {
    const Uuid gone = an_id<UserId>().value;
    const Uuid other = an_id<UserId>().value;
    write([&](Transaction& tx) {
        tx.record(a_fact_of(gone, 1));
        tx.record(a_fact_of(other, 1));
        tx.record(a_fact_of(gone, 2));
    });
    write([&](Transaction& tx) { tx.streams().close({"User", base::to_string(gone)}); });

    const auto all = recorded();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].data, "");
    EXPECT_EQ(all[0].event_type, "UserCreated");
    EXPECT_NE(all[1].data, "");
    EXPECT_EQ(all[2].data, "");
    EXPECT_EQ(all[2].version, Version{2});
}

}  // namespace
}  // namespace sundial
