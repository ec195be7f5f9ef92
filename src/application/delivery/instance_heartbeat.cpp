#include "application/delivery/instance_heartbeat.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "application/observation/engine_log.hpp"
#include "application/ports/failures.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

/// Pause after a renewal that failed: two or three more fit into the time that is left.
constexpr Mono retry_pause = 250ms;
/// Minimum time between two renewals, however soon another instance may be found dead.
constexpr Mono shortest_pause = 10ms;

}  // namespace

void InstanceHeartbeat::begin() {
    ports_.presence.show(own_);
    const Mono now = ports_.monotonic.now();
    ports_.permit.begin(now, now);
    set({.until = now, .since = now});
}

InstanceHeartbeat::Beat InstanceHeartbeat::send() {
    Beat beat{.sent_at = ports_.monotonic.now()};
    try {
        beat.renewal = ports_.queue.renew(own_);
    } catch (const std::exception& exception) {
        beat.failure = exception.what();
    }
    return beat;
}

Mono InstanceHeartbeat::answered(const Beat& beat) {
    if (beat.failure) {
        failed(*beat.failure);
        return ports_.monotonic.now() + retry_pause;
    }
    if (beat.renewal) return renewed(*beat.renewal, beat.sent_at);
    ports_.permit.begin(Mono::min(), Mono::max());
    set({});
    return Mono::max();
}

Mono InstanceHeartbeat::renewed(const Renewal& renewal, Mono sent_at) {
    const Mono answered_at = ports_.monotonic.now();
    failing_ = false;
    const Alive before = state();
    Alive now{.until = sent_at + silent_after, .since = before.since, .dead = {}};
    if (answered_at < before.until) {
        ports_.permit.extend(now.until);
    } else {
        now.since = answered_at;
        ports_.permit.begin(now.since, now.until);
        const bool has_begun = before.until > before.since;
        if (has_begun) ports_.log.write(heartbeat_lost_line(answered_at - before.until));
    }
    now.dead = dead_of(renewal, before.dead);
    const bool in_time = answered_at < now.until;
    set(std::move(now));
    if (!in_time) return answered_at;
    Mono next = sent_at + renew_every;
    if (renewal.next_death) next = std::min(next, answered_at + *renewal.next_death);
    return std::max(next, answered_at + shortest_pause);
}

DeadInstances InstanceHeartbeat::dead_of(const Renewal& renewal, const DeadInstances& known) const {
    DeadInstances dead{.ids = {}, .as_of = renewal.dead.as_of};
    const auto add = [&](const InstanceId& id, bool has_ended) {
        dead.ids.push_back(id);
        if (std::ranges::find(known.ids, id) == known.ids.end()) {
            ports_.log.write(instance_dead_line(id, has_ended));
        }
    };
    for (const InstanceId& id : renewal.alive) {
        if (ports_.presence.has_ended(id)) add(id, true);
    }
    for (const InstanceId& id : renewal.dead.ids) add(id, false);
    std::ranges::sort(dead.ids);  // so that the same instances compare equal
    return dead;
}

void InstanceHeartbeat::failed(const std::string& why) {
    if (std::exchange(failing_, true)) return;
    ports_.log.write(heartbeat_failed_line(why));
}

void InstanceHeartbeat::end(bool idle) {
    ports_.permit.begin(Mono::min(), Mono::max());
    set({});
    if (!idle) return;  // other instances find it dead and take over its claims
    ports_.presence.withdraw(own_);
    try {
        ports_.queue.retire(own_);
    } catch (const Unavailable& unavailable) {
        failed(unavailable.what());  // it will be found dead, but holds no claim
    }
}

Alive InstanceHeartbeat::state() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

void InstanceHeartbeat::set(Alive state) {
    const std::lock_guard lock(mutex_);
    state_ = std::move(state);
}

}  // namespace sundial
