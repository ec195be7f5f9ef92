#include "contract/event_store_contract.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <set>

namespace sundial {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// The lock error of an answer that must have one.
StreamOptimisticLock lock_error(const Result<Appended>& answer) {
    EXPECT_TRUE(is<StreamOptimisticLock>(answer));
    return std::get<StreamOptimisticLock>(answer.error());
}
std::vector<EventIdReuse> reasons(const Result<Appended>& answer) {
    EXPECT_TRUE(is<EventIdReused>(answer));
    std::vector<EventIdReuse> all;
    for (const auto& conflict : std::get<EventIdReused>(answer.error()).conflicts) {
        all.push_back(conflict.reason);
    }
    return all;
}

TEST_P(EventStoreContract, ES01_WritesThreeEventsOfAFreshStream) {
    const StreamId stream = a_stream();
    const auto batch = facts(3);
    const auto appended = append(stream, no_stream, batch);
    ASSERT_TRUE(appended);
    EXPECT_EQ(appended->first_version, 1U);
    EXPECT_EQ(appended->last_version, 3U);
    EXPECT_EQ(appended->current_version, 3U);
    EXPECT_EQ(appended->last_position, appended->first_position + 2);
    EXPECT_FALSE(appended->replayed);
    const auto events = events_of(stream);
    ASSERT_THAT(events, SizeIs(3));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(events[i].event_id, batch[i].event_id);
        EXPECT_EQ(events[i].data, batch[i].data);
        EXPECT_EQ(events[i].position, appended->first_position + i);
        EXPECT_EQ(events[i].recorded_at, noon);
    }
}

EventMetadata metadata_with_every_member() {
    return {.occurred_at = noon - 3h,
            .correlation_id = "c-9",
            .causation_id = "cause",
            .actor = "key-1",
            .tenant = "acme",
            .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            .headers = R"({"x":"y"})"};
}

TEST_P(EventStoreContract, KeepsEveryMemberOfAnEvent) {
    const StreamId stream{"Order.v-2_x", "Zoë's 17/α"};
    NewRecordedEvent event = a_fact(R"({"b" : [1, 2.50], "a":"ü"})");
    event.schema_version = 3;
    event.metadata = metadata_with_every_member();
    ASSERT_TRUE(append(stream, any, {event}));
    const auto events = events_of(stream);
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].stream, stream);
    EXPECT_EQ(events[0].event_type, event.event_type);
    EXPECT_EQ(events[0].schema_version, 3U);
    EXPECT_EQ(events[0].data, event.data);  // byte for byte
    EXPECT_EQ(events[0].metadata, event.metadata);
    EXPECT_FALSE(events[0].redacted_at);
}

TEST_P(EventStoreContract, KeepsEveryMemberOfEventsOfABatchAlikeOrNot) {
    const auto plain = [] { return a_fact(); };
    const auto odd = [] {
        NewRecordedEvent event = a_fact("[]");
        event.event_type = "OrderLost";
        event.schema_version = 3;
        event.metadata = metadata_with_every_member();
        return event;
    };
    const std::array batches{std::vector{odd(), odd(), odd()}, std::vector{plain(), plain()},
                             std::vector{plain(), odd(), plain()}, std::vector{odd(), plain()}};
    const auto expect_kept = [&](const StreamId& stream,
                                 const std::vector<NewRecordedEvent>& batch) {
        const auto events = events_of(stream);
        ASSERT_THAT(events, SizeIs(batch.size()));
        for (std::size_t i = 0; i < batch.size(); ++i) {
            EXPECT_EQ(events[i].event_id, batch[i].event_id);
            EXPECT_EQ(events[i].event_type, batch[i].event_type);
            EXPECT_EQ(events[i].schema_version, batch[i].schema_version);
            EXPECT_EQ(events[i].data, batch[i].data);
            EXPECT_EQ(events[i].metadata, batch[i].metadata);
        }
    };
    for (auto batch : batches) {
        const StreamId by_itself = a_stream();
        ASSERT_TRUE(append(by_itself, any, batch));
        expect_kept(by_itself, batch);
        const StreamId within = a_stream();
        for (NewRecordedEvent& event : batch) event.event_id = a_fact().event_id;
        ASSERT_TRUE(write([&](Transaction& tx) { return append_.run(tx, {within, any, batch}); }));
        expect_kept(within, batch);
    }
}

