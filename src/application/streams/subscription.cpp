#include "application/streams/subscription.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "application/ports/failures.hpp"
#include "application/requests/refusal.hpp"
#include "application/streams/lanes.hpp"
#include "application/transactions/after_commit.hpp"
#include "domain/lock.hpp"
#include "domain/outcome.hpp"

namespace sundial {
namespace {

std::size_t lane_of(const StreamId& stream, std::size_t lanes) {
    const std::hash<std::string> hash;
    return (hash(stream.aggregate_type) * 31 + hash(stream.aggregate_id)) % lanes;
}

/// Describes the first invalid setting. Empty if all are valid.
std::optional<std::string> defect_of(const Subscription::Settings& settings) {
    if (settings.lease < shortest_lock_ttl || settings.lease > longest_lock_ttl) {
        return "lease must be 100 ms to 24 hours";
    }
    if (settings.page < 1 || settings.page > max_read_events) {
        return "page must be 1 to " + std::to_string(max_read_events);
    }
    if (settings.lanes < 1 || settings.lanes > Subscription::max_lanes) {
        return "lanes must be 1 to " + std::to_string(Subscription::max_lanes);
    }
    if (auto defect = defect_of(settings.retry)) return "retry: " + *defect;
    return std::nullopt;
}

}  // namespace

Subscription::Subscription(Store& store, Feed& feed, Timing& timing, Settings settings,
                           Project project)
    : Follower(settings.name, timing, defect_of(settings)),
      store_(store),
      feed_(feed),
      timing_(timing),
      settings_(std::move(settings)),
      project_(std::move(project)) {}

Subscription::Subscription(Store& store, Feed& feed, Timing& timing, Settings settings,
                           Handle handle)
    : Follower(settings.name, timing, defect_of(settings)),
      store_(store),
      feed_(feed),
      timing_(timing),
      settings_(std::move(settings)),
      handle_(std::move(handle)) {}

Subscription::State Subscription::turn(const std::stop_token& stop) {
    if (why()) return State::stopped;
    const bool ours = hold();
    if (why()) return State::stopped;
    if (!ours) return State::elsewhere;
    const FeedPage page = feed_.read_all(at_.position, settings_.filter, settings_.page);
    if (page.next_position == at_.position) return State::caught_up;
    const bool done = project_ ? project_page(page, stop) : handle_page(page, stop);
    if (why()) return State::stopped;
    return done ? State::moved : State::elsewhere;
}

void Subscription::run(const std::stop_token& stop, FeedWatch& watch, base::Log& log) {
    run_turns(stop, log, [&] { rest(stop, watch); });
}

/// Waits until there may be new events.
void Subscription::rest(const std::stop_token& stop, FeedWatch& watch) {
    std::stop_source woken;
    const std::stop_callback on_stop{stop, [&] { woken.request_stop(); }};
    std::shared_ptr<FeedWatch::Wait> waiting;
    if (!watch.stopped()) {
        waiting = watch.wait(at_.position, [woken]() mutable { woken.request_stop(); });
    }
    timing_.sleep_until(timing_.now() + resting_time, woken.get_token());
}

void Subscription::release() {
    if (std::exchange(held_, false)) keep_.release(settings_.name, at_.fencing_token);
}

bool Subscription::hold() {
    const auto now = timing_.now();
    if (held_ && now < renew_at_) return true;
    const auto held = keep_.hold(settings_.name, settings_.holder, settings_.lease);
    held_ = held && held->holder == settings_.holder;
    if (!held) stop_because(refusal_of(held.error()).detail);
    if (!held_) return false;
    at_ = *held;
    renew_at_ = now + settings_.lease / 3;
    return true;
}

/// A greater token means that the lease had expired, and another subscriber may have continued.
bool Subscription::still_holds_lease() {
    const std::uint64_t token = at_.fencing_token;
    return hold() && at_.fencing_token == token;
}

CheckpointStep Subscription::step_to(const Mark& mark) const {
    return {.position = mark.position,
            .event_id = mark.event_id,
            .previous = at_.position,
            .fencing_token = at_.fencing_token};
}

bool Subscription::note(const StreamResult<Checkpoint>& saved) {
    if (saved) {
        at_ = *saved;
        return true;
    }
    held_ = false;
    if (std::holds_alternative<FeedDiverged>(saved.error())) {
        stop_because(refusal_of(saved.error()).detail);
    }
    return false;
}

bool Subscription::save(const Mark& mark, const std::vector<ParkedEvent>& parked) {
    if (mark.position == at_.position) return true;
    return note(in_transaction(store_, [&](Transaction& tx) {
        for (ParkedEvent event : parked) {
            event.parked_at = tx.now();
            tx.checkpoints().park(settings_.name, event);
        }
        return KeepCheckpoint::save(tx, settings_.name, step_to(mark));
    }));
}

/// A page may end with events that the filter leaves out.
Subscription::Mark Subscription::end_of(const FeedPage& page) {
    const std::uint64_t end = page.next_position;
    if (!page.entries.empty() && page.entries.back().event.position == end) {
        return {end, page.entries.back().event.event_id};
    }
    const FeedPage last = feed_.read_all(end - 1, {}, 1);
    if (last.entries.empty() || last.entries.front().event.position != end) return {end, {}};
    return {end, last.entries.front().event.event_id};
}

RetryRules Subscription::rules(const std::stop_token& stop) const {
    RetryRules rules = settings_.retry;
    rules.stop = stop;
    return rules;
}

bool Subscription::give_up(const FeedPage::Entry& entry, const std::string& failure,
                           unsigned attempts) {
    if (settings_.park) return true;
    stop_because("event " + base::to_string(entry.event.event_id) + " at position " +
                 std::to_string(entry.event.position) + " could not be handled in " +
                 std::to_string(attempts) + " tries: " + failure);
    return false;
}

bool Subscription::project_page(const FeedPage& page, const std::stop_token& stop) {
    Entries left{page.entries};
    const Mark end = end_of(page);
    while (!left.empty()) {
        if (stop.stop_requested() || !still_holds_lease()) return false;
        const auto [failed, failure] = project(left, end);
        if (!failure) return held_;
        // The events before the failed one are projected first.
        const Entries before = left.first(failed);
        if (!before.empty()) {
            const RecordedEvent& last = before.back().event;
            if (project(before, {last.position, last.event_id}).failure || !held_) return false;
        }
        if (!project_with_retries(left[failed], stop)) return false;
        left = left.subspan(failed + 1);
    }
    return save(end, {});
}

/// Projects all of them with the checkpoint, or none.
Subscription::Projected Subscription::project(Entries entries, const Mark& to) {
    Projected projected;
    std::optional<StreamResult<Checkpoint>> saved;
    std::vector<std::function<void()>> effects;  // of the projection, elsewhere
    try {
        store_.transact([&](Transaction& tx) {
            // Begins the transaction here, so that its failure is not attributed to the projection.
            (void)tx.now();
            projected = {};
            saved.reset();
            HeldEffects held;
            for (; projected.failed < entries.size(); ++projected.failed) {
                projected.failure = storable(project_(tx, entries[projected.failed]));
                if (projected.failure) return false;
            }
            saved = KeepCheckpoint::save(tx, settings_.name, step_to(to));
            effects = held.take();
            return saved->has_value();
        });
    } catch (const Unavailable&) {
        throw;  // a failure of the storage, not of the projection
    } catch (const std::exception& error) {
        projected.failure = storable_reason(error.what());
        return projected;
    }
    if (saved && note(*saved)) {
        for (const auto& effect : effects) effect();
    }
    return projected;
}

bool Subscription::project_with_retries(const FeedPage::Entry& entry, const std::stop_token& stop) {
    const RetryRules its_rules = rules(stop);
    Retries retries{its_rules, timing_};
    const Mark here{entry.event.position, entry.event.event_id};
    for (;;) {
        if (!still_holds_lease()) return false;
        const auto projected = project({&entry, 1}, here);
        if (!projected.failure) return held_;
        switch (retries.wait()) {
            case Retries::Next::again:
                break;
            case Retries::Next::over:
                if (!give_up(entry, *projected.failure, retries.attempts())) return false;
                return still_holds_lease() && save(here, {{.position = here.position,
                                                           .event_id = entry.event.event_id,
                                                           .reason = *projected.failure,
                                                           .attempts = retries.attempts()}});
            case Retries::Next::stopped:
                return false;
        }
    }
}

bool Subscription::handle_page(const FeedPage& page, const std::stop_token& stop) {
    const auto& entries = page.entries;
    const Mark end = end_of(page);
    const RetryRules its_rules = rules(stop);
    std::mutex mutex;
    std::vector<ParkedEvent> parked;
    const auto work = [&](std::size_t item) {
        const FeedPage::Entry& entry = entries[item];
        Retries retries{its_rules, timing_};
        for (;;) {
            if (stop.stop_requested()) return false;
            const auto failure = failure_of([&] { return handle_(entry); });
            if (!failure) return true;
            switch (retries.wait()) {
                case Retries::Next::again:
                    break;
                case Retries::Next::over: {
                    if (!give_up(entry, *failure, retries.attempts())) return false;
                    const std::lock_guard lock(mutex);
                    parked.push_back({.position = entry.event.position,
                                      .event_id = entry.event.event_id,
                                      .reason = *failure,
                                      .attempts = retries.attempts()});
                    return true;
                }
                case Retries::Next::stopped:
                    return false;
            }
        }
    };
    std::vector<std::size_t> lane_of_item;
    lane_of_item.reserve(entries.size());
    for (const FeedPage::Entry& entry : entries) {
        lane_of_item.push_back(lane_of(entry.event.stream, settings_.lanes));
    }
    // Saves the finished events up to the first gap, and the parked ones among them.
    const auto save_finished = [&](std::size_t finished) {
        if (finished == entries.size()) return save(end, parked);
        if (finished == 0) return true;
        const RecordedEvent& last = entries[finished - 1].event;
        std::vector<ParkedEvent> reached;
        {
            const std::lock_guard lock(mutex);
            std::ranges::copy_if(parked, std::back_inserter(reached),
                                 [&](const auto& one) { return one.position <= last.position; });
        }
        return save({last.position, last.event_id}, reached);
    };
    Lanes lanes{lane_of_item, work};
    while (!lanes.wait_for(settings_.lease / 3)) {
        if (!still_holds_lease() || !save_finished(lanes.finished())) lanes.stop();
    }
    const std::size_t finished = lanes.finished();
    return held_ && save_finished(finished) && finished == entries.size();
}

}  // namespace sundial
