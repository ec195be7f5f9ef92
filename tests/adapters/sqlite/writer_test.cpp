#include "adapters/sqlite/writer.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>

#include "adapters/sqlite/database_file.hpp"
#include "adapters/sqlite/open.hpp"
#include "adapters/sqlite/time.hpp"
#include "application/ports/failures.hpp"
#include "files.hpp"
#include "support/builders.hpp"
#include "support/recorded_log.hpp"

namespace sundial::sqlite {
namespace {

constexpr Statement add_note{"INSERT INTO notes VALUES (?1)"};

class WriterTest : public testing::Test {
protected:
    WriterTest() {
        migrate({.file = folder_.file(), .real_time = [] { return noon; }}, log_);
        ask(folder_.file(), "CREATE TABLE notes (text TEXT NOT NULL)");
        auto connection = std::make_unique<Connection>(folder_.file(), Connection::Role::writer);
        sqlite3_commit_hook(
            connection->handle(),
            [](void* test) { return static_cast<WriterTest*>(test)->committing(); }, this);
        writer_ = std::make_unique<Writer>(std::move(connection), time_, health_, log_);
    }

    static Writer::Work note(std::string text) {
        return [text = std::move(text)](Session& session) {
            session.connection.execute(add_note, text);
            return true;
        };
    }
    std::vector<std::string> notes() {
        std::vector<std::string> texts;
        for (const auto& row : ask(folder_.file(), "SELECT text FROM notes ORDER BY text")) {
            texts.push_back(row[0]);
        }
        return texts;
    }
    /// Runs all calls while the writer is busy, so that one commit includes them.
    template <class... Calls>
    void together(Calls... calls) {
        std::latch is_busy{1};
        std::latch queued{sizeof...(calls)};
        std::thread busy{[&] {
            writer_->run([&](Session&) {
                is_busy.count_down();
                queued.wait();
                return false;
            });
        }};
        is_busy.wait();
        std::vector<std::thread> threads;
        const auto start = [&](auto call) {
            threads.emplace_back([&queued, call] {
                queued.count_down();
                call();
            });
        };
        (start(calls), ...);
        busy.join();
        for (auto& thread : threads) thread.join();
    }
    int committing() {
        ++commits_;
        while (in_calls_ < callers_) std::this_thread::yield();
        return refuse_commits_ ? 1 : 0;
    }

