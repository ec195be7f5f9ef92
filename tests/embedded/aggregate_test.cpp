#include "sundial/aggregate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "support/manual_timing.hpp"
#include "support/migrated_database.hpp"
#include "support/temporary_folder.hpp"

/// Tests aggregates as an embedding program uses them: through the public headers alone.
namespace {

using namespace std::chrono_literals;
using sundial::Error;
using sundial::Execution;
using sundial::Expected;
using sundial::Loaded;
using sundial::NewRecordedEvent;
using sundial::RecordedEvent;
using sundial::Resolution;
using sundial::Result;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

struct Deposited {
    int amount;
};
struct Closed {};

/// A sum of money. In its first two schema versions a deposit had cents, then a currency.
struct Account {
    using Event = std::variant<Deposited, Closed>;
    static constexpr const char* type = "Account";
    static constexpr std::uint32_t state_version = 2;

    static NewRecordedEvent record(const Event& event) {
        if (const auto* deposited = std::get_if<Deposited>(&event)) {
            return {.type = "Deposited",
                    .data = std::to_string(deposited->amount),
                    .schema_version = 3};
        }
        return {.type = "Closed"};
    }
    static std::optional<Event> recall(const RecordedEvent& event) {
        if (event.type == "Deposited" && event.schema_version == 3) {
            return Deposited{std::stoi(event.data)};
        }
        if (event.type == "Closed") return Closed{};
        return std::nullopt;
    }
    void apply(const Event& event) {
        if (const auto* deposited = std::get_if<Deposited>(&event)) sum += deposited->amount;
        if (std::holds_alternative<Closed>(event)) closed = true;
    }
    [[nodiscard]] std::string save() const { return std::to_string(sum); }
    static std::optional<Account> restore(const std::string& json) {
        if (json.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
        Account account;
        account.sum = std::stoi(json);
        return account;
    }

    int sum = 0;
    bool closed = false;
};
using Accounts = sundial::AggregateRepository<Account>;
using Decision = Result<std::vector<Account::Event>>;

Decision deposit_one(const Account& account) {
    if (account.closed) return Error{"CLOSED", "no more"};
    return std::vector<Account::Event>{Deposited{1}};
}

class Aggregates : public testing::TestWithParam<std::string> {
protected:
    Aggregates() {
        auto opened = sundial::Engine::open({.storage = storage()});
        if (!opened) throw std::runtime_error(opened.error().detail);
        engine_.emplace(*std::move(opened));
        streams_.emplace(engine_->streams());
    }
    ~Aggregates() override {
        streams_.reset();
        engine_.reset();
    }

    Accounts accounts(Accounts::Settings settings = {}) {
        settings.timing = &timing_;
        return Accounts{*streams_, std::move(settings)};
    }
    /// Another writer deposits that amount.
    void deposit(const std::string& id, int amount) {
        const auto done = streams_->append({"Account", id}, Expected::any(),
                                           {Account::record(Deposited{amount})});
        ASSERT_TRUE(done) << done.error().detail;
    }
    /// The account's sum computed from its events alone.
    int sum_of(const std::string& id) {
        int sum = 0;
        const auto part = streams_->read({"Account", id});
        EXPECT_TRUE(part);
        for (const RecordedEvent& event : part->events) sum += std::stoi(event.data);
        return sum;
    }
    /// Deposits one; another writer appends first, before each of the first `times` saves.
    auto overtaken(int times) {
        return [this, times](const Account& account) mutable -> Decision {
            ++calls_;
            seen_.push_back(account.sum);
            if (times-- > 0) deposit("a", 100);
            return deposit_one(account);
        };
    }
    static Execution tries(unsigned max, unsigned pessimistic_after = 0) {
        Execution how;
        how.retry.max_attempts = max;
        how.pessimistic_after = pessimistic_after;
        return how;
    }

