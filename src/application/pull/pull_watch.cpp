#include "application/pull/pull_watch.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace sundial {
namespace {

using namespace std::chrono_literals;

/// Minimum time between two reads. Woken workers have claimed by then, and a burst of hints causes
/// at most 200 reads a second.
constexpr std::chrono::microseconds rest = 5ms;

}  // namespace

PullWaits::Number PullWaits::add(EndpointId endpoint, Wake wake, Mono now,
                                 std::chrono::microseconds blocked) {
    if (waiting_.empty()) peek_at_ = Mono::max();  // the old instants are useless
    waiting_.emplace(++last_number_, Waiting{endpoint, std::move(wake)});
    if (blocked > 0us) {
        blocked_[endpoint] = now + blocked;
        peek_at_ = std::min(peek_at_, now + blocked);
    } else {
        soon(now);  // an event may have arrived after the caller's own read
    }
    return last_number_;
}

void PullWaits::soon(Mono now) {
    const Mono earliest = peeked_at_ ? std::max(now, *peeked_at_ + rest) : now;
    peek_at_ = std::min(peek_at_, earliest);
}

void PullWaits::hint(Instant due, Mono now) {
    if (due == never) return;
    blocked_.clear();  // an event may have ended
    // A test clock may have been moved since it was read.
    if (!peeked_at_ || stands_still_) return soon(now);
    const Instant database_now = database_then_ + (now - *peeked_at_);
    if (due <= database_now) return soon(now);
    peek_at_ = std::min(peek_at_, now + std::min<Mono>(due - database_now, tick_));
}

std::optional<Mono> PullWaits::peek_at() const {
    return waiting_.empty() ? std::nullopt : std::optional{peek_at_};
}

std::vector<EndpointId> PullWaits::endpoints(Mono now) const {
    std::set<EndpointId> distinct;
    for (const auto& [number, waiting] : waiting_) {
        const auto blocked = blocked_.find(waiting.endpoint);
        if (blocked == blocked_.end() || blocked->second <= now) distinct.insert(waiting.endpoint);
    }
    return {distinct.begin(), distinct.end()};
}

std::vector<PullWaits::Wake> PullWaits::note_peek(const PullPeek& peeked, Mono now) {
    peeked_at_ = now;
    database_then_ = peeked.now;
    peek_at_ = now + tick_;
    std::erase_if(blocked_, [&](const auto& one) { return one.second <= now; });
    for (const auto& [endpoint, until] : blocked_) peek_at_ = std::min(peek_at_, until);
    std::map<EndpointId, std::size_t> due;  // number of claims that would find events
    for (const PullHead& head : peeked.heads) {
        if (head.next <= peeked.now) {
            ++due[head.endpoint];
        } else if (!stands_still_) {
            hint(head.next, now);
        }
    }
    std::vector<Wake> woken;
    for (const auto& [endpoint, places] : due) {
        std::ranges::move(take(endpoint, places), std::back_inserter(woken));
        const bool more_wait = std::ranges::any_of(
            waiting_, [&](const auto& one) { return one.second.endpoint == endpoint; });
        // If there are more events than these workers take, the next in line get them.
        if (more_wait) peek_at_ = std::min(peek_at_, now + rest);
    }
    return woken;
}

std::vector<PullWaits::Wake> PullWaits::take(EndpointId endpoint, std::size_t limit) {
    std::vector<Wake> taken;
    for (auto one = waiting_.begin(); one != waiting_.end() && taken.size() < limit;) {
        if (one->second.endpoint != endpoint) {
            ++one;
            continue;
        }
        taken.push_back(std::move(one->second.wake));
        one = waiting_.erase(one);
    }
    return taken;
}

void PullWaits::peek_failed(Mono now) { peek_at_ = now + tick_; }

std::vector<PullWaits::Wake> PullWaits::end() {
    std::vector<Wake> all;
    for (auto& [number, waiting] : waiting_) all.push_back(std::move(waiting.wake));
    waiting_.clear();
    return all;
}

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
