#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sundial/aggregate.hpp"
#include "sundial/engine.hpp"
#include "sundial/streams.hpp"
#include "support/bounds.hpp"

/// Issue 19, item 25: bounds of streams, followers and aggregates.
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using sundial::Done;
using sundial::Error;
using sundial::expect_answers;
using sundial::Expected;
using sundial::Extent;
using sundial::NewRecordedEvent;
using sundial::RecordedEvent;
using sundial::refused;
using sundial::Result;
using sundial::sized;
using sundial::StreamId;
using sundial::Transaction;
using sundial::word;
using sundial::word_of_page;

struct Score {
    using Event = int;
    static constexpr const char* type = "Tally";
    static constexpr std::uint32_t state_version = 1;
    static NewRecordedEvent record(Event /*event*/) { return {.type = "Counted"}; }
    static std::optional<Event> recall(const RecordedEvent& /*event*/) { return 1; }
    void apply(Event event) { sum += event; }
    [[nodiscard]] std::string save() const { return std::to_string(sum); }
    static std::optional<Score> restore(const std::string& json) { return Score{std::stoi(json)}; }
    int sum = 0;
};
Result<std::vector<Score::Event>> count_one(const Score& /*score*/) { return std::vector{1}; }

class StreamBounds : public sundial::BoundsOnEach {};
INSTANTIATE_TEST_SUITE_P(Embedded, StreamBounds, testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& kind) { return kind.param; });

TEST_P(StreamBounds, OfAppends) {
    const auto append = [&](const StreamId& stream, Expected expected,
                            const std::vector<NewRecordedEvent>& events) {
        const std::string alone = word(streams_->append(stream, expected, events));
        StreamId sibling = stream;
        if (sibling.id.size() < 100) sibling.id += "b";
        std::string within;
        (void)streams_->transact([&](Transaction& tx) -> Result<Done> {
            auto repeated = events;
            for (auto& event : repeated) event.id.clear();
            within = word(tx.append(sibling, expected, repeated));
            if (within == "ok") return Done{};
            return Error{within, ""};
        });
        // A text of no length has become one of one.
        return within == alone || alone == refused ? alone : alone + " but in one " + within;
    };
    const auto one = [&](NewRecordedEvent event) {
        return append({"Order", fresh_name()}, Expected::no_stream(), {std::move(event)});
    };
    expect_answers({
        {"StreamId.type",
         [&](Extent t) {
             return append({sized<std::string>(t), fresh_name()}, Expected::any(), {{.type = "A"}});
         },
         {refused, "ok", refused}},
        {"StreamId.id",
         [&](Extent t) {
             return append({"Order", sized<std::string>(t)}, Expected::any(), {{.type = "A"}});
         },
         {refused, "ok", refused}},
        {"Expected::exactly",
         [&](Extent t) {
             return append({"Order", fresh_name()}, Expected::exactly(sized<std::uint64_t>(t)),
                           {{.type = "A"}});
         },
         {"ok", "OPTIMISTIC_LOCK", refused}},
        {"number of events",
         [&](Extent t) {
             const std::size_t count = t == Extent::greatest ? 1001 : static_cast<std::size_t>(t);
             return append({"Order", fresh_name()}, Expected::any(),
                           std::vector<NewRecordedEvent>(count, {.type = "A"}));
         },
         {refused, "ok", "PAYLOAD_TOO_LARGE"}},
        {"NewRecordedEvent.type",
         [&](Extent t) { return one({.type = sized<std::string>(t)}); },
         {refused, "ok", refused}},
        {"NewRecordedEvent.data",
         [&](Extent t) {
             return one({.type = "A", .data = t == Extent::one ? "1" : sized<std::string>(t)});
         },
         {refused, "ok", "PAYLOAD_TOO_LARGE"}},
        {"NewRecordedEvent.schema_version",
         [&](Extent t) { return one({.type = "A", .schema_version = sized<std::uint32_t>(t)}); },
         {refused, "ok", refused}},
        {"EventMetadata.actor",
         [&](Extent t) { return one({.type = "A", .metadata = {.actor = sized<std::string>(t)}}); },
         {"ok", "ok", "PAYLOAD_TOO_LARGE"}},
        {"EventMetadata.occurred_at",
         [&](Extent t) {
             return one({.type = "A", .metadata = {.occurred_at = sized<sundial::Instant>(t)}});
         },
         {"ok", "ok", refused}},
    });
}