TEST_P(EventStoreContract, CorrelatesABatchWithoutACauseByItsFirstEvent) {
    const StreamId stream = a_stream();
    auto batch = facts(2);
    for (auto& event : batch) event.metadata = {};
    batch[1].metadata.causation_id = "cause";
    ASSERT_TRUE(append(stream, any, batch));
    const auto events = events_of(stream);
    EXPECT_EQ(events[0].metadata.correlation_id, base::to_string(batch[0].event_id));
    EXPECT_EQ(events[1].metadata.correlation_id, "cause");
}

TEST_P(EventStoreContract, ES02_RefusesNoStreamWhereThereIsOne) {
    const StreamId stream = a_stream_of(4);
    const auto refused = lock_error(append(stream, no_stream, facts(1)));
    EXPECT_EQ(refused.stream, stream);
    EXPECT_EQ(refused.expected, no_stream);
    EXPECT_EQ(refused.actual, 4U);
    EXPECT_THAT(events_of(stream), SizeIs(4));
}

TEST_P(EventStoreContract, ES03_ExactlyZeroIsNoStream) {
    EXPECT_EQ(exactly(0), no_stream);
    const StreamId stream = a_stream();
    EXPECT_TRUE(append(stream, exactly(0), facts(3)));
    EXPECT_EQ(lock_error(append(stream, exactly(0), facts(1))).actual, 3U);
}

TEST_P(EventStoreContract, ES04_AppendsAtTheExpectedVersion) {
    const StreamId stream = a_stream_of(2);
    const auto appended = append(stream, exactly(2), facts(2));
    ASSERT_TRUE(appended);
    EXPECT_EQ(appended->first_version, 3U);
    EXPECT_THAT(versions_in(events_of(stream)), ElementsAre(1, 2, 3, 4));
}

TEST_P(EventStoreContract, ES05_RefusesAnotherVersionAndLeavesNoHeadBehind) {
    const StreamId stream = a_stream_of(3);
    for (const std::uint64_t wrong : {1U, 2U, 4U, 99U}) {
        const auto refused = lock_error(append(stream, exactly(wrong), facts(1)));
        EXPECT_EQ(refused.expected, exactly(wrong));
        EXPECT_EQ(refused.actual, 3U);
    }
    const StreamId absent = a_stream();
    EXPECT_EQ(lock_error(append(absent, exactly(1), facts(1))).actual, 0U);
    EXPECT_EQ(head_of(absent), StreamHead{});
    EXPECT_TRUE(append(absent, no_stream, facts(1)));
}

TEST_P(EventStoreContract, ES06_RefusesStreamExistsWhereThereIsNone) {
    EXPECT_EQ(lock_error(append(a_stream(), stream_exists, facts(1))).actual, 0U);
}

TEST_P(EventStoreContract, ARefusedAppendUsesNoPosition) {
    const StreamId stream = a_stream_of(2);
    const std::uint64_t before = append(stream, any, facts(1))->last_position;
    EXPECT_FALSE(append(stream, exactly(1), facts(5)));
    EXPECT_FALSE(append(a_stream(), stream_exists, facts(5)));
    EXPECT_EQ(append(stream, any, facts(1))->first_position, before + 1);
}