    TemporaryFolder folder_;
    RecordedLog log_;
    Health health_{log_, [](const std::string& why) { ADD_FAILURE() << why; }};
    Time time_{Time::Mode::test, noon, {}, log_};
    std::atomic<int> commits_{0};
    std::atomic<int> callers_{0}, in_calls_{0};  // a commit ends once all callers are in a call
    std::atomic<bool> refuse_commits_{false};
    std::unique_ptr<Writer> writer_;
};

TEST_F(WriterTest, CommitsManyWritesTogether) {
    constexpr int threads = 32;
    constexpr int each = 25;
    callers_ = threads;
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) {
        running.emplace_back([&] {
            for (int n = 0; n < each; ++n) {
                ++in_calls_;
                writer_->run(note("x"));
                --in_calls_;
            }
            --callers_;
        });
    }
    for (auto& thread : running) thread.join();
    EXPECT_EQ(notes().size(), threads * each);
    EXPECT_LT(commits_, threads * each / 2);
}

TEST_F(WriterTest, AnswersOnlyAfterTheCommit) {
    writer_->run(note("a"));
    EXPECT_EQ(notes(), std::vector<std::string>{"a"});
}

TEST_F(WriterTest, CommitsAPatientWriteWithAnother) {
    std::atomic<bool> done{false};
    std::thread patient{[&] {
        writer_->run(note("patient"), {.at_least = 0ms, .at_most = 1h});
        done = true;
    }};
    int others = 0;
    for (; !done; ++others) writer_->run(note("other"));
    patient.join();
    EXPECT_EQ(notes().back(), "patient");
    EXPECT_EQ(commits_, others);  // none is its own
}

TEST_F(WriterTest, CommitsAPatientWriteAloneInTheEnd) {
    writer_->run(note("a"), {.at_least = 0ms, .at_most = 1ms});
    EXPECT_EQ(notes(), std::vector<std::string>{"a"});
}

TEST_F(WriterTest, RollsBackOnlyAWriteThatReturnsFalse) {
    const auto undone = [](Session& session) {
        session.connection.execute(add_note, std::string{"undone"});
        return false;
    };
    together([&] { writer_->run(note("a")); }, [&] { writer_->run(undone); },
             [&] { writer_->run(note("b")); });
    EXPECT_EQ(notes(), (std::vector<std::string>{"a", "b"}));
    writer_->run(undone);
    EXPECT_EQ(notes(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(WriterTest, RollsBackOnlyAWriteThatThrows) {
    const auto throws = [&] {
        EXPECT_THROW(writer_->run([](Session& session) -> bool {
            session.connection.execute(add_note, std::string{"undone"});
            throw std::domain_error{"mine"};
        }),
                     std::domain_error);
    };
    together([&] { writer_->run(note("a")); }, throws, [&] { writer_->run(note("b")); });
    EXPECT_EQ(notes(), (std::vector<std::string>{"a", "b"}));
    throws();
    EXPECT_EQ(notes(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(WriterTest, ReportsAFailedCommitToAllWriters) {
    refuse_commits_ = true;
    const auto fails = [&] { EXPECT_THROW(writer_->run(note("a")), std::exception); };
    together(fails, fails, fails);
    EXPECT_TRUE(notes().empty());
    refuse_commits_ = false;
    writer_->run(note("b"));
    EXPECT_EQ(notes(), std::vector<std::string>{"b"});
}

TEST_F(WriterTest, RefusesWritesWhileTheDiskIsFullAndStaysAlive) {
    const auto allow_pages = [&](const std::string& pages) {
        writer_->run([&](Session& session) {
            session.connection.run("PRAGMA max_page_count = " + pages);
            return false;
        });
    };
    allow_pages("1");  // no more than there are
    EXPECT_THROW(writer_->run(note(std::string(1'000'000, 'x'))), Unavailable);
    EXPECT_TRUE(notes().empty());
    EXPECT_TRUE(health_.is_full());
    allow_pages("1000000");
    writer_->run(note("room again"));
    EXPECT_EQ(notes(), std::vector<std::string>{"room again"});
    EXPECT_FALSE(health_.is_full());
}

TEST_F(WriterTest, UndoesTheWholeIfAFullDiskEndedItInAPart) {
    writer_->run([](Session& session) {
        session.connection.run("PRAGMA max_page_count = 1");
        return false;
    });
    const auto goes_on = [&](Session& session) {
        EXPECT_THROW(writer_->run(note(std::string(1'000'000, 'x'))), Unavailable);
        session.connection.execute(add_note, std::string{"small enough"});
        return true;
    };
    EXPECT_THROW(writer_->run(goes_on), Unavailable);
    EXPECT_TRUE(notes().empty());
}

/// Callers do not write while the disk is reported full.
TEST_F(WriterTest, ResumesOnceTheDiskHasSpace) {
    health_.full(true);
    writer_->run([](Session&) { return false; });  // wakes the writer
    while (health_.is_full()) std::this_thread::yield();
    EXPECT_TRUE(notes().empty());
}

TEST_F(WriterTest, StoresTheTimeWithWhatItWrites) {
    time_.move(noon + 5s);
    writer_->run(note("a"));
    EXPECT_EQ(answer_to(folder_.file(), "SELECT value FROM settings WHERE name = 'time'"),
              std::to_string((noon + 5s).time_since_epoch().count()));
}

TEST_F(WriterTest, MarksACleanShutdown) {
    const auto clean = [&] {
        return answer_to(folder_.file(), "SELECT value FROM settings WHERE name = 'clean_stop'");
    };
    ask(folder_.file(), "UPDATE settings SET value = 0 WHERE name = 'clean_stop'");
    EXPECT_EQ(clean(), "0");
    writer_.reset();
    EXPECT_FALSE(std::filesystem::exists(folder_.file().string() + "-wal"));  // all is in the file
    EXPECT_EQ(clean(), "1");
}

}  // namespace
}  // namespace sundial::sqlite