    std::optional<sundial::Streams> streams_;
    sundial::ManualTiming timing_;
    int calls_ = 0;
    std::vector<int> seen_;

private:
    std::string storage() {
        if (GetParam() == "sqlite") return "sqlite:" + folder_.file().string();
        if (GetParam() == "postgres") return sundial::migrated_database();
        return "memory:";
    }

    sundial::TemporaryFolder folder_;
    std::optional<sundial::Engine> engine_;
};
TEST_P(Aggregates, AreLoadedAsTheyWereAtAVersion) {
    auto repository = accounts();
    for (int i = 1; i <= 600; ++i) deposit("a", i);
    for (const std::uint64_t version : {1U, 3U, 500U, 501U, 600U}) {
        const auto then = repository.load_at("a", version);
        ASSERT_TRUE(then) << then.error().detail;
        EXPECT_EQ(then->version, version);
        EXPECT_EQ(then->state.sum, static_cast<int>(version * (version + 1) / 2));
    }
    EXPECT_EQ(repository.load_at("a", 601).error().code, "AGGREGATE_NOT_FOUND");
    EXPECT_EQ(repository.load_at("a", 0).error().code, "AGGREGATE_NOT_FOUND");
    EXPECT_EQ(repository.load_at("b", 1).error().code, "AGGREGATE_NOT_FOUND");
}

INSTANTIATE_TEST_SUITE_P(Embedded, Aggregates, testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& kind) { return kind.param; });

TEST_P(Aggregates, AreRebuiltFromTheirEvents) {
    Accounts all = accounts();
    Loaded<Account> account{.id = "a"};
    account.raise(Deposited{7});
    account.raise(Deposited{8});
    ASSERT_TRUE(all.save(account));
    EXPECT_EQ(account.version, 2U);
    EXPECT_TRUE(account.uncommitted.empty());
    ASSERT_TRUE(all.save(account));  // nothing is left to save
    const auto again = all.load("a");
    ASSERT_TRUE(again) << again.error().detail;
    EXPECT_EQ(again->state.sum, 15);
    EXPECT_EQ(again->version, 2U);
}

TEST_P(Aggregates, ES45_KeepEventsThatCouldNotBeSaved) {
    Accounts all = accounts();
    EXPECT_EQ(all.load("a").error().code, "AGGREGATE_NOT_FOUND");
    deposit("a", 1);
    auto account = all.load("a");
    ASSERT_TRUE(account);
    account->raise(Deposited{5});
    deposit("a", 2);
    for (int i = 0; i < 2; ++i) {
        const auto saved = all.save(*account);
        ASSERT_FALSE(saved);
        EXPECT_EQ(saved.error().code, "OPTIMISTIC_LOCK");
        EXPECT_THAT(account->uncommitted, SizeIs(1));
        EXPECT_EQ(account->version, 2U);
    }
    EXPECT_EQ(sum_of("a"), 3);
}

TEST_P(Aggregates, ASaveWithALostResponseIsNotRepeated) {
    Accounts all = accounts();
    Loaded<Account> account{.id = "a"};
    account.raise(Deposited{5});
    Loaded<Account> unaware = account;
    ASSERT_TRUE(all.save(account));
    unaware.uncommitted[0].id = streams_->read({"Account", "a"})->events[0].id;
    EXPECT_TRUE(all.save(unaware));
    EXPECT_EQ(sum_of("a"), 5);
}

TEST_P(Aggregates, RT02_ARepeatedCommandGetsTheCurrentState) {
    const auto done = accounts().execute("a", overtaken(2), tries(3));
    ASSERT_TRUE(done) << done.error().detail;
    EXPECT_EQ(calls_, 3);
    EXPECT_THAT(seen_, ElementsAre(0, 100, 200));
    EXPECT_EQ(done->attempts, 3U);
    EXPECT_EQ(done->state.sum, 201);
    EXPECT_EQ(done->version, 3U);
    EXPECT_EQ(sum_of("a"), 201);
}

TEST_P(Aggregates, RT03_StopsAfterTheMaximumOfCalls) {
    const auto done = accounts().execute("a", overtaken(99), tries(5));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "OPTIMISTIC_LOCK");
    EXPECT_THAT(done.error().detail, HasSubstr("attempts: 5"));
    EXPECT_EQ(std::get<sundial::Conflict>(done.error().data).attempts, 5U);
    EXPECT_EQ(calls_, 5);
    EXPECT_EQ(sum_of("a"), 500);
}

