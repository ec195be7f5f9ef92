#include "application/ports/outcome_queue.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"

namespace sundial::memory {

void State::finish(FinishedEvent finished) {
    for (const auto& [follower, types] : outcome_followers.rows()) {
        const bool all = types.empty();
        if (!all && std::ranges::find(types, finished.event.type) == types.end()) continue;
        outcome_queue.insert({follower, ++outcomes_numbered}, finished.event.id);
    }
    const EventId id = finished.event.id;
    history.insert(id, std::move(finished));
}

namespace {

class MemoryOutcomeQueue final : public OutcomeQueue {
public:
    explicit MemoryOutcomeQueue(State& state) : state_{state} {}

    void follow(const std::string& follower, const std::vector<std::string>& event_types) override {
        if (state_.outcome_followers.find(follower) == nullptr) {
            state_.outcome_followers.insert(follower, event_types);
        } else {
            state_.outcome_followers.replace(follower, event_types);
        }
    }

    bool forget(const std::string& follower) override {
        for (const QueuedOutcome& outcome : queued(follower, state_.outcome_queue.rows().size())) {
            state_.outcome_queue.erase({follower, outcome.number});
        }
        if (state_.outcome_followers.find(follower) == nullptr) return false;
        state_.outcome_followers.erase(follower);
        return true;
    }

    std::vector<QueuedOutcome> queued(const std::string& follower, std::size_t limit) override {
        std::vector<QueuedOutcome> found;
        const auto& rows = state_.outcome_queue.rows();
        for (auto row = rows.lower_bound({follower, 0});
             row != rows.end() && row->first.follower == follower && found.size() < limit; ++row) {
            found.push_back({row->first.number, row->second});
        }
        return found;
    }

    void remove(const std::string& follower, std::span<const std::uint64_t> numbers) override {
        for (const std::uint64_t number : numbers) {
            const OutcomeKey key{follower, number};
            if (state_.outcome_queue.find(key) != nullptr) state_.outcome_queue.erase(key);
        }
    }

    std::uint64_t count(const std::string& follower) override {
        return queued(follower, state_.outcome_queue.rows().size()).size();
    }

private:
    State& state_;
};

}  // namespace

std::unique_ptr<OutcomeQueue> make_outcome_queue(Session& session) {
    return std::make_unique<MemoryOutcomeQueue>(session.state);
}

}  // namespace sundial::memory
