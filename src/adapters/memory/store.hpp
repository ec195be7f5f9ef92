#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "application/ports/clock.hpp"
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
    /// All recorded events, in order.
    [[nodiscard]] std::vector<RecordedEvent> recorded() const;

private:
    friend class MemoryEventQueue;
    friend class MemoryPullQueue;
    friend class MemoryFeed;
    std::shared_ptr<State> state_;
};

}  // namespace sundial::memory