TEST_P(Aggregates, RT04_PermanentErrorsAreNotRetried) {
    Accounts all = accounts();
    int calls = 0;
    const auto refused = all.execute("a", [&](const Account&) -> Decision {
        ++calls;
        return Error{"OPTIMISTIC_LOCK", "the command's own, whatever it is called"};
    });
    EXPECT_FALSE(refused);
    EXPECT_EQ(calls, 1);
    deposit("b", 1);
    ASSERT_TRUE(streams_->archive({"Account", "b"}));
    EXPECT_EQ(all.execute("b", deposit_one).error().code, "STREAM_ARCHIVED");
    ASSERT_TRUE(streams_->remove({"Account", "b"}));
    EXPECT_EQ(all.execute("b", deposit_one).error().code, "STREAM_DELETED");
    EXPECT_TRUE(timing_.sleeps.empty());
}

/// Seed 002: at most three attempts, and no caller is locked out while a command decides.
TEST_P(Aggregates, HoldNoLockByDefault) {
    const auto done = accounts().execute("a", overtaken(99));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "OPTIMISTIC_LOCK");
    EXPECT_EQ(calls_, 3);
    EXPECT_EQ(sum_of("a"), 300);
}

/// Requirement C2.
TEST_P(Aggregates, ReportTheConflictOfAnAppend) {
    const sundial::StreamId stream{"Account", "a"};
    deposit("a", 1);
    deposit("a", 2);
    const auto refused = streams_->append(stream, Expected::exactly(7), {{.type = "Closed"}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "OPTIMISTIC_LOCK");
    EXPECT_EQ(std::get<sundial::Conflict>(refused.error().data),
              (sundial::Conflict{
                  .stream_type = "Account", .stream_id = "a", .expected = 7, .actual = 2}));

    // The same batch under an expectation that it cannot have come of.
    const std::string id = streams_->read(stream)->events[0].id;
    NewRecordedEvent first = Account::record(Deposited{1});
    first.id = id;
    const auto duplicate = streams_->append(stream, Expected::exactly(2), {first});
    ASSERT_FALSE(duplicate);
    EXPECT_THAT(std::get<sundial::Conflict>(duplicate.error().data).duplicate_event_ids,
                ElementsAre(id));

    // Within a transaction, and for a command that fails at once.
    std::optional<Error> within;
    (void)streams_->transact([&](sundial::Transaction& tx) -> Result<sundial::Done> {
        within = tx.append(stream, Expected::no_stream(), {{.type = "Closed"}}).error();
        return *within;
    });
    EXPECT_EQ(std::get<sundial::Conflict>(within->data).actual, 2U);
    Execution how = tries(3);
    how.resolve = [](const auto&, const auto&) { return Resolution::fail; };
    const auto reported = accounts().execute("a", overtaken(1), how);
    ASSERT_FALSE(reported);
    const auto& conflict = std::get<sundial::Conflict>(reported.error().data);
    EXPECT_EQ(conflict.expected, 2);
    EXPECT_EQ(conflict.actual, 3U);

    const auto invalid = streams_->append(stream, Expected::any(), {});
    EXPECT_TRUE(std::holds_alternative<sundial::InvalidFields>(invalid.error().data));
}

TEST_P(Aggregates, UseTheLockAfterTooManyConflicts) {
    const auto done = accounts().execute("a", overtaken(3), tries(9, 3));
    ASSERT_TRUE(done) << done.error().detail;
    EXPECT_EQ(calls_, 4);
    EXPECT_EQ(done->attempts, 4U);
    EXPECT_THAT(timing_.sleeps, SizeIs(2));  // the third conflict is the last
    EXPECT_EQ(sum_of("a"), 301);
}

TEST_P(Aggregates, ACommandWithoutEventsSavesNothing) {
    const auto done = accounts().execute(
        "a", [](const Account&) -> Decision { return std::vector<Account::Event>{}; });
    ASSERT_TRUE(done);
    EXPECT_EQ(done->version, 0U);
    EXPECT_EQ(streams_->read({"Account", "a"})->version, 0U);
}

TEST_P(Aggregates, AResolverMayRebaseOrFail) {
    Execution how = tries(3);
    std::vector<std::size_t> theirs_seen;
    how.resolve = [&](const auto& mine, const auto& theirs) {
        EXPECT_EQ(mine.size(), 1U);
        theirs_seen.push_back(theirs.size());
        return Resolution::rebase;
    };
    const auto done = accounts().execute("a", overtaken(1), how);
    ASSERT_TRUE(done) << done.error().detail;
    EXPECT_EQ(calls_, 1);  // the command was not called again
    EXPECT_THAT(theirs_seen, ElementsAre(1));
    EXPECT_EQ(done->state.sum, 101);
    how.resolve = [](const auto&, const auto&) { return Resolution::fail; };
    const auto failed = accounts().execute("a", overtaken(1), how);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, "OPTIMISTIC_LOCK");
    EXPECT_EQ(calls_, 2);
}

