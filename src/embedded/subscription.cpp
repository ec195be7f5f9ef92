#include "embedded/subscription.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "embedded/answers.hpp"

namespace sundial::embedding {

Subscription::Subscription(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Subscription::Subscription(Subscription&&) noexcept = default;
Subscription& Subscription::operator=(Subscription&& other) noexcept {
    if (this == &other) return *this;
    close(std::exchange(parts_, std::move(other.parts_)));
    return *this;
}
Subscription::~Subscription() { close(std::move(parts_)); }

void Subscription::close(std::unique_ptr<Parts> parts) noexcept {
    if (!parts || parts->process.forked() || !parts->handling->running_here()) {
        return destroy_unless_forked(std::move(parts));
    }
    Parts& its = *parts;
    its.depart(std::move(parts));
}

Result<Done> Subscription::catch_up() {
    using State = Follower::State;
    Parts& parts = *parts_;
    if (parts.process.forked()) return parts.process.error();
    if (parts.handling->running_here()) {
        return Error{"REENTRANT_CALL",
                     "catch_up() was called inside the handler of its subscription"};
    }
    if (!parts.begin_catching_up()) {
        return Error{"LOCK_HELD", "this subscription handles events on another thread"};
    }
    const auto came_to = answered<State>(parts.process, [&] {
        const std::stop_token stop = parts.caught_up.get_token();
        State state = State::moved;
        while (state == State::moved && !stop.stop_requested())
            state = parts.followed.follower->turn(stop);
        parts.followed.follower->release();
        return state;
    });
    const auto answer = [&]() -> Result<Done> {
        if (!came_to) return came_to.error();
        if (*came_to == State::elsewhere) {
            return Error{"LOCK_HELD", "another subscription uses that name"};
        }
        if (*came_to == State::stopped) {
            return Error{"STOPPED", parts.followed.follower->why().value_or("")};
        }
        if (parts.itself) return Error{"STOPPED", "its handler destroyed the subscription"};
        return Done{};
    }();
    const bool starts = [&] {
        const std::lock_guard lock(parts.starting);
        parts.catching_up = false;
        return std::exchange(parts.again, false);
    }();
    if (starts && !parts.itself) parts.start();
    Parts::end_if_departing(parts);
    return answer;
}

void Subscription::start() {
    Parts& parts = *parts_;
    if (!parts.process.forked()) parts.start();
}

void Subscription::stop() {
    Parts& parts = *parts_;
    if (parts.process.forked()) return;
    parts.handling->running_here() ? parts.request_stop() : parts.end_thread();
}

std::optional<std::string> Subscription::stopped() const {
    if (parts_->process.forked()) return parts_->process.error().detail;
    return parts_->followed.follower->why();
}

}  // namespace sundial::embedding
