#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "adapters/postgres/open.hpp"
#include "application/streams/append_to_stream.hpp"
#include "patient.hpp"
#include "support/builders.hpp"
#include "support/fake_digest.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

/// ES32 to ES36 under load: many transactions append, pause, and commit or roll back, while others
/// follow. SUNDIAL_FEED_SECONDS sets the duration, by default 5 s.
namespace sundial::postgres {
namespace {

constexpr int writers = 16, streams = 8;

struct Seen {
    std::uint64_t position;
    std::string event_id;
    std::string stream;
    std::uint64_t version;
};

/// Compares the events that a follower saw with the committed ones.
struct Verdict {
    std::size_t lost = 0, twice = 0, out_of_order = 0, never_committed = 0;
};
Verdict judge(const std::vector<Seen>& seen, const std::set<std::string>& committed) {
    Verdict verdict;
    std::set<std::string> ids;
    std::map<std::string, std::uint64_t> versions;
    std::uint64_t position = 0;
    for (const Seen& one : seen) {
        if (!ids.insert(one.event_id).second) ++verdict.twice;
        if (!committed.contains(one.event_id)) ++verdict.never_committed;
        if (one.position <= position || one.version <= versions[one.stream]) {
            ++verdict.out_of_order;
        }
        position = std::max(position, one.position);
        versions[one.stream] = std::max(versions[one.stream], one.version);
    }
    for (const std::string& id : committed) verdict.lost += ids.contains(id) ? 0U : 1U;
    return verdict;
}

std::ostream& operator<<(std::ostream& out, const Verdict& verdict) {
    return out << verdict.lost << " lost, " << verdict.out_of_order << " reordered, "
               << verdict.twice << " twice";
}

class FeedUnderLoad : public testing::Test {
protected:
    static std::chrono::seconds duration() {
        const char* seconds = std::getenv("SUNDIAL_FEED_SECONDS");
        return std::chrono::seconds{seconds == nullptr ? 5 : std::stoi(seconds)};
    }
    /// Appends batches of random size, some in one call, others with random pauses before they
    /// commit or roll back.
    void write(unsigned seed, const std::stop_token& stop) {
        std::mt19937_64 random{seed};
        while (!stop.stop_requested()) {
            Append requested{.stream = {"Load", std::to_string(random() % streams)}, .events = {}};
            const std::size_t size = 1 + random() % 5;
            for (std::size_t i = 0; i < size; ++i) {
                requested.events.push_back(
                    {.event_id = uuid_of(next_number()), .event_type = "Written", .data = "1"});
            }
            const bool by_itself = random() % 3 == 0;
            const bool keep = by_itself || random() % 5 != 0;
            const std::chrono::milliseconds pause{random() % 2 == 0 ? 0 : random() % 30};
            if (by_itself) {
                EXPECT_TRUE(append_.run(requested));
            } else {
                database_->store().transact([&](Transaction& tx) {
                    EXPECT_TRUE(append_.run(tx, requested));
                    std::this_thread::sleep_for(pause);  // part of the load
                    return keep;
                });
            }
            const std::lock_guard lock{mutex_};
            if (!keep) ++rolled_back_;
            for (const auto& event : requested.events) {
                if (keep) committed_.insert(base::to_string(event.event_id));
            }
            written_.notify_all();
        }
    }
    /// On a busy machine the load takes longer.
    void wait_for_enough() {
        std::unique_lock lock{mutex_};
        written_.wait(lock, [this] { return committed_.size() > 1000 && rolled_back_ > 100; });
    }
    /// Appends one event, and commits it only after the control has read a later one.
    void commit_late() {
        const Append requested{
            .stream = {"Load", "late"},
            .events = {{.event_id = uuid_of(next_number()), .event_type = "Written", .data = "1"}}};
        database_->store().transact([&](Transaction& tx) {
            const auto appended = append_.run(tx, requested);
            if (!appended) ADD_FAILURE() << "the append was refused";
            if (!appended) return false;
            for (auto read = control_at_.load(); read <= appended->last_position;
                 read = control_at_.load()) {
                control_at_.wait(read);
            }
            return true;
        });
        const std::lock_guard lock{mutex_};
        committed_.insert(base::to_string(requested.events.front().event_id));
    }
    /// Writes without a pause, but appends nothing.
    void hold_a_row(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            database_->store().transact([&](Transaction& tx) {
                Checkpoint checkpoint = tx.checkpoints().lock("long");
                checkpoint.version = base::next(checkpoint.version);
                tx.checkpoints().put("long", checkpoint);
                for (int i = 0; i < 20 && !stop.stop_requested(); ++i) {
                    std::this_thread::sleep_for(100ms);
                }
                return true;
            });
        }
    }
    std::vector<Seen> follow(const std::stop_token& writers_done) {
        std::vector<Seen> seen;
        for (std::uint64_t after = 0;;) {
            const bool last = writers_done.stop_requested();
            const auto page = database_->feed().read_all(after, {}, 100);
            for (const auto& [event, deleted] : page.entries) {
                seen.push_back({event.position, base::to_string(event.event_id),
                                event.stream.aggregate_id, event.version.value});
            }
            after = page.next_position;
            if (last && !page.more && page.entries.empty()) return seen;
        }
    }
    /// The control: assumes that all visible events are all events.
    std::vector<Seen> trust_the_sequence(const std::stop_token& writers_done) {
        std::vector<Seen> seen;
        SqlConnection connection{url_};
        for (std::uint64_t after = 0;;) {
            const bool last = writers_done.stop_requested();
            const auto rows = connection.query(
                "SELECT position, event_id, aggregate_id, version"
                " FROM sundial.recorded_events WHERE position > " +
                std::to_string(after) + " ORDER BY position LIMIT 100");
            for (const auto& row : rows) {
                after = std::stoull(row[0]);
                seen.push_back({after, row[1], row[2], std::stoull(row[3])});
            }
            control_at_ = after;
            control_at_.notify_all();
            if (last && rows.empty()) return seen;
        }
    }

