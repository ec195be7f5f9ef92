#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "contract/event_store_contract.hpp"

/// Streams after their appends: reads, snapshots, archive, erasure, lists, and the feed.
namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_P(EventStoreContract, ES31_ReadsRangesInBothDirections) {
    const StreamId stream = a_stream_of(6);
    const auto like = [&](const StreamRange& range) {
        return versions_in(events_of(stream, range));
    };
    EXPECT_THAT(like({.from = 2, .to = 4}), ElementsAre(2, 3, 4));
    EXPECT_THAT(like({.from = 2, .to = 4, .backward = true}), ElementsAre(4, 3, 2));
    EXPECT_THAT(like({.limit = 2}), ElementsAre(1, 2));
    EXPECT_THAT(like({.backward = true, .limit = 2}), ElementsAre(6, 5));
    EXPECT_THAT(like({.from = 7}), IsEmpty());
    EXPECT_THAT(events_of(a_stream()), IsEmpty());
}

TEST_P(EventStoreContract, ES41_KeepsTheNewerSnapshotAndNoneOfTheFuture) {
    const StreamId stream = a_stream_of(3);
    const auto snapshot = [&] {
        return read([&](Transaction& tx) { return tx.streams().snapshot(stream); });
    };
    EXPECT_FALSE(snapshot());
    const Snapshot second{.version = 2, .schema_version = 4, .state = R"({"total": 7})"};
    EXPECT_TRUE(keep_.save_snapshot(stream, second).value());
    EXPECT_FALSE(keep_.save_snapshot(stream, {.version = 1, .state = "{}"}).value());
    EXPECT_EQ(snapshot(), second);
    EXPECT_TRUE(is<ValidationFailed>(keep_.save_snapshot(stream, {.version = 4, .state = "{}"})));
    EXPECT_TRUE(keep_.save_snapshot(stream, {.version = 3, .state = "[]"}).value());
    EXPECT_EQ(snapshot()->version, 3U);
}

TEST_P(EventStoreContract, ES42_AnArchivedStreamRefusesAppendsUntilRestored) {
    const StreamId stream = a_stream_of(1);
    ASSERT_TRUE(keep_.archive(stream));
    EXPECT_TRUE(is<StreamArchived>(append(stream, any, facts(1))));
    EXPECT_THAT(events_of(stream), SizeIs(1));
    ASSERT_TRUE(keep_.restore(stream));
    EXPECT_EQ(append(stream, any, facts(1))->first_version, 2U);
    EXPECT_THAT(recorded(), SizeIs(2));
}

TEST_P(EventStoreContract, ES43_TruncatesOnlyEventsCoveredByASnapshot) {
    const StreamId stream = a_stream_of(4);
    EXPECT_TRUE(is<ValidationFailed>(keep_.truncate(stream, 3)));
    ASSERT_TRUE(keep_.save_snapshot(stream, {.version = 2, .state = "{}"}));
    EXPECT_TRUE(is<ValidationFailed>(keep_.truncate(stream, 4)));
    ASSERT_TRUE(keep_.truncate(stream, 3));
    EXPECT_THAT(versions_in(events_of(stream)), ElementsAre(3, 4));
    EXPECT_EQ(recorded()[0].data, "");  // its header stays in the feed
    EXPECT_EQ(head_of(stream).truncated_before, 3U);
}

TEST_P(EventStoreContract, ES44_ADeletedStreamRefusesAppends) {
    const StreamId stream = a_stream_of(2);
    ASSERT_TRUE(keep_.save_snapshot(stream, {.version = 2, .state = "{}"}));
    ASSERT_TRUE(keep_.remove(stream));
    for (const auto expected : {any, no_stream, stream_exists, exactly(2)}) {
        EXPECT_TRUE(is<StreamDeleted>(append(stream, expected, facts(1))));
    }
    EXPECT_TRUE(is<StreamDeleted>(keep_.restore(stream)));
    const auto page = feed().read_all(0, {}, 10);
    ASSERT_THAT(page.entries, SizeIs(2));
    for (const auto& entry : page.entries) {
        EXPECT_TRUE(entry.deleted);
        EXPECT_EQ(entry.event.data, "");
        EXPECT_EQ(entry.event.event_type, "OrderShipped");
    }
    EXPECT_FALSE(read([&](Transaction& tx) { return tx.streams().snapshot(stream); }));
}

