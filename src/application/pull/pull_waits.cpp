#include "application/pull/pull_waits.hpp"

#include <algorithm>
#include <iterator>
#include <set>
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

}  // namespace sundial