TEST_P(Aggregates, TheResolverIsAskedBeforeTheLockToo) {
    Execution how = tries(9, 1);
    std::size_t asked = 0;
    Resolution answer = Resolution::fail;
    how.resolve = [&](const auto& mine, const auto& theirs) {
        ++asked;
        EXPECT_EQ(mine.size(), 1U);
        EXPECT_EQ(theirs.size(), 1U);
        return answer;
    };
    const auto failed = accounts().execute("a", overtaken(1), how);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, "OPTIMISTIC_LOCK");
    EXPECT_EQ(asked, 1U);
    EXPECT_EQ(calls_, 1);
    EXPECT_EQ(sum_of("a"), 100);

    answer = Resolution::rebase;
    const auto rebased = accounts().execute("a", overtaken(1), how);
    ASSERT_TRUE(rebased) << rebased.error().detail;
    EXPECT_EQ(calls_, 2);  // the earlier decision is saved
    EXPECT_EQ(rebased->attempts, 2U);
    EXPECT_EQ(rebased->state.sum, 201);
    EXPECT_EQ(sum_of("a"), 201);

    answer = Resolution::retry;
    const auto second_run = accounts().execute("a", overtaken(1), how);
    ASSERT_TRUE(second_run) << second_run.error().detail;
    EXPECT_EQ(calls_, 4);
    EXPECT_EQ(sum_of("a"), 302);
}

TEST_P(Aggregates, ES41_ASnapshotDoesNotChangeTheResult) {
    Accounts::Settings settings;
    settings.snapshot_every = 3;
    Accounts all = accounts(settings);
    for (int i = 0; i < 7; ++i) ASSERT_TRUE(all.execute("a", deposit_one));
    const auto kept = streams_->snapshot({"Account", "a"});
    ASSERT_TRUE(kept && *kept);
    EXPECT_EQ((*kept)->version, 6U);
    EXPECT_EQ(all.load("a")->state.sum, 7);
    EXPECT_EQ(all.snapshots_ignored(), 0U);

    // A snapshot of another state version, or one that cannot be restored.
    ASSERT_TRUE(streams_->save_snapshot({"Account", "a"}, {7, 1, "99"}));
    EXPECT_EQ(all.load("a")->state.sum, 7);
    EXPECT_EQ(all.snapshots_ignored(), 1U);
    ASSERT_TRUE(all.execute("a", deposit_one));
    ASSERT_TRUE(streams_->save_snapshot({"Account", "a"}, {8, Account::state_version, R"("x")"}));
    EXPECT_EQ(all.load("a")->state.sum, 8);
    EXPECT_GE(all.snapshots_ignored(), 2U);
}

