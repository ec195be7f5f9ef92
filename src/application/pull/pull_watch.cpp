#include "application/pull/pull_watch.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "application/pull/pull_waits.hpp"

namespace sundial {

/// Shared with the waits, which may be destroyed at any time.
struct PullWatch::State {
    State(std::chrono::microseconds tick, bool clock_stands_still)
        : waits(tick, clock_stands_still) {}
    std::mutex mutex;
    std::condition_variable changed;
    PullWaits waits;
    bool stopping = false;
};

class PullWatch::Entry final : public Wait {
public:
    Entry(std::shared_ptr<State> state, PullWaits::Number number)
        : state_(std::move(state)), number_(number) {}
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() override {
        const std::lock_guard lock(state_->mutex);
        state_->waits.remove(number_);
    }

private:
    std::shared_ptr<State> state_;
    PullWaits::Number number_;
};

PullWatch::PullWatch(PullQueue& queue, const MonotonicClock& monotonic, base::Log& log,
                     std::chrono::microseconds tick, bool clock_stands_still)
    : queue_(queue),
      monotonic_(monotonic),
      log_(log),
      state_(std::make_shared<State>(tick, clock_stands_still)) {}

PullWatch::~PullWatch() = default;

std::shared_ptr<PullWatch::Wait> PullWatch::wait(EndpointId endpoint, std::function<void()> wake,
                                                 std::chrono::microseconds blocked) {
    std::unique_lock lock(state_->mutex);
    if (state_->stopping) {
        lock.unlock();
        wake();
        return std::make_shared<Entry>(state_, PullWaits::Number{0});
    }
    const auto number = state_->waits.add(endpoint, std::move(wake), now(), blocked);
    state_->changed.notify_all();
    return std::make_shared<Entry>(state_, number);
}

void PullWatch::due_at(Instant when) {
    const std::lock_guard lock(state_->mutex);
    const auto planned = state_->waits.peek_at();
    state_->waits.hint(when, now());
    // Most hints arrive while no worker waits.
    if (state_->waits.peek_at() != planned) state_->changed.notify_all();
}

void PullWatch::stop() {
    std::vector<PullWaits::Wake> all;
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopping = true;
        all = state_->waits.end();
        state_->changed.notify_all();
    }
    for (const auto& wake : all) wake();
}

bool PullWatch::stopped() const {
    const std::lock_guard lock(state_->mutex);
    return state_->stopping;
}

std::optional<Mono> PullWatch::turn() {
    std::vector<EndpointId> endpoints;
    {
        const std::lock_guard lock(state_->mutex);
        const auto peek_at = state_->waits.peek_at();
        if (!peek_at || now() < *peek_at) return peek_at;
        endpoints = state_->waits.endpoints(now());
    }
    std::vector<PullWaits::Wake> woken;
    std::optional<Mono> next;
    try {
        const PullPeek peeked = queue_.peek(endpoints);
        const std::lock_guard lock(state_->mutex);
        woken = state_->waits.note_peek(peeked, now());
        next = state_->waits.peek_at();
    } catch (const std::exception& error) {
        log_.write(
            {.level = base::LogLevel::warn,
             .event_name = {},
             .message = std::string{"checking for work of pull workers failed and is repeated: "} +
                        error.what(),
             .correlation_id = {},
             .fields = {}});
        const std::lock_guard lock(state_->mutex);
        state_->waits.peek_failed(now());
        next = state_->waits.peek_at();
    }
    for (const auto& wake : woken) wake();
    return next;
}

void PullWatch::run() {
    for (;;) {
        static_cast<void>(turn());
        std::unique_lock lock(state_->mutex);
        if (state_->stopping) return;
        // Read under the lock, so that no change since the turn is missed.
        const auto peek_at = state_->waits.peek_at();
        if (!peek_at) {
            state_->changed.wait(lock, [&] { return state_->stopping || state_->waits.peek_at(); });
        } else if (*peek_at > now()) {
            state_->changed.wait_for(lock, *peek_at - now(), [&] {
                const auto sooner = state_->waits.peek_at();
                return state_->stopping || !sooner || *sooner < *peek_at;
            });
        }
    }
}

}  // namespace sundial
