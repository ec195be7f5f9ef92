#include <gmock/gmock.h>

#include <latch>

#include "contract/control_plane_contract.hpp"

namespace sundial {
namespace {

using testing::Eq;
using testing::Optional;

IdempotencyScope scope_of(std::string key, std::string principal = "key:a",
                          std::string tenant = "") {
    return {std::move(tenant), std::move(principal), std::move(key)};
}

IdempotencyRecord a_record(IdempotencyScope scope, Instant expires_at = noon + 24h) {
    return {.scope = std::move(scope),
            .fingerprint = std::string(32, '\0'),
            .answer = std::string("201\n\n{\"id\":\"\0\xff\"}", 16),
            .expires_at = expires_at};
}

TEST_P(IdempotencyRepositoryContract, KeepsAnAnswerByteByByte) {
    const IdempotencyRecord record = a_record(scope_of("k"));
    write([&](Transaction& tx) { tx.idempotency().put(record); });
    EXPECT_THAT(read([&](Transaction& tx) { return tx.idempotency().lock(record.scope); }),
                Optional(record));
}

TEST_P(IdempotencyRepositoryContract, KeepsTheProgressOfARequestWithoutAnAnswer) {
    const IdempotencyRecord record{.scope = scope_of("k"),
                                   .fingerprint = std::string(32, 'f'),
                                   .sealed = true,
                                   .steps_done = 2,
                                   .progress = std::string("\0half", 5),
                                   .attempt = 3,
                                   .leased_until = noon + 1min,
                                   .expires_at = noon + 24h};
    write([&](Transaction& tx) { tx.idempotency().put(record); });
    EXPECT_THAT(read([&](Transaction& tx) { return tx.idempotency().lock(record.scope); }),
                Optional(record));
}

TEST_P(IdempotencyRepositoryContract, ReplacesAnExistingRecord) {
    IdempotencyRecord record = a_record(scope_of("k"));
    write([&](Transaction& tx) { tx.idempotency().put(record); });
    record.answer = "204\n\n";
    record.fingerprint = std::string(32, 'x');
    write([&](Transaction& tx) { tx.idempotency().put(record); });
    EXPECT_THAT(read([&](Transaction& tx) { return tx.idempotency().lock(record.scope); }),
                Optional(record));
}

TEST_P(IdempotencyRepositoryContract, KnowsEachScopeByItself) {
    const IdempotencyScope one = scope_of("k");
    write([&](Transaction& tx) { tx.idempotency().put(a_record(one)); });
    for (const auto& other : {scope_of("K"), scope_of("k", "key:b"), scope_of("k", "key:a", "t")}) {
        EXPECT_FALSE(read([&](Transaction& tx) { return tx.idempotency().lock(other); }));
    }
}

TEST_P(IdempotencyRepositoryContract, FindsNothingFromTheInstantOfItsExpiryOn) {
    const IdempotencyScope scope = scope_of("k");
    const auto found = [&] {
        return read([&](Transaction& tx) { return tx.idempotency().lock(scope).has_value(); });
    };
    write([&](Transaction& tx) { tx.idempotency().put(a_record(scope)); });
    advance(24h - 1us);
    EXPECT_TRUE(found());
    advance(1us);
    EXPECT_FALSE(found());
}

TEST_P(IdempotencyRepositoryContract, Removes) {
    const IdempotencyScope scope = scope_of("k"), other = scope_of("other");
    write([&](Transaction& tx) {
        tx.idempotency().put(a_record(scope));
        tx.idempotency().put(a_record(other));
    });
    write([&](Transaction& tx) { tx.idempotency().remove(scope); });
    write([&](Transaction& tx) { tx.idempotency().remove(scope); });  // may be absent
    EXPECT_FALSE(read([&](Transaction& tx) { return tx.idempotency().lock(scope); }));
    EXPECT_TRUE(read([&](Transaction& tx) { return tx.idempotency().lock(other); }));
}

TEST_P(IdempotencyRepositoryContract, RemovesExpiredRecordsOldestFirstUpToALimit) {
    write([&](Transaction& tx) {
        for (int i = 0; i < 5; ++i) {
            tx.idempotency().put(a_record(scope_of("old-" + std::to_string(i)), noon + i * 1min));
        }
        tx.idempotency().put(a_record(scope_of("young"), noon + 4min + 1us));
    });
    advance(4min);
    const auto sweep = [&] {
        return write([](Transaction& tx) { return tx.idempotency().remove_expired(3); });
    };
    EXPECT_EQ(sweep(), 3U);
    EXPECT_EQ(sweep(), 2U);
    EXPECT_EQ(sweep(), 0U);
    EXPECT_TRUE(read([](Transaction& tx) { return tx.idempotency().lock(scope_of("young")); }));
}

TEST_P(IdempotencyRepositoryContract, LocksAScopeAgainAndAgainForTheSameTransaction) {
    write([](Transaction& tx) {
        EXPECT_TRUE(tx.idempotency().try_lock(scope_of("k")));
        EXPECT_TRUE(tx.idempotency().try_lock(scope_of("k")));
        EXPECT_TRUE(tx.idempotency().try_lock(scope_of("other")));
    });
}

/// Only one transaction has a scope at a time, and it sees the writes of the one before, by any
/// mechanism of the store.
TEST_P(IdempotencyRepositoryContract, LetsOneTransactionHaveAScopeAtATime) {
    const IdempotencyScope scope = scope_of("k");
    constexpr std::uint32_t rounds = 20;
    constexpr int threads = 4;
    std::latch begin{threads};
    at_once(threads, [&](int) {
        begin.arrive_and_wait();
        for (std::uint32_t done = 0; done < rounds;) {
            bool locked = false;
            store().transact([&](Transaction& tx) {
                locked = tx.idempotency().try_lock(scope);
                if (!locked) return false;
                IdempotencyRecord record = tx.idempotency().lock(scope).value_or(a_record(scope));
                ++record.steps_done;
                tx.idempotency().put(record);
                return true;
            });
            if (locked) ++done;
        }
    });
    EXPECT_THAT(read([&](Transaction& tx) { return tx.idempotency().lock(scope)->steps_done; }),
                Eq(rounds * threads));
}

}  // namespace
}  // namespace sundial