/// A storage may have a faster path for an append without a surrounding transaction.
TEST_P(EventStoreContract, AppendsAloneAndInATransactionAreJudgedAlike) {
    struct State {
        const char* name;
        std::function<StreamId()> make;
    };
    const std::vector<State> states{
        {"absent", [this] { return a_stream(); }},
        {"at 3", [this] { return a_stream_of(3); }},
        {"archived",
         [this] {
             StreamId stream = a_stream_of(3);
             EXPECT_TRUE(keep_.archive(stream));
             return stream;
         }},
        {"deleted",
         [this] {
             StreamId stream = a_stream_of(3);
             EXPECT_TRUE(keep_.remove(stream));
             return stream;
         }},
    };
    struct Outcome {
        std::size_t error = 0;  // index of the error type
        std::uint64_t first = 0, last = 0, current = 0;
        bool replayed = false;
        StreamHead head;
        bool operator==(const Outcome&) const = default;
    };
    const auto outcome_of = [this](const StreamId& stream, const Result<Appended>& answer) {
        if (!answer) return Outcome{.error = answer.error().index() + 1, .head = head_of(stream)};
        return Outcome{.first = answer->first_version,
                       .last = answer->last_version,
                       .current = answer->current_version,
                       .replayed = answer->replayed,
                       .head = head_of(stream)};
    };
    const auto batch_for = [this](const std::string& kind, const StreamId& stream) {
        auto batch = facts(2);
        if (kind == "all known") (void)append(stream, any, batch);
        if (kind == "one known") (void)append(stream, any, {batch[1]});
        if (kind == "known elsewhere") (void)append(a_stream(), any, batch);
        return batch;
    };
    for (const State& state : states) {
        for (const auto expected : {any, stream_exists, no_stream, exactly(3)}) {
            for (const char* kind : {"new", "all known", "one known", "known elsewhere"}) {
                const StreamId alone = state.make(), in_transaction = state.make();
                const auto first = append(alone, expected, batch_for(kind, alone));
                const auto batch = batch_for(kind, in_transaction);
                const auto second = sundial::in_transaction(store(), [&](Transaction& tx) {
                    return append_.run(tx, {in_transaction, expected, batch});
                });
                EXPECT_EQ(outcome_of(alone, first), outcome_of(in_transaction, second))
                    << state.name << ", " << kind << ", expected " << to_string(expected);
            }
        }
    }
}

TEST_P(EventStoreContract, ES07_ATruncatedStreamExistsAndContinues) {
    const StreamId stream = a_stream_of(3);
    ASSERT_TRUE(keep_.save_snapshot(stream, {.version = 3, .state = "{}"}));
    ASSERT_TRUE(keep_.truncate(stream, 4));
    EXPECT_THAT(events_of(stream), IsEmpty());
    const auto appended = append(stream, stream_exists, facts(1));
    ASSERT_TRUE(appended);
    EXPECT_EQ(appended->first_version, 4U);
}

TEST_P(EventStoreContract, ES08_AnyAppendsToAnyStream) {
    const StreamId stream = a_stream();
    EXPECT_EQ(append(stream, any, facts(2))->first_version, 1U);
    EXPECT_EQ(append(stream, any, facts(2))->first_version, 3U);
}

TEST_P(EventStoreContract, ES09_RefusesInvalidAppends) {
    EXPECT_FALSE(ExpectedVersion::of(-3));
    const StreamId stream = a_stream();
    EXPECT_TRUE(is<ValidationFailed>(append(stream, any, {})));
    EXPECT_TRUE(is<ValidationFailed>(append({"no spaces", "1"}, any, facts(1))));
    EXPECT_TRUE(is<ValidationFailed>(append({"Order", ""}, any, facts(1))));
    auto foreign = facts(2);
    foreign[1].stream = StreamId{"Order", "another"};
    EXPECT_TRUE(is<ValidationFailed>(append(stream, any, foreign)));
    EXPECT_TRUE(is<ValidationFailed>(append(stream, any, {a_fact("{no json")})));
    EXPECT_EQ(version_of(stream), 0U);
}

TEST_P(EventStoreContract, ES10_OneOfManyWritersCreatesAStream) {
    const StreamId stream = a_stream();
    std::atomic<int> won = 0, lost = 0;
    at_once(32, [&](int) {
        const auto answer = append(stream, no_stream, facts(1));
        if (answer) {
            ++won;
        } else if (is<StreamOptimisticLock>(answer)) {
            ++lost;
        }
    });
    EXPECT_EQ(won, 1);
    EXPECT_EQ(lost, 31);
    EXPECT_EQ(version_of(stream), 1U);
}

