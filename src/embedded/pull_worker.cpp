#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/saturate.hpp"
#include "embedded/answers.hpp"
#include "embedded/parts.hpp"

namespace sundial::embedding {
namespace {

/// A condition variable counts in nanoseconds, in which not every wait can be counted.
constexpr std::chrono::microseconds longest_sleep = std::chrono::hours{24};

/// The watch signals it, possibly after the waiting call has returned.
class Bell {
public:
    void ring() {
        const std::lock_guard lock(mutex_);
        rung_ = true;
        changed_.notify_all();
    }
    void wait_for(std::chrono::microseconds time) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, time, [this] { return rung_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool rung_ = false;
};

}  // namespace

Result<std::vector<Event>> PullWorker::claim(const WorkOrder& requested) {
    sundial::WorkOrder order{.endpoint = "ext:" + parts_->queue,
                             .worker = parts_->name,
                             .limit = requested.limit,
                             .lease = requested.lease};
    const auto until = base::later(parts_->monotonic.now(), requested.wait);
    const auto claimed = [&]() -> sundial::Result<std::vector<sundial::Event>> {
        if (requested.wait.count() < 0)
            return invalid("/wait", "out_of_range", "cannot be negative");
        while (!parts_->watch.stopped()) {
            auto work = parts_->pull.run(order);
            if (!work) return work.error();
            const auto left = until - parts_->monotonic.now();
            if (!work->events.empty() || left.count() <= 0) return std::move(work->events);
            order.token_at = work->token_at;
            const auto bell = std::make_shared<Bell>();
            const auto waiting =
                parts_->watch.wait(work->endpoint, [bell] { bell->ring(); }, work->wait);
            bell->wait_for(std::min(left, longest_sleep));
        }
        return Stopped{};  // a program that shuts down claims nothing more
    };
    return answered<std::vector<Event>>(parts_->process, claimed);
}

Result<Event> PullWorker::complete(const Event& claimed) {
    return answered<Event>(parts_->process, [&] {
        return parts_->settle.complete(claimed.id, Version{claimed.version});
    });
}

Result<Event> PullWorker::fail(const Event& claimed, const std::string& why) {
    return answered<Event>(parts_->process, [&] {
        return parts_->settle.fail(claimed.id, Version{claimed.version}, {.reason = why});
    });
}

Result<Event> PullWorker::refuse(const Event& claimed, const std::string& why) {
    return answered<Event>(parts_->process, [&] {
        return parts_->settle.fail(claimed.id, Version{claimed.version},
                                   {.reason = why, .retry = false});
    });
}

Result<Event> PullWorker::release(const Event& claimed) {
    return answered<Event>(parts_->process, [&] {
        return parts_->settle.release(claimed.id, Version{claimed.version});
    });
}

Result<Event> PullWorker::snooze(const Event& claimed, Instant until) {
    return answered<Event>(parts_->process, [&] {
        return parts_->settle.release(claimed.id, Version{claimed.version},
                                      std::clamp(until, Instant{}, latest_instant));
    });
}

Result<Event> PullWorker::extend(const Event& claimed, std::chrono::microseconds lease) {
    return answered<Event>(parts_->process, [&] {
        return parts_->settle.extend(claimed.id, Version{claimed.version}, lease);
    });
}

}  // namespace sundial::embedding
