#include "application/streams/feed_watch.hpp"

#include <gmock/gmock.h>

#include <set>

#include "adapters/memory/store.hpp"
#include "application/ports/failures.hpp"
#include "application/streams/append_to_stream.hpp"
#include "support/builders.hpp"
#include "support/fake_digest.hpp"
#include "support/recorded_log.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class StandingClock final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override { return at; }
    std::chrono::microseconds at{1000s};
};

/// A feed that counts its reads and can be unavailable.
class CountedFeed final : public Feed {
public:
    explicit CountedFeed(Feed& feed) : feed_(feed) {}
    FeedPage read_all(std::uint64_t after, const FeedFilter& filter, std::size_t limit) override {
        ++reads;
        if (away) throw Unavailable{"connection refused"};
        return feed_.read_all(after, filter, limit);
    }
    int reads = 0;
    bool away = false;

private:
    Feed& feed_;
};

class FeedWatchTest : public testing::Test {
protected:
    std::uint64_t append() {
        return append_
            .run({.stream = {"Order", "1"},
                  .events = {{.event_id = uuid_of(next_number()),
                              .event_type = "OrderPlaced",
                              .data = "1"}}})
            ->last_position;
    }
    auto wait(std::uint64_t after, std::string name) {
        return watch.wait(after, [this, name] { woken.push_back(name); });
    }

    memory::ManualClock clock_{noon};
    memory::MemoryStore store_{clock_};
    Feed& memory_feed_ = store_.feed();
    CountedFeed feed{memory_feed_};
    FakeDigest digest_;
    AppendToStream append_{store_, digest_};
    StandingClock time;
    RecordedLog log;
    FeedWatch watch{feed, time, log, 1s};
    std::vector<std::string> woken;
};

TEST_F(FeedWatchTest, PeeksOnlyWhileARequestWaits) {
    EXPECT_EQ(watch.turn(), std::nullopt);
    watch.appended();
    EXPECT_EQ(watch.turn(), std::nullopt);
    EXPECT_EQ(feed.reads, 0);
    {
        const auto waiting = wait(0, "a");
        EXPECT_EQ(watch.turn(), time.at + 1s);
        EXPECT_EQ(feed.reads, 1);
    }
    EXPECT_EQ(watch.turn(), std::nullopt);
}

TEST_F(FeedWatchTest, WakesMatchingRequestsWithOnePeek) {
    const std::uint64_t first = append();
    const auto a = wait(0, "a"), b = wait(first, "b"), c = wait(0, "c");
    EXPECT_EQ(watch.turn(), time.at + 1s);
    EXPECT_THAT(woken, ElementsAre("a", "c"));
    EXPECT_EQ(feed.reads, 1);
    append();
    watch.appended();
    EXPECT_EQ(watch.turn(), time.at + 5ms);  // not again at once
    time.at += 5ms;
    EXPECT_EQ(watch.turn(), std::nullopt);
    EXPECT_THAT(woken, ElementsAre("a", "c", "b"));
}

TEST_F(FeedWatchTest, PeeksEveryTickForAppendsOfOtherInstances) {
    const auto a = wait(0, "a");
    EXPECT_EQ(watch.turn(), time.at + 1s);
    append();  // by another instance, without a hint
    EXPECT_EQ(watch.turn(), time.at + 1s);
    EXPECT_THAT(woken, IsEmpty());
    time.at += 1s;
    EXPECT_EQ(watch.turn(), std::nullopt);
    EXPECT_THAT(woken, ElementsAre("a"));
}

TEST_F(FeedWatchTest, ContinuesAfterAFeedOutage) {
    append();
    feed.away = true;
    const auto a = wait(0, "a");
    EXPECT_EQ(watch.turn(), time.at + 1s);
    EXPECT_THAT(log.lines(), SizeIs(1));
    feed.away = false;
    time.at += 1s;
    EXPECT_EQ(watch.turn(), std::nullopt);
    EXPECT_THAT(woken, ElementsAre("a"));
}

TEST_F(FeedWatchTest, AtItsEndWakesAllWaitersAndLaterOnes) {
    const auto a = wait(7, "a");
    watch.stop();
    EXPECT_TRUE(watch.stopped());
    EXPECT_THAT(woken, ElementsAre("a"));
    const auto b = wait(7, "b");
    EXPECT_THAT(woken, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace sundial