TEST_P(EventStoreContract, ES11_OneOfManyWritersAppendsAtAVersion) {
    const StreamId stream = a_stream_of(5);
    std::atomic<int> won = 0, lost = 0;
    at_once(32, [&](int) {
        const auto answer = append(stream, exactly(5), facts(1));
        if (answer) {
            ++won;
        } else if (lock_error(answer).actual >= 6) {
            ++lost;
        }
    });
    EXPECT_EQ(won, 1);
    EXPECT_EQ(lost, 31);
}

TEST_P(EventStoreContract, ES12_ES13_AnyNeverFailsAmongAppendsThatExpectAVersion) {
    const StreamId stream = a_stream();
    std::mutex mutex;
    std::vector<Appended> done;
    std::set<Uuid> written;
    at_once(32, [&](int thread) {
        for (int i = 0; i < 10; ++i) {
            const auto batch = facts(3);
            const bool exact = thread % 4 == 0;
            const auto answer = append(stream, exact ? exactly(version_of(stream)) : any, batch);
            if (exact && !answer) continue;
            EXPECT_TRUE(answer);
            const std::lock_guard lock{mutex};
            done.push_back(*answer);
            for (const auto& event : batch) written.insert(event.event_id);
        }
    });
    EXPECT_GE(done.size(), 240U);
    for (const Appended& batch : done) EXPECT_EQ(batch.last_version, batch.first_version + 2);
    std::vector<RecordedEvent> events;
    for (std::uint64_t from = 1; from <= version_of(stream); from += 500) {
        std::ranges::move(events_of(stream, {.from = from, .to = from + 499}),
                          std::back_inserter(events));
    }
    ASSERT_EQ(events.size(), done.size() * 3);
    for (std::size_t i = 0; i < events.size(); ++i) {
        EXPECT_EQ(events[i].version.value, i + 1);
        EXPECT_TRUE(written.contains(events[i].event_id));
        if (i > 0) EXPECT_GT(events[i].position, events[i - 1].position);
    }
}

TEST_P(EventStoreContract, ES16_ES17_TheSameBatchAgainIsAReplay) {
    const StreamId stream = a_stream_of(2);
    const auto batch = facts(2);
    const auto first = append(stream, exactly(2), batch);
    ASSERT_TRUE(append(stream, any, facts(3)));
    Appended again = *first;
    again.replayed = true;
    again.current_version = 7;
    EXPECT_EQ(append(stream, exactly(2), batch).value(), again);
    EXPECT_EQ(append(stream, any, batch).value(), again);
    EXPECT_EQ(append(stream, stream_exists, batch).value(), again);
    EXPECT_EQ(version_of(stream), 7U);
}

TEST_P(EventStoreContract, ES18_AReplayThatCannotHaveComeOfTheExpectationIsRefused) {
    const StreamId stream = a_stream_of(2);
    const auto batch = facts(2);
    ASSERT_TRUE(append(stream, exactly(2), batch));
    const auto refused = lock_error(append(stream, exactly(1), batch));
    EXPECT_EQ(refused.actual, 4U);
    EXPECT_THAT(refused.duplicates, ElementsAre(batch[0].event_id, batch[1].event_id));
}

TEST_P(EventStoreContract, ES19_KnownAmongNewIdsArePartialWhereverTheyStand) {
    const StreamId stream = a_stream();
    const auto known = facts(1);
    ASSERT_TRUE(append(stream, any, known));
    for (std::size_t place = 0; place < 3; ++place) {
        auto batch = facts(2);
        batch.insert(batch.begin() + static_cast<std::ptrdiff_t>(place), known[0]);
        EXPECT_THAT(reasons(append(stream, any, batch)), ElementsAre(EventIdReuse::partial));
    }
    EXPECT_EQ(version_of(stream), 1U);
}