TEST_P(StreamBounds, OfReading) {
    const auto read = [&](auto change) {
        const StreamId stream = fresh_stream();
        sundial::StreamRange range;
        change(range);
        const std::string alone = word_of_page(streams_->read(stream, range));
        std::string within;
        (void)streams_->transact([&](Transaction& tx) -> Result<Done> {
            within = word_of_page(tx.read(stream, range));
            return Done{};
        });
        EXPECT_EQ(within, alone);
        return alone;
    };
    const auto feed = [&](std::uint64_t after, std::size_t limit) {
        fresh_stream();
        return word_of_page(streams_->feed(after, {.event_types = {"B"}}, limit));
    };
    (void)fresh_stream();
    expect_answers({
        {"StreamRange.from",
         [&](Extent t) { return read([&](auto& range) { range.from = sized<std::uint64_t>(t); }); },
         {"3", "3", "0"}},
        {"StreamRange.to",
         [&](Extent t) { return read([&](auto& range) { range.to = sized<std::uint64_t>(t); }); },
         {"0", "1", "3"}},
        {"StreamRange.to, backward",
         [&](Extent t) {
             return read([&](auto& range) {
                 range.to = sized<std::uint64_t>(t);
                 range.backward = true;
             });
         },
         {"0", "1", "3"}},
        {"StreamRange.limit",
         [&](Extent t) { return read([&](auto& range) { range.limit = sized<std::size_t>(t); }); },
         {refused, "1", refused}},
        {"feed limit",
         [&](Extent t) { return feed(0, sized<std::size_t>(t)); },
         {refused, "1", refused}},
        {"feed after",
         [&](Extent t) {
             const auto page = streams_->feed(sized<std::uint64_t>(t), {}, 1);
             if (!page) return page.error().code;
             EXPECT_GE(page->next_position, sized<std::uint64_t>(t));
             return std::to_string(page->events.size());
         },
         {"1", "1", "0"}},
    });
}

TEST_P(StreamBounds, OfKeepingStreams) {
    expect_answers({
        {"Snapshot.version",
         [&](Extent t) {
             return word(streams_->save_snapshot(
                 fresh_stream(), {.version = sized<std::uint64_t>(t), .state = "{}"}));
         },
         {refused, "ok", refused}},
        {"Snapshot.schema_version",
         [&](Extent t) {
             return word(streams_->save_snapshot(
                 fresh_stream(),
                 {.version = 3, .schema_version = sized<std::uint32_t>(t), .state = "{}"}));
         },
         {refused, "ok", refused}},
        {"truncate version",
         [&](Extent t) {
             return word(streams_->truncate(fresh_stream(), sized<std::uint64_t>(t)));
         },
         {"ok", "ok", refused}},
        {"redact version",
         [&](Extent t) {
             return word(streams_->redact(fresh_stream(), sized<std::uint64_t>(t), "{}"));
         },
         {refused, "ok", refused}},
        {"name of a checkpoint",
         [&](Extent t) { return word(streams_->checkpoint(sized<std::string>(t))); },
         {refused, "ok", refused}},
        {"Checkpoint.position",
         [&](Extent t) {
             return word(
                 streams_->save_checkpoint(fresh_name(), {.position = sized<std::uint64_t>(t)}, 0));
         },
         {"ok", "ok", refused}},
        {"Checkpoint.fencing_token",
         [&](Extent t) {
             return word(streams_->save_checkpoint(
                 fresh_name(), {.position = 1, .fencing_token = sized<std::uint64_t>(t)}, 0));
         },
         {"ok", "ok", refused}},
        {"previous position",
         [&](Extent t) {
             return word(
                 streams_->save_checkpoint(fresh_name(), {.position = 1}, sized<std::uint64_t>(t)));
         },
         {"ok", "CHECKPOINT_CONFLICT", "CHECKPOINT_CONFLICT"}},
        {"parked after",
         [&](Extent t) { return word(streams_->parked("f", sized<std::uint64_t>(t))); },
         {"ok", "ok", "ok"}},
        {"unpark position",
         [&](Extent t) {
             const auto was_there = streams_->unpark("f", sized<std::uint64_t>(t));
             return was_there ? std::string{*was_there ? "there" : "not there"}
                              : was_there.error().code;
         },
         {"not there", "not there", "not there"}},
    });
}