    [[nodiscard]] Settings settings() const {
        Settings settings = patient(url_);
        settings.pool_size = writers + 5;
        return settings;
    }

    const std::string url_ = PostgresCluster::shared().create_database();
    RecordedLog log_;
    std::unique_ptr<PostgresDatabase> database_ = PostgresDatabase::open(settings(), log_);
    FakeDigest digest_;
    AppendToStream append_{database_->store(), digest_};
    std::mutex mutex_;
    std::condition_variable written_;
    std::set<std::string> committed_;
    std::size_t rolled_back_ = 0;
    std::atomic<std::uint64_t> control_at_ = 0;
};

TEST_F(FeedUnderLoad, ES32_ES36_LosesNothingAndReordersNothing) {
    std::stop_source writing, written;
    std::vector<Seen> followed, trusted;
    std::jthread follower{[&] { followed = follow(written.get_token()); }};
    std::jthread control{[&] { trusted = trust_the_sequence(written.get_token()); }};
    std::vector<std::jthread> all;
    for (unsigned i = 0; i < writers; ++i) {
        all.emplace_back([&, i] { write(i, writing.get_token()); });
    }
    all.emplace_back([&] { hold_a_row(writing.get_token()); });
    all.emplace_back([&] { commit_late(); });
    std::this_thread::sleep_for(duration());  // the duration of the load
    wait_for_enough();
    writing.request_stop();
    all.clear();
    written.request_stop();
    follower.join();
    control.join();

    const Verdict of_feed = judge(followed, committed_), of_control = judge(trusted, committed_);
    std::cout << committed_.size() << " events appended by " << writers << " writers in "
              << duration().count() << " s, " << rolled_back_ << " batches rolled back\n"
              << "  the feed: " << of_feed << '\n'
              << "  a reader that trusts the sequence: " << of_control << '\n';
    EXPECT_EQ(of_feed.lost, 0U);
    EXPECT_EQ(of_feed.twice, 0U);
    EXPECT_EQ(of_feed.out_of_order, 0U);
    EXPECT_EQ(of_feed.never_committed, 0U);
    EXPECT_GT(of_control.lost, 0U) << "the event that was committed late was not lost";
}

}  // namespace
}  // namespace sundial::postgres