TEST_P(EventStoreContract, ES20_KnownIdsInAnotherOrderOrNotInOnePiece) {
    const StreamId stream = a_stream();
    const auto first = facts(2), second = facts(1);
    ASSERT_TRUE(append(stream, any, first));
    ASSERT_TRUE(append(stream, any, facts(1)));
    ASSERT_TRUE(append(stream, any, second));
    EXPECT_THAT(reasons(append(stream, any, {first[1], first[0]})),
                ElementsAre(EventIdReuse::different_order, EventIdReuse::different_order));
    EXPECT_THAT(reasons(append(stream, any, {first[0], first[1], second[0]})),
                Each(EventIdReuse::different_order));
}

TEST_P(EventStoreContract, ES21_AKnownIdWithAnotherContent) {
    const StreamId stream = a_stream();
    const auto batch = facts(1);
    ASSERT_TRUE(append(stream, any, batch));
    auto other_data = batch, other_type = batch, other_schema = batch;
    other_data[0].data = R"({"n":2})";
    other_type[0].event_type = "OrderPaid";
    other_schema[0].schema_version = 2;
    for (const auto& other : {other_data, other_type, other_schema}) {
        EXPECT_THAT(reasons(append(stream, any, other)),
                    ElementsAre(EventIdReuse::different_content));
    }
}

TEST_P(EventStoreContract, ES22_MembersThatAreNotContentMayDiffer) {
    const StreamId stream = a_stream();
    std::vector batch{a_fact(R"({"a":1,"b":"x"})")};
    ASSERT_TRUE(append(stream, any, batch));
    const auto stored = events_of(stream);
    batch[0].data = R"( { "b" : "\u0078", "a" : 1 } )";
    batch[0].metadata = {.occurred_at = noon, .actor = "another follower"};
    EXPECT_TRUE(append(stream, any, batch)->replayed);
    EXPECT_EQ(events_of(stream), stored);
}

TEST_P(EventStoreContract, ES23_AKnownIdOfAnotherStreamIsRefusedWithItsPlace) {
    const StreamId stream = a_stream_of(3), other = a_stream();
    const auto batch = facts(1);
    ASSERT_TRUE(append(stream, any, batch));
    const auto refused = append(other, any, batch);
    EXPECT_THAT(reasons(refused), ElementsAre(EventIdReuse::other_stream));
    const auto& conflict = std::get<EventIdReused>(refused.error()).conflicts[0];
    EXPECT_EQ(conflict.stream, stream);
    EXPECT_EQ(conflict.version, 4U);
    EXPECT_EQ(version_of(other), 0U);
}

TEST_P(EventStoreContract, ES24_OneIdTwiceInABatch) {
    const auto one = a_fact();
    EXPECT_THAT(reasons(append(a_stream(), any, {one, a_fact(), one})),
                ElementsAre(EventIdReuse::in_batch));
}

TEST_P(EventStoreContract, ES25_TheSameBatchAtOnceIsThereOnce) {
    for (int round = 0; round < 20; ++round) {
        const StreamId stream = a_stream();
        const auto batch = facts(2);
        std::atomic<int> replays = 0;
        at_once(2, [&](int) {
            const auto answer = append(stream, any, batch);
            ASSERT_TRUE(answer);
            if (answer->replayed) ++replays;
        });
        EXPECT_EQ(replays, 1);
        EXPECT_EQ(version_of(stream), 2U);
    }
}

TEST_P(EventStoreContract, ES25_TheSameIdAtOnceInTwoStreamsIsThereOnce) {
    for (int round = 0; round < 20; ++round) {
        const auto batch = facts(1);
        const std::array streams{a_stream(), a_stream()};
        std::atomic<int> refusals = 0;
        at_once(2, [&](int i) {
            const auto answer = append(streams.at(static_cast<std::size_t>(i)), any, batch);
            if (!answer) {
                EXPECT_THAT(reasons(answer), ElementsAre(EventIdReuse::other_stream));
                ++refusals;
            }
        });
        EXPECT_EQ(refusals, 1);
    }
}