TEST_P(StreamBounds, OfFollowing) {
    fresh_stream();
    const auto follow = [&](auto change) {
        const auto catch_up = [&](auto subscription) { return word(subscription.catch_up()); };
        sundial::Following following{.name = fresh_name()};
        change(following);
        const std::string handled = catch_up(
            streams_->follow(following, [](const auto&) -> Result<Done> { return Done{}; }));
        following.name = following.name.size() > 1000 ? following.name : fresh_name();
        const std::string projected = catch_up(streams_->project(
            following, [](auto&, const auto&) -> Result<Done> { return Done{}; }));
        EXPECT_EQ(handled, projected);
        return handled;
    };
    expect_answers({
        {"Following.name",
         [&](Extent t) {
             return t == Extent::nothing
                        ? word(streams_
                                   ->follow({.name = ""},
                                            [](const auto&) -> Result<Done> { return Done{}; })
                                   .catch_up())
                        : follow([&](auto& f) { f.name = sized<std::string>(t); });
         },
         {"STOPPED", "ok", "STOPPED"}},
        {"Following.lease",
         [&](Extent t) { return follow([&](auto& f) { f.lease = sized<microseconds>(t); }); },
         {"STOPPED", "STOPPED", "STOPPED"}},
        {"Following.page",
         [&](Extent t) { return follow([&](auto& f) { f.page = sized<std::size_t>(t); }); },
         {"STOPPED", "ok", "STOPPED"}},
        {"Following.lanes",
         [&](Extent t) { return follow([&](auto& f) { f.lanes = sized<std::size_t>(t); }); },
         {"STOPPED", "ok", "STOPPED"}},
        {"Following.retry.max_attempts",
         [&](Extent t) {
             return follow([&](auto& f) { f.retry.max_attempts = sized<unsigned>(t); });
         },
         {"STOPPED", "ok", "ok"}},
        {"Following.retry.base",
         [&](Extent t) { return follow([&](auto& f) { f.retry.base = sized<microseconds>(t); }); },
         {"ok", "ok", "STOPPED"}},  // more than the cap
        {"Following.retry.cap",
         [&](Extent t) {
             return follow([&](auto& f) {
                 f.retry.base = 0us;
                 f.retry.cap = sized<microseconds>(t);
             });
         },
         {"ok", "ok", "ok"}},
    });
}

TEST_P(StreamBounds, OfAggregates) {
    const auto execute = [&](sundial::AggregateRepository<Score>::Settings settings,
                             const sundial::Execution& how) {
        sundial::AggregateRepository<Score> scores{*streams_, std::move(settings)};
        const std::string id = fresh_name();
        for (int i = 0; i < 2; ++i) {
            const auto done = scores.execute(id, count_one, how);
            if (!done) return done.error().code;
        }
        return std::to_string(scores.load(id)->state.sum);
    };
    expect_answers({
        {"Execution.pessimistic_after",
         [&](Extent t) { return execute({}, {.pessimistic_after = sized<unsigned>(t)}); },
         {"2", "2", "2"}},
        {"Execution.retry.max_attempts",
         [&](Extent t) { return execute({}, {.retry = {.max_attempts = sized<unsigned>(t)}}); },
         {refused, "2", "2"}},
        {"Settings.snapshot_every",
         [&](Extent t) { return execute({.snapshot_every = sized<std::uint64_t>(t)}, {}); },
         {"2", "2", "2"}},
        {"Loaded.version",
         [&](Extent t) {
             sundial::AggregateRepository<Score> scores{*streams_};
             sundial::Loaded<Score> loaded{.id = fresh_name()};
             loaded.raise(1);
             loaded.version = sized<std::uint64_t>(t);  // which its one event was raised at
             return word(scores.save(loaded));
         },
         {refused, "ok", refused}},
    });
}

}  // namespace
