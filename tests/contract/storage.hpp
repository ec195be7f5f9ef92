#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/ports/store.hpp"
#include "domain/stream.hpp"
#include "support/builders.hpp"
#include "support/describe.hpp"

namespace sundial {

/// One storage under test: empty except for the schedule `birthday` at 09:00, with a test clock at
/// `noon`.
class Storage {
public:
    virtual ~Storage() = default;
    virtual Store& store() = 0;
    virtual EventQueue& queue() = 0;
    virtual PullQueue& pull_queue() = 0;
    virtual Clock& clock() = 0;
    virtual Feed& feed() = 0;
};

/// An adapter, for INSTANTIATE_TEST_SUITE_P. `open` gives each test its own storage. A slow adapter
/// may keep one database for all tests of the program and empty it in `open`.
struct StorageKind {
    std::string name;
    std::function<std::unique_ptr<Storage>()> open;
    friend void PrintTo(const StorageKind& kind, std::ostream* out) { *out << kind.name; }
};

/// The base of every suite in this folder, with the vocabulary of its tests.
class StorageTest : public testing::TestWithParam<StorageKind> {
protected:
    Store& store() { return storage_->store(); }
    EventQueue& queue() { return storage_->queue(); }
    PullQueue& pull_queue() { return storage_->pull_queue(); }
    Clock& clock() { return storage_->clock(); }
    Feed& feed() { return storage_->feed(); }
    Storage& storage() { return *storage_; }
    /// All recorded events, oldest first; `data` is empty where it was erased.
    std::vector<RecordedEvent> recorded() {
        std::vector<RecordedEvent> all;
        for (const auto& entry : feed().read_all(0, {}, 10'000).entries) {
            all.push_back(entry.event);
        }
        return all;
    }
    void advance(std::chrono::microseconds by) {
        const auto moved = clock().set(clock().now() + by);
        ASSERT_TRUE(moved.has_value());
    }

    /// Runs `work(tx)`, commits, and returns its result.
    template <class Work>
    auto write(Work work) {
        using Answer = std::invoke_result_t<Work&, Transaction&>;
        if constexpr (std::is_void_v<Answer>) {
            store().transact([&](Transaction& tx) { return work(tx), true; });
        } else {
            std::optional<Answer> answer;
            store().transact([&](Transaction& tx) { return answer.emplace(work(tx)), true; });
            return std::move(*answer);
        }
    }
    /// Runs `work(tx)` in a read transaction and returns its result.
    template <class Work>
    auto read(Work work) {
        return in_read(store(), std::move(work));
    }

    /// Stores the events.
    template <class... Events>
    void given(const Events&... events) {
        write([&](Transaction& tx) {
            for (const Event& event : {static_cast<Event>(events)...}) {
                ASSERT_TRUE(tx.events().add(event).has_value());
            }
        });
    }
    std::optional<Event> find(EventId id) {
        return read([&](Transaction& tx) { return tx.events().find(id); });
    }
    std::vector<AttemptRecord> attempts_of(EventId id) {
        return read([&](Transaction& tx) { return tx.events().attempts_of(id); });
    }
    std::vector<Event> events_like(const EventQuery& query = {}) {
        return read([&](Transaction& tx) { return tx.events().list(query).items; });
    }

    /// Claims at most `each` of every priority, in all shards.
    std::vector<ClaimedEvent> claim(InstanceId by, std::uint32_t each = 100,
                                    std::chrono::microseconds for_so_long = 30s) {
        std::vector<ClaimedEvent> all;
        for (std::uint32_t shard = 0; shard < queue().shards(); ++shard) {
            for (const Lane& lane : all_lanes) {
                auto claimed = queue().claim_ready({.by = by,
                                                    .shard = shard,
                                                    .shares = {each, each, each, each},
                                                    .lease = for_so_long,
                                                    .lane = lane});
                std::move(claimed.events.begin(), claimed.events.end(), std::back_inserter(all));
            }
        }
        return all;
    }
    /// Claims reminders without an endpoint in one shard.
    std::vector<ClaimedEvent> claim_in(std::uint32_t shard, InstanceId by,
                                       std::array<std::uint32_t, 4> shares) {
        return queue()
            .claim_ready(
                {.by = by, .shard = shard, .shares = shares, .lease = 30s, .lane = reminder_lane})
            .events;
    }
    /// Claims the one event that is claimable.
    Event claim_one(InstanceId by = instance_a) {
        auto claimed = claim(by);
        EXPECT_EQ(claimed.size(), 1U);
        return claimed.at(0).event;
    }
    Result<void> settle(const Settlement& settlement) {
        return queue().settle(std::vector{settlement}).at(0);
    }
    Result<void> release_claims(const ReleasedClaim& released) {
        return queue().release_claims(std::vector{released}).at(0);
    }

    /// Runs `work(0)` to `work(count - 1)` concurrently, each in a thread, and waits for all.
    template <class Work>
    void at_once(int count, Work work) {
        std::vector<std::future<void>> running;
        for (int i = 0; i < count; ++i) {
            running.push_back(std::async(std::launch::async, [&work, i] { work(i); }));
        }
        for (auto& one : running) one.get();
    }

private:
    std::unique_ptr<Storage> storage_ = GetParam().open();
};

/// Whether the answer is an error of type E.
template <class Reason, class T, class E>
[[nodiscard]] bool is(const base::Result<T, E>& answer) {
    if constexpr (std::same_as<E, Reason>) {
        return !answer.has_value();
    } else {
        return !answer && std::holds_alternative<Reason>(answer.error());
    }
}

}  // namespace sundial
