// How much an event adds to the write-ahead log. A commit logs each page that it changes as a
// whole, so the test counts pages, which no other load on the machine changes.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/database_file.hpp"
#include "adapters/sqlite/open.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/time.hpp"
#include "adapters/sqlite/writer.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/store.hpp"
#include "files.hpp"
#include "support/builders.hpp"
#include "support/recorded_log.hpp"

namespace sundial::sqlite {
namespace {

constexpr std::uint32_t counted_events = 100;
constexpr auto apart = 10ms;  // 100 events/s
constexpr int frame_header = 24;

class LogSizeTest : public testing::Test {
protected:
    /// With 2,000 finished and 2,000 future events, and those to count, one due each 10 ms.
    LogSizeTest() {
        migrate({.file = folder_.file(), .real_time = [] { return noon; }}, log_);
        writer_ = std::make_unique<Writer>(
            std::make_unique<Connection>(folder_.file(), Connection::Role::writer), time_, health_,
            log_);
        readers_ = std::make_unique<Readers>(folder_.file(), 1, time_, health_);
        store_ = make_store(*writer_, *readers_);
        queue_ = make_event_queue(*writer_, *readers_);
        add(2'000, [](std::uint32_t) { return noon; });
        settle(claim(2'000));
        add(2'000, [](std::uint32_t i) { return noon + 24h + i * 1ms; });
        // Not in the order of their ids, like most events.
        add(counted_events,
            [](std::uint32_t i) { return noon + 1s + (i * 37 % counted_events) * apart; });
    }

    template <class Due>
    void add(std::uint32_t count, Due due) {
        std::vector<Event> events;
        for (std::uint32_t i = 0; i < count; ++i)
            events.push_back(an_event().to_endpoint(endpoint_).due(due(i)));
        store_->transact([&](Transaction& tx) { return tx.events().add_new(events) == count; });
    }
    std::vector<Settlement> claim(std::uint32_t count) {
        std::vector<Settlement> accepted;
        for (const ClaimedEvent& one :
             queue_
                 ->claim_ready(
                     {.by = instance_a, .shares = {count, count, count, count}, .lease = 30s})
                 .events) {
            accepted.push_back({.id = one.event.id,
                                .held = one.event.version,
                                .number = one.event.attempt,
                                .by = instance_a,
                                .result = Accepted{},
                                .started_at = time_.now(),
                                .duration = 1ms,
                                .status_code = 200,
                                .attempt = std::nullopt});
        }
        return accepted;
    }
    void settle(const std::vector<Settlement>& accepted) {
        for (const auto& answer : queue_->settle(accepted)) EXPECT_TRUE(answer.has_value());
    }
    /// Bytes that `work(i)`, called when event `i` is due, adds to the log for each event.
    template <class Work>
    std::int64_t bytes_per_event(Work work) {
        const std::int64_t before = pages_logged();
        for (std::uint32_t i = 0; i < counted_events; ++i) {
            time_.move(noon + 1s + i * apart);
            work(i);
        }
        const std::int64_t page = std::stoll(answer_to(folder_.file(), "PRAGMA page_size"));
        return (pages_logged() - before) * (page + frame_header) / counted_events;
    }

    Store& store() { return *store_; }

private:
    std::int64_t pages_logged() {
        int pages = 0;
        int unused = 0;
        writer_->run([&](Session& session) {
            sqlite3_db_status(session.connection.handle(), SQLITE_DBSTATUS_CACHE_WRITE, &pages,
                              &unused, 0);
            return false;
        });
        return pages;
    }

    TemporaryFolder folder_;
    RecordedLog log_;
    Health health_{log_, [](const std::string& why) { ADD_FAILURE() << why; }};
    Time time_{Time::Mode::test, noon, {}, log_};
    std::unique_ptr<Writer> writer_;
    std::unique_ptr<Readers> readers_;
    std::unique_ptr<Store> store_;
    std::unique_ptr<EventQueue> queue_;
    const EndpointId endpoint_ = an_id<EndpointId>();
};

/// It took 78 KB with pages of 4096 bytes.
TEST_F(LogSizeTest, IsSmallIfClaimsAndSettlementsAreCommitsOfTheirOwn) {
    const auto bytes = bytes_per_event([&](std::uint32_t) {
        const auto accepted = claim(1);
        EXPECT_EQ(accepted.size(), 1U);
        settle(accepted);
    });
    EXPECT_LT(bytes, 25'000);
}

/// As settle_soon does at that rate: two settlements and the next claim share a commit.
TEST_F(LogSizeTest, IsSmallerIfSettlementsAreCommittedWithClaims) {
    std::vector<Settlement> waiting;
    const auto bytes = bytes_per_event([&](std::uint32_t i) {
        store().transact([&](Transaction&) {
            if (i % 2 == 0) settle(std::exchange(waiting, {}));
            for (const Settlement& one : claim(1)) waiting.push_back(one);
            return true;
        });
    });
    EXPECT_EQ(waiting.size(), 2U);
    EXPECT_LT(bytes, 20'000);
}

}  // namespace
}  // namespace sundial::sqlite
