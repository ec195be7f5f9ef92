#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "adapters/sqlite/open.hpp"
#include "application/streams/append_to_stream.hpp"
#include "application/streams/subscription.hpp"
#include "contract/settlements.hpp"
#include "files.hpp"
#include "support/builders.hpp"
#include "support/child_process.hpp"
#include "support/fake_digest.hpp"
#include "support/manual_timing.hpp"
#include "support/recorded_log.hpp"

namespace sundial::sqlite {
namespace {

constexpr int rounds = 20;
constexpr std::size_t least_acknowledged = 150;  // per round, before the kill

/// Reports of the child after an answer of the storage: which event, and which step is stored.
constexpr char created = 'c';
constexpr char completed = 'd';
constexpr std::size_t line_length = 38;
std::string line(char what, EventId id) { return what + to_string(id) + "\n"; }

std::unique_ptr<SqliteDatabase> open(const std::filesystem::path& file, base::Log& log) {
    return SqliteDatabase::open({.file = file, .real_time = [] { return noon; }}, log,
                                [](const std::string& why) { ADD_FAILURE() << why; });
}

/// Creates, claims and settles until killed. Reports each step after its answer.
void work_until_killed(const std::filesystem::path& file, int round, const Pipe& acknowledged) {
    RecordedLog log;
    const auto database = open(file, log);
    std::vector<std::thread> threads;
    for (int creator = 0; creator < 3; ++creator) {
        threads.emplace_back([&, creator] {
            for (std::uint64_t n = 0;; ++n) {
                const auto number = (static_cast<std::uint64_t>(round * 3 + creator) << 32U) + n;
                const Event event = an_event()
                                        .with_id(EventId{uuid_of(number)})
                                        .with_key("kill-" + std::to_string(number))
                                        .due(the_day_before);
                database->store().transact(
                    [&](Transaction& tx) { return tx.events().add(event).has_value(); });
                acknowledged.write(line(created, event.id));
            }
        });
    }
    const InstanceId me{uuid_of(0xc000'0000'0000U + static_cast<unsigned>(round))};
    for (;;) {
        const auto claimed = database->queue().claim_ready(
            {.by = me, .shares = {5, 5, 5, 5}, .lease = 1h, .lane = reminder_lane});
        for (const auto& [event, previous_lost] : claimed.events) {
            const auto answers = database->queue().settle(std::vector{accepted(event, noon)});
            if (answers.at(0)) acknowledged.write(line(completed, event.id));
        }
    }
}

struct Acknowledged {
    std::set<EventId> created;
    std::set<EventId> completed;