TEST_P(Aggregates, ES43_LoadATruncatedStreamFromItsSnapshot) {
    Accounts all = accounts();
    for (int i = 0; i < 4; ++i) deposit("a", 1);
    ASSERT_TRUE(streams_->save_snapshot({"Account", "a"}, {3, Account::state_version, "3"}));
    ASSERT_TRUE(streams_->truncate({"Account", "a"}, 4));
    EXPECT_EQ(all.load("a")->state.sum, 4);
    ASSERT_TRUE(streams_->save_snapshot({"Account", "a"}, {4, 9, "4"}));
    EXPECT_EQ(all.load("a").error().code, "INTERNAL_ERROR");  // the state can no longer be computed
}

TEST_P(Aggregates, ES46_UpcastOldEvents) {
    Accounts::Settings settings;
    settings.upcasters
        .add("Deposited", 1, [](const std::string& cents) { return cents + R"("EUR")"; })
        .add("Deposited", 2,
             [](const std::string& money) { return money.substr(0, money.find('"')); });
    Accounts all = accounts(settings);
    const NewRecordedEvent first{.type = "Deposited", .data = "250", .schema_version = 1};
    ASSERT_TRUE(streams_->append({"Account", "a"}, Expected::no_stream(), {first}));
    deposit("a", 1);
    EXPECT_EQ(all.load("a")->state.sum, 251);
    const auto kept = streams_->read({"Account", "a"});
    EXPECT_EQ(kept->events[0].data, "250");
    EXPECT_EQ(kept->events[0].schema_version, 1U);

    ASSERT_TRUE(streams_->append({"Account", "a"}, Expected::any(), {{.type = "Renamed"}}));
    const auto unknown = all.load("a");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, "UNKNOWN_EVENT_TYPE");
    EXPECT_EQ(streams_->feed(0, {.stream_types = {"Account"}})->events.back().type, "Renamed");
}

/// 64 concurrent writers of one aggregate; counts their calls.
class Contended : public Aggregates {
protected:
    static constexpr int contenders = 64;
    int calls_of_all(unsigned pessimistic_after) {
        std::atomic<int> calls = 0, done = 0;
        runs_ = 0;
        std::latch decided{contenders};  // the first time all decide on the same state
        std::vector<std::thread> threads;
        for (int i = 0; i < contenders; ++i) {
            threads.emplace_back([&] {
                Accounts own{*streams_};
                bool first = true;
                Execution how = tries(1000, pessimistic_after);
                how.retry.cap = 20ms;
                const auto run = [&] {
                    ++runs_;
                    return own.execute(
                        "a",
                        [&](const Account& account) {
                            ++calls;
                            if (std::exchange(first, false)) decided.arrive_and_wait();
                            return deposit_one(account);
                        },
                        how);
                };
                // Again if a busy machine takes longer than the storage waits for a connection.
                auto executed = run();
                while (!executed && executed.error().code == "STORAGE_UNAVAILABLE") {
                    executed = run();
                }
                EXPECT_TRUE(executed) << executed.error().detail;
                if (executed) ++done;
            });
        }
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(done, contenders);
        EXPECT_EQ(sum_of("a"), contenders);
        return calls;
    }

    std::atomic<int> runs_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Embedded, Contended, testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& kind) { return kind.param; });

TEST_P(Contended, RT11_AllFinishAndNoneStarves) {
    const int calls = calls_of_all(3);
    EXPECT_LT(calls, 4 * runs_);
    std::cout << GetParam() << ": " << calls << " calls by " << contenders
              << " with the lock after 3 conflicts\n";
}

TEST_P(Contended, FinishWithoutTheLockToo) {
    std::cout << GetParam() << ": " << calls_of_all(0) << " calls by " << contenders
              << " without the lock\n";
}

}  // namespace
