#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/ports/store.hpp"

namespace sundial::memory {

struct State;

struct MemoryOptions {
    std::uint32_t shards = 1;
    TimeOfDay birthday_time{std::chrono::hours{9}};  // of the initial schedule `birthday`
};

/// Keeps everything in RAM and runs one transaction at a time: the model that the databases are
/// compared with. All data ends with the process.
class MemoryStore final : public Store {
public:
    explicit MemoryStore(Clock& clock, const MemoryOptions& options = {});
    ~MemoryStore() override;
    void transact(const std::function<bool(Transaction&)>& work) override;
    void read(const std::function<void(Transaction&)>& work) override;
    [[nodiscard]] bool open_here() override;
    /// The live events, claimed and settled by the rules of the domain.
    [[nodiscard]] EventQueue& queue() { return *queue_; }
    /// Those of PULL endpoints.
    [[nodiscard]] PullQueue& pull_queue() { return *pull_queue_; }
    [[nodiscard]] MeteredFeed& feed() { return *feed_; }
    /// All recorded events, in order.
    [[nodiscard]] std::vector<RecordedEvent> recorded() const;

private:
    std::unique_ptr<State> state_;
    std::unique_ptr<EventQueue> queue_;
    std::unique_ptr<PullQueue> pull_queue_;
    std::unique_ptr<MeteredFeed> feed_;
};

/// A test clock: stands still until it is set or advanced.
class ManualClock final : public Clock {
public:
    explicit ManualClock(Instant now);
    Instant now() override;
    [[nodiscard]] bool is_test() const override { return true; }
    Result<void, ClockNotTest, ValidationFailed> set(Instant now) override;
    void advance(std::chrono::microseconds by);  // negative: a step back

private:
    std::mutex mutex_;
    Instant now_;
};

}  // namespace sundial::memory