TEST_P(EventStoreContract, ES26_AReplayOnAnArchivedAndOnADeletedStream) {
    const StreamId stream = a_stream();
    const auto batch = facts(1);
    ASSERT_TRUE(append(stream, any, batch));
    ASSERT_TRUE(keep_.archive(stream));
    EXPECT_TRUE(append(stream, any, batch)->replayed);
    ASSERT_TRUE(keep_.remove(stream));
    EXPECT_TRUE(is<StreamDeleted>(append(stream, any, batch)));
}

TEST_P(EventStoreContract, ES27_ABatchHasItsLimits) {
    EXPECT_TRUE(append(a_stream(), any, facts(1000)));
    const auto index_of = [&](std::vector<NewRecordedEvent> events) {
        const auto answer = append(a_stream(), any, std::move(events));
        EXPECT_TRUE(is<PayloadTooLarge>(answer));
        return std::get<PayloadTooLarge>(answer.error()).index;
    };
    EXPECT_EQ(index_of(facts(1001)), 1000U);
    auto large = facts(3);
    large[2].data = '"' + std::string(max_event_bytes, 'x') + '"';
    EXPECT_EQ(index_of(large), 2U);
    auto chatty = facts(2);
    chatty[1].metadata.actor = std::string(max_metadata_bytes + 1, 'x');
    EXPECT_EQ(index_of(chatty), 1U);
    auto heavy = facts(20);
    for (auto& event : heavy) event.data = '"' + std::string(max_event_bytes - 2, 'x') + '"';
    EXPECT_EQ(index_of(heavy), 16U);
}

TEST_P(EventStoreContract, ES28_OneWrongStreamOfManyWritesNothingAnywhere) {
    const StreamId right = a_stream_of(1), behind = a_stream_of(2), absent = a_stream();
    const std::vector<Append> requested{{right, exactly(1), facts(1)},
                                        {behind, exactly(1), facts(1)},
                                        {absent, stream_exists, facts(1)}};
    const auto answer = append_.run_all(requested);
    ASSERT_FALSE(answer);
    ASSERT_THAT(answer.error(), SizeIs(2));
    EXPECT_EQ(answer.error()[0].index, 1U);
    EXPECT_EQ(answer.error()[1].index, 2U);
    EXPECT_EQ(version_of(right), 1U);
    EXPECT_EQ(version_of(behind), 2U);
    EXPECT_EQ(version_of(absent), 0U);
    const std::vector<Append> twice{{right, any, facts(1)}, {right, any, facts(1)}};
    EXPECT_FALSE(append_.run_all(twice));
}

TEST_P(EventStoreContract, ES29_ManyStreamsInOppositeOrdersDoNotBlockEachOther) {
    const StreamId a = a_stream(), b = a_stream();
    constexpr int rounds = 100;
    at_once(2, [&](int i) {
        for (int round = 0; round < rounds; ++round) {
            const std::vector<Append> forth{{a, any, facts(1)}, {b, any, facts(1)}};
            const std::vector<Append> back{{b, any, facts(1)}, {a, any, facts(1)}};
            EXPECT_TRUE(append_.run_all(i == 0 ? forth : back));
        }
    });
    EXPECT_EQ(version_of(a), 2U * rounds);
    EXPECT_EQ(version_of(b), 2U * rounds);
}

TEST_P(EventStoreContract, ES30_ARolledBackAppendLeavesNoTrace) {
    const StreamId stream = a_stream();
    store().transact([&](Transaction& tx) {
        EXPECT_TRUE(append_.run(tx, {stream, any, facts(2)}));
        return false;
    });
    EXPECT_EQ(version_of(stream), 0U);
    EXPECT_THAT(events_of(stream), IsEmpty());
    write([&](Transaction& tx) { EXPECT_FALSE(append_.run(tx, {stream, exactly(7), facts(1)})); });
    EXPECT_EQ(head_of(stream), StreamHead{});  // also if the caller went on after an error
}

}  // namespace
}  // namespace sundial