TEST_P(EventStoreContract, RedactsOneEventAndStillKnowsItsBatch) {
    const StreamId stream = a_stream();
    const auto batch = facts(2);
    ASSERT_TRUE(append(stream, any, batch));
    ASSERT_TRUE(keep_.redact(stream, 2, R"({"gone":true})"));
    const auto events = events_of(stream);
    EXPECT_EQ(events[0].data, batch[0].data);
    EXPECT_EQ(events[1].data, R"({"gone":true})");
    EXPECT_EQ(events[1].redacted_at, noon);
    EXPECT_TRUE(append(stream, any, batch)->replayed);
    EXPECT_TRUE(is<ValidationFailed>(keep_.redact(stream, 3, "{}")));
    EXPECT_TRUE(is<AggregateNotFound>(keep_.redact(a_stream(), 1, "{}")));
}

TEST_P(EventStoreContract, ListsStreamsByTypeAndIdPageByPage) {
    for (const StreamId& stream : {StreamId{"Order", "b-1"}, StreamId{"Order", "a-2"},
                                   StreamId{"Basket", "a-1"}, StreamId{"Order", "B-1"}}) {
        ASSERT_TRUE(append(stream, any, facts(2)));
    }
    const auto like = [&](auto ask) {
        StreamQuery query;
        ask(query);
        std::vector<std::string> ids;
        for (const auto& listed :
             read([&](Transaction& tx) { return tx.streams().list(query); }).items) {
            EXPECT_EQ(listed.head.version, 2U);
            ids.push_back(listed.stream.aggregate_id);
        }
        return ids;
    };
    EXPECT_THAT(like([](StreamQuery&) {}), ElementsAre("a-1", "B-1", "a-2", "b-1"));
    EXPECT_THAT(like([](StreamQuery& q) { q.prefix = "a-"; }), ElementsAre("a-1", "a-2"));
    EXPECT_THAT(like([](StreamQuery& q) { q.after = StreamId{"Order", "B-1"}; }),
                ElementsAre("a-2", "b-1"));
    EXPECT_THAT(like([](StreamQuery& q) {
                    q.aggregate_type = "Order";
                    q.limit = 2;
                }),
                ElementsAre("B-1", "a-2"));
}

TEST_P(EventStoreContract, ListsStreamsOfOneTypeAfterACursor) {
    for (const StreamId& stream : {StreamId{"A", "1"}, StreamId{"B", "1"}, StreamId{"B", "2"},
                                   StreamId{"BB", "1"}, StreamId{"C", "1"}}) {
        ASSERT_TRUE(append(stream, any, facts(1)));
    }
    const auto of_b = [&](std::optional<StreamId> after) {
        const StreamQuery query{
            .aggregate_type = "B", .prefix = std::nullopt, .after = std::move(after)};
        std::vector<std::string> ids;
        for (const auto& listed :
             read([&](Transaction& tx) { return tx.streams().list(query); }).items) {
            EXPECT_EQ(listed.stream.aggregate_type, "B");
            ids.push_back(listed.stream.aggregate_id);
        }
        return ids;
    };
    EXPECT_THAT(of_b(std::nullopt), ElementsAre("1", "2"));
    EXPECT_THAT(of_b(StreamId{"A", "1"}), ElementsAre("1", "2"));
    EXPECT_THAT(of_b(StreamId{"B", "1"}), ElementsAre("2"));
    EXPECT_THAT(of_b(StreamId{"BB", "1"}), ElementsAre());
}

/// A page whose prefix matches few of many streams ends early, with the place to continue from.
TEST_P(EventStoreContract, PassesABoundedNumberOfStreamsPerPage) {
    for (int i = 0; i < 20; ++i) {
        const std::string type = i % 2 == 0 ? "Basket" : "Order";
        const std::string name = i % 7 == 6 ? "rare-" : i % 3 == 0 ? "a-" : "z-";
        ASSERT_TRUE(append(StreamId{type, name + std::to_string(i)}, any, facts(1)));
    }
    for (const std::optional<std::string>& type :
         {std::optional<std::string>{}, std::optional<std::string>{"Order"}}) {
        StreamQuery query{.aggregate_type = type, .prefix = "rare-", .after = std::nullopt};
        query.max_passed = 3;
        std::vector<std::string> found;
        int pages = 1;
        for (bool more = true; more; ++pages) {
            ASSERT_LE(pages, 12) << "the walk does not end";
            const auto page = read([&](Transaction& tx) { return tx.streams().list(query); });
            for (const auto& listed : page.items) found.push_back(listed.stream.aggregate_id);
            more = page.has_more;
            if (!more) break;
            ASSERT_TRUE(page.passed);
            const auto slash = page.passed->value.find('/');
            const StreamId passed{page.passed->value.substr(0, slash),
                                  page.passed->value.substr(slash + 1)};
            ASSERT_NE(passed, query.after);
            query.after = passed;
        }
        if (type) {
            EXPECT_THAT(found, ElementsAre("rare-13"));
            EXPECT_GE(pages, 4) << "10 streams, and no page may pass more than 3";
            EXPECT_LE(pages, 6) << "a page passes about 3";
        } else {
            EXPECT_THAT(found, ElementsAre("rare-6", "rare-13"));
            EXPECT_GE(pages, 7) << "20 streams, and no page may pass more than 3";
            EXPECT_LE(pages, 11) << "a page passes about 3";
        }
    }
    StreamQuery unbounded{.aggregate_type = std::nullopt, .prefix = "rare-", .after = std::nullopt};
    EXPECT_EQ(read([&](Transaction& tx) { return tx.streams().list(unbounded); }).items.size(), 2U);
}

