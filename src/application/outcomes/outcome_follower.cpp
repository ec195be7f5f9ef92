#include "application/outcomes/outcome_follower.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include "application/ports/failures.hpp"
#include "application/streams/lanes.hpp"
#include "application/transactions/after_commit.hpp"
#include "domain/lock.hpp"

namespace sundial {
namespace {

constexpr std::size_t max_outcomes = 10'000;

/// Describes the first invalid setting. Empty if all are valid.
std::optional<std::string> defect_of_settings(const OutcomeFollower::Settings& settings) {
    if (settings.lease < shortest_lock_ttl || settings.lease > longest_lock_ttl) {
        return "lease must be 100 ms to 24 hours";
    }
    if (settings.page < 1 || settings.page > max_outcomes) {
        return "page must be 1 to " + std::to_string(max_outcomes);
    }
    if (auto defect = defect_of(settings.retry)) return "retry: " + *defect;
    return std::nullopt;
}

std::string checkpoint_of(const std::string& follower) {
    return std::string{outcome_checkpoints} + follower;
}

}  // namespace

OutcomeFollower::OutcomeFollower(Store& store, Timing& timing, Settings settings, Project project)
    : Follower(settings.name, timing, defect_of_settings(settings)),
      store_(store),
      timing_(timing),
      settings_(std::move(settings)),
      checkpoint_(checkpoint_of(settings_.name)),
      project_(std::move(project)) {}

OutcomeFollower::OutcomeFollower(Store& store, Timing& timing, Settings settings, Handle handle)
    : Follower(settings.name, timing, defect_of_settings(settings)),
      store_(store),
      timing_(timing),
      settings_(std::move(settings)),
      checkpoint_(checkpoint_of(settings_.name)),
      handle_(std::move(handle)) {}

OutcomeFollower::State OutcomeFollower::turn(const std::stop_token& stop) {
    if (why()) return State::stopped;
    if (!hold()) return State::elsewhere;
    const std::vector<Item> items = next_page();
    if (items.empty()) return State::caught_up;
    const bool done = project_ ? project_page(items, stop) : handle_page(items, stop);
    if (why()) return State::stopped;
    return done ? State::moved : State::elsewhere;
}

void OutcomeFollower::run(const std::stop_token& stop, OutcomeSignal& signal, base::Log& log) {
    std::uint64_t seen = signal.count();
    run_turns(stop, log, [&] {
        signal.wait(seen, resting_time, stop);
        seen = signal.count();
    });
}

void OutcomeFollower::release() {
    if (std::exchange(held_, false)) keep_.release(checkpoint_, at_.fencing_token);
}

bool OutcomeFollower::hold() {
    const auto now = timing_.now();
    if (held_ && now < renew_at_) return true;
    Checkpoint held;
    store_.transact([&](Transaction& tx) {
        const Checkpoint before = tx.checkpoints().lock(checkpoint_);
        held = sundial::hold(before, settings_.holder, tx.now(), settings_.lease);
        if (held == before) return false;  // another holder has it
        tx.checkpoints().put(checkpoint_, held);
        return true;
    });
    held_ = held.holder == settings_.holder;
    if (!held_) return false;
    at_ = held;
    renew_at_ = now + settings_.lease / 3;
    return true;
}

/// A greater token means that the lease had expired, and another follower may have continued.
bool OutcomeFollower::still_holds_lease() {
    const std::uint64_t token = at_.fencing_token;
    return hold() && at_.fencing_token == token;
}

std::vector<OutcomeFollower::Item> OutcomeFollower::next_page() {
    return in_read(store_, [&](Transaction& tx) {
        std::vector<Item> items;
        for (const QueuedOutcome& one : tx.outcomes().queued(settings_.name, settings_.page)) {
            items.push_back({one.number, tx.events().find(one.event)});
        }
        return items;
    });
}

/// On a thread of its own, so that the lease can be renewed while a handler runs.
bool OutcomeFollower::handle_page(Items items, const std::stop_token& stop) {
    const RetryRules its_rules = rules(stop);
    std::mutex mutex;
    std::vector<ParkedEvent> parked;  // guarded by mutex
    const auto work = [&](std::size_t index) {
        const Item& item = items[index];
        if (!item.event) return true;
        Retries retries{its_rules, timing_};
        for (;;) {
            if (stop.stop_requested()) return false;
            const auto failure = failure_of([&] { return handle_({item.number, *item.event}); });
            if (!failure) return true;
            switch (retries.wait()) {
                case Retries::Next::again:
                    break;
                case Retries::Next::over: {
                    const std::lock_guard lock(mutex);
                    return give_up(item, *failure, retries.attempts(), parked);
                }
                case Retries::Next::stopped:
                    return false;
            }
        }
    };
    std::size_t removed = 0;
    // Together with the items among them that were set aside.
    const auto remove_finished = [&](std::size_t finished) {
        if (finished == removed) return true;
        const Items done = items.subspan(removed, finished - removed);
        std::vector<ParkedEvent> reached;
        {
            const std::lock_guard lock(mutex);
            const auto later = std::ranges::partition(
                parked, [&](const ParkedEvent& one) { return one.position > done.back().number; });
            reached.assign(later.begin(), later.end());
            parked.erase(later.begin(), later.end());
        }
        removed = finished;
        return remove(done, std::move(reached));
    };
    Lanes lane{std::vector<std::size_t>(items.size(), 0), work};
    while (!lane.wait_for(settings_.lease / 3)) {
        if (!still_holds_lease() || !remove_finished(lane.finished())) lane.stop();
    }
    return held_ && remove_finished(lane.finished()) && removed == items.size();
}

bool OutcomeFollower::project_page(Items items, const std::stop_token& stop) {
    while (!items.empty()) {
        if (stop.stop_requested() || !still_holds_lease()) return false;
        const auto [failed, failure] = project(items);
        if (!failure) return held_;
        // Those before the failed one are projected first.
        const Items before = items.first(failed);
        if (!before.empty() && (project(before).failure || !held_)) return false;
        if (!project_with_retries(items[failed], stop)) return false;
        items = items.subspan(failed + 1);
    }
    return true;
}

bool OutcomeFollower::project_with_retries(const Item& item, const std::stop_token& stop) {
    const RetryRules its_rules = rules(stop);
    Retries retries{its_rules, timing_};
    for (;;) {
        if (!still_holds_lease()) return false;
        const auto projected = project({&item, 1});
        if (!projected.failure) return held_;
        switch (retries.wait()) {
            case Retries::Next::again:
                break;
            case Retries::Next::over: {
                std::vector<ParkedEvent> parked;
                if (!give_up(item, *projected.failure, retries.attempts(), parked)) return false;
                return remove({&item, 1}, std::move(parked));
            }
            case Retries::Next::stopped:
                return false;
        }
    }
}

/// Projects all of them and removes them, or none.
OutcomeFollower::Projected OutcomeFollower::project(Items items) {
    Projected projected;
    std::optional<std::optional<Checkpoint>> kept;
    std::vector<std::function<void()>> effects;  // of the projection, elsewhere
    try {
        store_.transact([&](Transaction& tx) {
            // Begins the transaction here, so that its failure is not attributed to the projection.
            (void)tx.now();
            projected = {};
            kept.reset();
            HeldEffects held;
            for (; projected.failed < items.size(); ++projected.failed) {
                const Item& item = items[projected.failed];
                if (!item.event) continue;
                projected.failure = storable(project_(tx, {item.number, *item.event}));
                if (projected.failure) return false;
            }
            kept = removed(tx, items);
            effects = held.take();
            return kept->has_value();
        });
    } catch (const Unavailable&) {
        throw;  // a failure of the storage, not of the projection
    } catch (const std::exception& error) {
        projected.failure = storable(std::string{error.what()});
        return projected;
    }
    if (kept && note(*kept)) {
        for (const auto& effect : effects) effect();
    }
    return projected;
}

bool OutcomeFollower::give_up(const Item& item, const std::string& failure, unsigned attempts,
                              std::vector<ParkedEvent>& parked) {
    if (settings_.park) {
        parked.push_back({.position = item.number,
                          .event_id = item.event->id.value,
                          .reason = failure,
                          .attempts = attempts});
        return true;
    }
    stop_because("the outcome of event " + to_string(item.event->id) + " could not be handled in " +
                 std::to_string(attempts) + " tries: " + failure);
    return false;
}

bool OutcomeFollower::remove(Items items, std::vector<ParkedEvent> parked) {
    if (items.empty()) return held_;
    std::optional<Checkpoint> kept;
    store_.transact([&](Transaction& tx) {
        kept = removed(tx, items);
        if (!kept) return false;
        for (ParkedEvent event : parked) {
            event.parked_at = tx.now();
            tx.checkpoints().park(checkpoint_, event);
        }
        return true;
    });
    return note(std::move(kept));
}

/// Empty: another follower has got the lease.
std::optional<Checkpoint> OutcomeFollower::removed(Transaction& tx, Items items) {
    Checkpoint at = tx.checkpoints().lock(checkpoint_);
    if (at.fencing_token != at_.fencing_token || at.holder != settings_.holder) return std::nullopt;
    std::vector<std::uint64_t> numbers;
    numbers.reserve(items.size());
    for (const Item& item : items) numbers.push_back(item.number);
    tx.outcomes().remove(settings_.name, numbers);
    at.position = std::max(at.position, numbers.back());
    at.version = base::next(at.version);
    tx.checkpoints().put(checkpoint_, at);
    return at;
}

bool OutcomeFollower::note(std::optional<Checkpoint> kept) {
    held_ = kept.has_value();
    if (kept) at_ = *std::move(kept);
    return held_;
}

RetryRules OutcomeFollower::rules(const std::stop_token& stop) const {
    RetryRules rules = settings_.retry;
    rules.stop = stop;
    return rules;
}

}  // namespace sundial
