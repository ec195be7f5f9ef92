#include "application/streams/feed_watch.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sundial {
namespace {

using namespace std::chrono_literals;

/// Minimum time between two reads: a burst of appends causes at most 200 reads a second.
constexpr std::chrono::microseconds rest = 5ms;

/// No stream has this type, so the read returns only the end of the feed.
const FeedFilter nothing{.aggregate_types = {""}};

}  // namespace

/// Shared with the waits, which may be destroyed at any time.
struct FeedWatch::State {
    struct Waiting {
        std::uint64_t after;
        std::function<void()> wake;
    };
    explicit State(std::chrono::microseconds its_tick) : tick(its_tick) {}

    const std::chrono::microseconds tick;
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::uint64_t, Waiting> waiting;
    std::uint64_t last_number = 0;
    Mono read_at{};
    Mono last_read_at{};
    bool has_read = false;
    bool stopping = false;

    /// Reads as soon as the minimum pause after the last read allows.
    void soon(Mono now) {
        read_at = std::min(read_at, has_read ? std::max(now, last_read_at + rest) : now);
        changed.notify_all();
    }
    [[nodiscard]] std::optional<Mono> next() const {
        return waiting.empty() ? std::nullopt : std::optional{read_at};
    }
    /// The lowest position that a caller waits at.
    [[nodiscard]] std::uint64_t lowest() const {
        return std::ranges::min_element(waiting, {},
                                        [](const auto& one) { return one.second.after; })
            ->second.after;
    }
    /// The callers that wait for events before `end`; they no longer wait.
    [[nodiscard]] std::vector<std::function<void()>> take_before(std::uint64_t end) {
        std::vector<std::function<void()>> taken;
        std::erase_if(waiting, [&](auto& one) {
            if (one.second.after >= end) return false;
            taken.push_back(std::move(one.second.wake));
            return true;
        });
        return taken;
    }
};

class FeedWatch::Entry final : public Wait {
public:
    Entry(std::shared_ptr<State> state, std::uint64_t number)
        : state_(std::move(state)), number_(number) {}
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() override {
        const std::lock_guard lock(state_->mutex);
        state_->waiting.erase(number_);
    }

private:
    std::shared_ptr<State> state_;
    std::uint64_t number_;
};

FeedWatch::FeedWatch(Feed& feed, const MonotonicClock& monotonic, base::Log& log,
                     std::chrono::microseconds tick)
    : feed_(feed), monotonic_(monotonic), log_(log), state_(std::make_shared<State>(tick)) {}

FeedWatch::~FeedWatch() = default;

std::shared_ptr<FeedWatch::Wait> FeedWatch::wait(std::uint64_t after, std::function<void()> wake) {
    std::unique_lock lock(state_->mutex);
    if (state_->stopping) {
        lock.unlock();
        wake();
        return std::make_shared<Entry>(state_, 0);
    }
    const std::uint64_t number = ++state_->last_number;
    if (state_->waiting.empty()) state_->read_at = Mono::max();
    state_->waiting.emplace(number, State::Waiting{after, std::move(wake)});
    state_->soon(monotonic_.now());  // an event may have arrived after the caller's own read
    return std::make_shared<Entry>(state_, number);
}

void FeedWatch::appended() {
    const std::lock_guard lock(state_->mutex);
    if (!state_->waiting.empty()) state_->soon(monotonic_.now());
}

void FeedWatch::stop() {
    std::map<std::uint64_t, State::Waiting> all;
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopping = true;
        all.swap(state_->waiting);
        state_->changed.notify_all();
    }
    for (const auto& [number, waiting] : all) waiting.wake();
}

bool FeedWatch::stopped() const {
    const std::lock_guard lock(state_->mutex);
    return state_->stopping;
}

std::optional<Mono> FeedWatch::turn() {
    std::uint64_t end = 0;
    {
        const std::lock_guard lock(state_->mutex);
        const auto read_at = state_->next();
        if (!read_at || monotonic_.now() < *read_at) return read_at;
        end = state_->lowest();
        state_->has_read = true;
        state_->last_read_at = monotonic_.now();
        state_->read_at = state_->last_read_at + state_->tick;
    }
    try {
        for (bool more = true; more;) {
            const FeedPage page = feed_.read_all(end, nothing, 1);
            more = page.more && page.next_position > end;
            end = page.next_position;
        }
    } catch (const std::exception& error) {
        log_.write(
            {.level = base::LogLevel::warn,
             .event_name = {},
             .message = std::string{"checking the feed for new events failed and is repeated: "} +
                        error.what(),
             .correlation_id = {},
             .fields = {}});
    }
    std::vector<std::function<void()>> woken;
    std::optional<Mono> next;
    {
        const std::lock_guard lock(state_->mutex);
        woken = state_->take_before(end);
        next = state_->next();
    }
    for (const auto& wake : woken) wake();
    return next;
}

void FeedWatch::run() {
    for (;;) {
        static_cast<void>(turn());
        std::unique_lock lock(state_->mutex);
        if (state_->stopping) return;
        // Read under the lock, so that no change since the turn is missed.
        const auto read_at = state_->next();
        if (!read_at) {
            state_->changed.wait(lock, [&] { return state_->stopping || state_->next(); });
        } else if (*read_at > monotonic_.now()) {
            state_->changed.wait_for(lock, *read_at - monotonic_.now(), [&] {
                const auto sooner = state_->next();
                return state_->stopping || !sooner || *sooner < *read_at;
            });
        }
    }
}

}  // namespace sundial