TEST_P(EventStoreContract, TheFeedHasEverythingInOrderAndPageByPage) {
    const StreamId a = a_stream(), b = a_stream();
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(append(a, any, facts(1)));
        ASSERT_TRUE(append(b, any, facts(2)));
    }
    std::uint64_t after = 0;
    std::vector<StreamId> streams;
    for (bool more = true; more;) {
        const auto page = feed().read_all(after, {}, 2);
        for (const auto& entry : page.entries) {
            EXPECT_GT(entry.event.position, after);
            after = entry.event.position;
            streams.push_back(entry.event.stream);
        }
        more = page.more;
    }
    EXPECT_THAT(streams, ElementsAre(a, b, b, a, b, b, a, b, b));
    const auto end = feed().read_all(after, {}, 2);
    EXPECT_THAT(end.entries, IsEmpty());
    EXPECT_EQ(end.next_position, after);
    EXPECT_FALSE(end.more);
}

TEST_P(EventStoreContract, ES37_APageAdvancesDespiteASelectiveFilter) {
    const StreamId stream = a_stream();
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(append(stream, any, facts(1000)));
    ASSERT_TRUE(append({"Basket", "1"}, any, {a_fact()}));
    const FeedFilter baskets{.aggregate_types = {"Basket"}};
    const auto first = feed().read_all(0, baskets, 10);
    EXPECT_THAT(first.entries, IsEmpty());
    EXPECT_GT(first.next_position, 0U);
    EXPECT_TRUE(first.more);
    EXPECT_THAT(feed().read_all(first.next_position, baskets, 10).entries, SizeIs(1));
    EXPECT_THAT(feed().read_all(first.next_position, {.event_types = {"Other"}}, 10).entries,
                IsEmpty());
}

TEST_P(EventStoreContract, ES32_AFollowerSeesEachCommittedEventOnceAndInOrder) {
    constexpr int writers = 8, rounds = 25;
    std::atomic<int> running = writers;
    std::vector<StreamId> streams;
    for (int i = 0; i < 4; ++i) streams.push_back(a_stream());
    std::mutex mutex;
    std::set<Uuid> committed;
    std::vector<RecordedEvent> seen;
    at_once(writers + 1, [&](int thread) {
        if (thread == writers) {
            for (std::uint64_t after = 0;;) {
                const bool last = running == 0;
                const auto page = feed().read_all(after, {}, 7);
                for (const auto& entry : page.entries) seen.push_back(entry.event);
                after = page.next_position;
                if (last && !page.more) return;
            }
        }
        for (int round = 0; round < rounds; ++round) {
            const auto batch = facts(1 + static_cast<std::size_t>(round % 3));
            const StreamId& stream = streams.at(static_cast<std::size_t>(thread + round) % 4);
            const bool keep = (thread + round) % 5 != 0;
            store().transact([&](Transaction& tx) {
                EXPECT_TRUE(append_.run(tx, {stream, any, batch}));
                return keep;
            });
            const std::lock_guard lock{mutex};
            for (const auto& event : batch) {
                if (keep) committed.insert(event.event_id);
            }
        }
        --running;
    });
    std::set<Uuid> ids;
    std::map<StreamId, std::uint64_t> versions;
    std::uint64_t position = 0;
    for (const RecordedEvent& event : seen) {
        EXPECT_TRUE(ids.insert(event.event_id).second);
        EXPECT_GT(event.position, position);
        position = event.position;
        EXPECT_EQ(event.version.value, ++versions[event.stream]);
    }
    EXPECT_EQ(ids, committed);
}

}  // namespace
}  // namespace sundial
