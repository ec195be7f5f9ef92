#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <optional>
#include <thread>

#include "adapters/postgres/open.hpp"
#include "application/streams/append_to_stream.hpp"
#include "patient.hpp"
#include "postgres_storage.hpp"
#include "support/builders.hpp"
#include "support/child_process.hpp"
#include "support/fake_digest.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

/// The feed while transactions end in another order than they got their positions.
namespace sundial::postgres {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// A transaction that a test drives step by step and then commits or rolls back.
class OpenTransaction {
public:
    using Step = std::function<void(Transaction&)>;

    explicit OpenTransaction(Store& store) : thread_{[this, &store] { run(store); }} {}
    ~OpenTransaction() {
        if (thread_.joinable()) end(false);
    }
    OpenTransaction(const OpenTransaction&) = delete;
    OpenTransaction& operator=(const OpenTransaction&) = delete;

    /// Returns when the step is done.
    void then(Step step) {
        hand_over(std::move(step));
        done_.get_future().wait();
        done_ = {};
    }
    void commit() { end(true); }
    void roll_back() { end(false); }

private:
    void run(Store& store) {
        store.transact([this](Transaction& tx) {
            for (;;) {
                const Step step = next_.get_future().get();
                next_ = {};
                taken_.set_value();
                if (!step) return keep_;
                step(tx);
                done_.set_value();
            }
        });
    }
    void hand_over(Step step) {
        auto taken = taken_.get_future();
        next_.set_value(std::move(step));
        taken.wait();
        taken_ = {};
    }
    void end(bool keep) {
        keep_ = keep;
        hand_over({});
        thread_.join();
    }

    std::promise<Step> next_;
    std::promise<void> taken_, done_;
    bool keep_ = false;
    std::thread thread_;  // last member: it uses the others
};

class PostgresFeedTest : public testing::Test {
protected:
    /// Skips the events of other tests.
    PostgresFeedTest() {
        append_and_commit("first");
        EXPECT_THAT(poll(), SizeIs(1));
    }

    Store& store() { return storage_.store(); }
    /// Appends one event; returns its position.
    std::uint64_t append(Transaction& tx, const std::string& stream) {
        const auto appended = append_.run(tx, {.stream = {"Order", stream},
                                               .events = {{.event_id = uuid_of(next_number()),
                                                           .event_type = "OrderPlaced",
                                                           .data = "1"}}});
        return appended.value().first_position;
    }
    std::uint64_t append(OpenTransaction& transaction, const std::string& stream) {
        std::uint64_t position = 0;
        transaction.then([&](Transaction& tx) { position = append(tx, stream); });
        return position;
    }
    std::uint64_t append_and_commit(const std::string& stream) {
        std::uint64_t position = 0;
        store().transact([&](Transaction& tx) {
            position = append(tx, stream);
            return true;
        });
        return position;
    }
    /// Positions that are new since the last poll.
    std::vector<std::uint64_t> poll() {
        const FeedPage page = storage_.feed().read_all(after_, {}, 100);
        after_ = page.next_position;
        std::vector<std::uint64_t> positions;
        for (const auto& entry : page.entries) positions.push_back(entry.event.position);
        return positions;
    }

    PostgresStorage storage_{16};
    FakeDigest digest_;
    AppendToStream append_{store(), digest_};
    std::uint64_t after_ = 0;
};

TEST_F(PostgresFeedTest, ES33_NothingIsShownPastAPositionThatIsHeld) {
    for (const bool commits : {true, false}) {
        OpenTransaction a{store()};
        const std::uint64_t held = append(a, "a");
        const std::uint64_t above = append_and_commit("b");
        ASSERT_EQ(above, held + 1);
        EXPECT_THAT(poll(), IsEmpty());
        EXPECT_THAT(poll(), IsEmpty());
        if (commits) {
            a.commit();
            EXPECT_THAT(poll(), ElementsAre(held, above));
        } else {
            a.roll_back();
            EXPECT_THAT(poll(), ElementsAre(above));
        }
    }
}

TEST_F(PostgresFeedTest, ES34_TheUnbrokenRunIsShownWhateverLiesAboveIt) {
    OpenTransaction a{store()}, b{store()};
    const std::uint64_t first = append(a, "a");
    const std::uint64_t second = append(b, "b");
    const std::uint64_t third = append(a, "c");
    ASSERT_EQ(third, first + 2);
    a.commit();
    EXPECT_THAT(poll(), ElementsAre(first));
    EXPECT_THAT(poll(), IsEmpty());
    b.commit();
    EXPECT_THAT(poll(), ElementsAre(second, third));
}

TEST_F(PostgresFeedTest, ES35_AnOlderTransactionThatComesLaterToAStreamIsShownLater) {
    OpenTransaction older{store()};
    const std::uint64_t first = append(older, "x");
    const std::uint64_t second = append_and_commit("s");
    const std::uint64_t third = append(older, "s");
    EXPECT_THAT(poll(), IsEmpty());
    older.commit();
    EXPECT_THAT(poll(), ElementsAre(first, second, third));
    const auto events =
        in_read(store(), [](Transaction& tx) { return tx.streams().read({"Order", "s"}, {}); });
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].position, second);
    EXPECT_EQ(events[1].position, third);
}