    void take(const std::string& lines) {
        for (std::size_t at = 0; at + line_length <= lines.size(); at += line_length) {
            const EventId id{base::parse_uuid(lines.substr(at + 1, 36)).value()};
            (lines[at] == sqlite::created ? created : completed).insert(id);
        }
    }
};

/// No acknowledged write is lost, however the process ends. Events claimed at that time can be
/// claimed at once.
TEST(KillNine, LosesNothingThatWasAcknowledged) {
    const TemporaryFolder folder;
    Acknowledged acknowledged;
    for (int round = 0; round < rounds; ++round) {
        std::string output;
        {
            Pipe pipe;
            ChildProcess child{[&] { work_until_killed(folder.file(), round, pipe); }};
            pipe.close_writing();
            while (output.size() < least_acknowledged * line_length) {
                const auto more = pipe.read();
                ASSERT_FALSE(more.empty()) << "the child ended by itself";
                output += more;
            }
            child.kill();
            for (auto rest = pipe.read(); !rest.empty(); rest = pipe.read()) output += rest;
        }
        acknowledged.take(output);

        RecordedLog log;
        const auto database = open(folder.file(), log);
        database->store().read([&](Transaction& tx) {
            for (const EventId& id : acknowledged.created) {
                EXPECT_TRUE(tx.events().find(id)) << to_string(id) << " is lost";
            }
            for (const EventId& id : acknowledged.completed) {
                const auto event = tx.events().find(id);
                EXPECT_TRUE(event && status_of(*event) == EventStatus::completed) << to_string(id);
            }
        });
        const auto now = database->clock().now();
        EXPECT_EQ(
            answer_to(
                folder.file(),
                "SELECT count(*) FROM events WHERE claimed_by IS NOT NULL AND claimable_at > " +
                    std::to_string(now.time_since_epoch().count())),
            "0");
    }
    EXPECT_GE(acknowledged.created.size() + acknowledged.completed.size(),
              rounds * least_acknowledged);
    EXPECT_FALSE(acknowledged.completed.empty());
}

const StreamId orders{"Order", "1"}, view{"View", "1"};

Append facts_of(const StreamId& stream, std::size_t count) {
    Append append{.stream = stream, .events = {}};
    for (std::size_t i = 0; i < count; ++i) {
        append.events.push_back(
            {.event_id = uuid_of(next_number()), .event_type = "Happened", .data = "1"});
    }
    return append;
}

TEST(KillNine, ES14_LeavesNothingOfABatchThatWasInsertedAndNotCommitted) {
    const TemporaryFolder folder;
    const FakeDigest digest;
    const Append first = facts_of(orders, 2), lost = facts_of(orders, 3),
                 last = facts_of(orders, 1);
    ChildProcess child{[&] {
        RecordedLog log;
        const auto database = open(folder.file(), log);
        AppendToStream append{database->store(), digest};
        if (!append.run(first)) return;
        database->store().transact([&](Transaction& tx) {
            if (append.run(tx, lost)) std::raise(SIGKILL);
            return true;
        });
    }};
    child.wait();

    RecordedLog log;
    const auto database = open(folder.file(), log);
    AppendToStream append{database->store(), digest};
    const auto next = append.run(last);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->first_version, 3U);
    EXPECT_TRUE(append.run(first)->replayed);
    EXPECT_FALSE(append.run(lost)->replayed);  // nothing of it was stored
}

/// Copies the orders from the feed into the view until killed. Reports after each step, and stops
/// after `last`, so that a late kill interrupts it, too.
void follow_until_killed(const std::filesystem::path& file, std::uint64_t number,
                         std::uint64_t last, const Pipe& progress) {
    RecordedLog log;
    const FakeDigest digest;
    const auto database = open(file, log);
    AppendToStream append{database->store(), digest};
    std::uint64_t steps = 0;
    ManualTiming timing;
    Subscription::Settings settings{.name = "view", .holder = "only", .page = 3};
    settings.filter = {.aggregate_types = {"Order"}};
    Subscription subscription{
        database->store(), database->feed(), timing, settings,
        Subscription::Project{[&](Transaction& tx, const FeedPage::Entry&) -> HandlingFailure {
            Append one{.stream = view, .events = {}};
            one.events.push_back({.event_id = uuid_of((number << 32U) + ++steps),
                                  .event_type = "Seen",
                                  .data = "1"});
            if (!append.run(tx, one)) return "not kept";
            progress.write("x");
            if (steps == last) ::pause();
            return std::nullopt;
        }}};
    while (subscription.turn() == Subscription::State::moved) {
    }
    progress.write("end");
    ::pause();
}

TEST(KillNine, ES38_AProjectionCountsEachEventOnceHoweverOftenItsProcessEnds) {
    constexpr std::size_t count = 200;
    const TemporaryFolder folder;
    {
        RecordedLog log;
        const FakeDigest digest;
        const auto database = open(folder.file(), log);
        AppendToStream append{database->store(), digest};
        ASSERT_TRUE(append.run(facts_of(orders, count)));
    }
    std::uint64_t kills = 0;
    for (bool ended = false; !ended; ++kills) {
        const std::uint64_t enough = 5 + kills * 7;
        Pipe pipe;
        ChildProcess child{
            [&] { follow_until_killed(folder.file(), kills + 1, enough + 6, pipe); }};
        pipe.close_writing();
        std::string output;
        // Later with each kill: somewhere between handling and checkpoint.
        while (output.size() < enough && output.find("end") == std::string::npos) {
            const auto more = pipe.read();
            ASSERT_FALSE(more.empty()) << "the child ended by itself";
            output += more;
        }
        child.kill();
        ended = output.find("end") != std::string::npos;
    }
    EXPECT_GT(kills, 4U);
    RecordedLog log;
    const auto database = open(folder.file(), log);
    const auto head =
        in_read(database->store(), [](Transaction& tx) { return tx.streams().find(view); });
    EXPECT_EQ(head.version, count);
}

}  // namespace
}  // namespace sundial::sqlite
