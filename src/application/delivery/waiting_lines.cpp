#include "application/delivery/waiting_lines.hpp"

#include <algorithm>
#include <utility>

namespace sundial {

void WaitingLines::note_peek(const QueuePeek& peeked, Instant latest) {
    limited_ = {peeked.limited.begin(), peeked.limited.end()};
    const auto before = std::exchange(waiting_, {});
    for (const LineHead& head : peeked.lines) joined(head);
    for (auto& [endpoint, waiting] : waiting_) {
        const auto known = before.find(endpoint);
        if (known == before.end()) continue;
        if (known->second.ask_at > latest) continue;
        waiting.ask_at = known->second.ask_at;
        waiting.full = known->second.full;
    }
}

void WaitingLines::joined(const LineHead& head) {
    const auto [places, fresh] = waiting_[head.endpoint].places.try_emplace(head.shard, no_heads);
    Instant& first = places->second.at(static_cast<std::size_t>(head.priority));
    first = std::min(first, head.next);
}

std::vector<EndpointId> WaitingLines::limited() const {
    std::set<EndpointId> all = limited_;
    for (const auto& [endpoint, waiting] : waiting_) all.insert(endpoint);
    return {all.begin(), all.end()};
}

std::vector<EndpointId> WaitingLines::to_ask(Instant now) const {
    std::vector<EndpointId> found;
    for (const auto& [endpoint, waiting] : waiting_) {
        if (waiting.ask_at <= now) found.push_back(endpoint);
    }
    return found;
}

const LinePlaces& WaitingLines::places(EndpointId endpoint) const {
    return waiting_.at(endpoint).places;
}

void WaitingLines::answered(const LineAnswer& answer, Instant ask_at) {
    const auto found = waiting_.find(answer.endpoint);
    if (found == waiting_.end()) return;
    if (answer.left.empty()) {
        waiting_.erase(found);
        return;
    }
    found->second = {answer.left, ask_at, answer.full};
}

void WaitingLines::put_off(EndpointId endpoint, Instant ask_at) {
    Waiting& waiting = waiting_.at(endpoint);
    waiting.ask_at = ask_at;
    waiting.full = true;
}

void WaitingLines::ended(EndpointId endpoint) {
    const auto found = waiting_.find(endpoint);
    if (found == waiting_.end() || !found->second.full) return;
    found->second.ask_at = Instant::min();
    found->second.full = false;
}

Instant WaitingLines::next_ask() const {
    Instant next = never;
    for (const auto& [endpoint, waiting] : waiting_) next = std::min(next, waiting.ask_at);
    return next;
}

bool WaitingLines::any_full() const {
    return std::ranges::any_of(waiting_, [](const auto& entry) { return entry.second.full; });
}

bool WaitingLines::any_by(Instant then) const {
    return std::ranges::any_of(waiting_, [&](const auto& entry) {
        return std::ranges::any_of(entry.second.places, [&](const auto& place) {
            return *std::ranges::min_element(place.second) <= then;
        });
    });
}

}  // namespace sundial