TEST_F(PostgresFeedTest, ES36_ALongTransactionWithoutAppendsHoldsNothingUp) {
    RecordedLog log;
    const auto elsewhere = PostgresDatabase::open(patient(migrated_database()), log);
    AppendToStream append_elsewhere{elsewhere->store(), digest_};
    OpenTransaction here{store()}, there{elsewhere->store()};
    here.then([](Transaction& tx) {
        Checkpoint checkpoint = tx.checkpoints().lock("long");
        checkpoint.version = base::next(checkpoint.version);
        tx.checkpoints().put("long", checkpoint);
    });
    there.then([&](Transaction& tx) {
        EXPECT_TRUE(append_elsewhere.run(tx, {.stream = {"Order", "a"},
                                              .events = {{.event_id = uuid_of(next_number()),
                                                          .event_type = "OrderPlaced",
                                                          .data = "1"}}}));
    });
    OpenTransaction rolled_back{store()};
    static_cast<void>(append(rolled_back, "a"));
    rolled_back.roll_back();  // leaves a gap, so that the appenders matter
    const std::uint64_t shown = append_and_commit("b");
    EXPECT_THAT(poll(), ElementsAre(shown));
}

TEST(KilledAppend, ES14_LeavesNothingBehindAndNoVersionOut) {
    const std::string url = migrated_database();
    const FakeDigest digest;
    const auto facts = [](std::size_t count) {
        Append append{.stream = {"Order", "1"}, .events = {}};
        for (std::size_t i = 0; i < count; ++i) {
            append.events.push_back(
                {.event_id = uuid_of(next_number()), .event_type = "OrderPlaced", .data = "1"});
        }
        return append;
    };
    const Append first = facts(2), lost = facts(3), last = facts(1);
    ChildProcess child{[&] {
        RecordedLog log;
        const auto database = PostgresDatabase::open({.url = url}, log);
        AppendToStream append{database->store(), digest};
        if (!append.run(first)) return;
        database->store().transact([&](Transaction& tx) {
            if (append.run(tx, lost)) std::raise(SIGKILL);
            return true;
        });
    }};
    child.wait();

    RecordedLog log;
    const auto database = PostgresDatabase::open({.url = url}, log);
    AppendToStream append{database->store(), digest};
    const auto next = append.run(last);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->first_version, 3U);
    EXPECT_FALSE(append.run(lost)->replayed);  // nothing of it was stored
    std::size_t shown = 0;                     // unused positions do not stop it
    for (std::uint64_t after = 0; shown < 6;) {
        const auto page = database->feed().read_all(after, {}, 10);
        ASSERT_GT(page.next_position, after);
        shown += page.entries.size();
        after = page.next_position;
    }
    EXPECT_EQ(shown, 6U);
}

/// A promoted standby may lack the last commits and assign their positions again.
TEST_F(PostgresFeedTest, PositionsAreSettledAgainOnAnotherServer) {
    PostgresCluster cluster;
    const std::string url = cluster.create_database();
    RecordedLog log;
    const auto database = PostgresDatabase::open(patient(url), log);
    AppendToStream append_there{database->store(), digest_};
    const auto append_one = [&](Transaction& tx, const std::string& stream) {
        EXPECT_TRUE(append_there.run(tx, {.stream = {"Order", stream},
                                          .events = {{.event_id = uuid_of(next_number()),
                                                      .event_type = "OrderPlaced",
                                                      .data = "1"}}}));
    };
    const auto shown = [&](std::uint64_t after) {
        std::vector<std::uint64_t> positions;
        for (const auto& entry : database->feed().read_all(after, {}, 100).entries) {
            positions.push_back(entry.event.position);
        }
        return positions;
    };
    // Assigns five positions. The last is visible, so all are settled.
    database->store().transact([&](Transaction& tx) {
        for (int i = 0; i < 4; ++i) append_one(tx, "gone");
        return false;
    });
    database->store().transact([&](Transaction& tx) {
        append_one(tx, "kept");
        return true;
    });
    const auto before = shown(0);
    ASSERT_EQ(before.size(), 1U);
    const std::uint64_t last = before.front();
    // As on a server that never had them: it assigns the same positions to other events.
    query(url,
          "DELETE FROM sundial.recorded_events; DELETE FROM sundial.streams;"
          "SELECT setval(pg_get_serial_sequence('sundial.recorded_events', 'position'), 1, false)");
    cluster.kill_and_restart();
    static_cast<void>(shown(last));  // detects the other server
    OpenTransaction slow{database->store()};
    slow.then([&](Transaction& tx) { append_one(tx, "slow"); });
    database->store().transact([&](Transaction& tx) {
        append_one(tx, "fast");
        return true;
    });
    EXPECT_THAT(shown(0), IsEmpty());
    slow.commit();
    EXPECT_THAT(shown(0), ElementsAre(1, 2));
}

}  // namespace
}  // namespace sundial::postgres
