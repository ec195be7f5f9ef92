#include <algorithm>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

#include "application/outcomes/outcome_follower.hpp"
#include "domain/checkpoint.hpp"
#include "embedded/answers.hpp"
#include "embedded/parts.hpp"
#include "embedded/subscription.hpp"
#include "embedded/transactions.hpp"
#include "sundial/finishing.hpp"

namespace sundial::embedding {
namespace {

constexpr std::size_t most_types = 100;
constexpr std::size_t most_parked = 100;

std::string checkpoint_of_outcomes(const std::string& name) {
    return std::string{outcome_checkpoints} + name;
}

std::optional<ValidationFailed> refuse_outcome_name(const std::string& name) {
    auto errors = defects_of_checkpoint_name(name);
    if (errors.empty()) return std::nullopt;
    return ValidationFailed{std::move(errors)};
}

std::optional<ValidationFailed> refuse_following(const OutcomeFollowing& following) {
    if (auto refused = refuse_outcome_name(following.name)) return refused;
    const auto& types = following.event_types;
    if (types.size() > most_types || std::ranges::find(types, "") != types.end()) {
        return invalid("/eventTypes", "out_of_range", "must be at most 100, none of them empty");
    }
    return std::nullopt;
}

OutcomeFollower::Settings settings_of_outcomes(OutcomeFollowing&& following, std::string holder) {
    return {.name = std::move(following.name),
            .holder = std::move(holder),
            .lease = following.lease,
            .page = following.page,
            .retry = std::move(following.retry),
            .park = following.park};
}

EventOutcome shown_outcome(const NumberedOutcome& outcome) {
    const sundial::Event& event = outcome.event;
    Event seen = shown(event);
    EventOutcome shown{.number = outcome.number,
                       .event_id = std::move(seen.id),
                       .event_type = std::move(seen.type),
                       .status = std::move(seen.status),
                       .attempt = seen.attempt,
                       .reason = std::move(seen.failure_reason),
                       .idempotency_key = std::move(seen.idempotency_key),
                       .user_id = std::move(seen.user_id),
                       .payload = std::move(seen.payload),
                       .due = seen.due,
                       .first_attempt = event.first_attempt_at,
                       .finished = event.updated_at};
    if (const auto* done = std::get_if<Completed>(&event.state)) shown.finished = done->at;
    if (const auto* dropped = std::get_if<Cancelled>(&event.state)) shown.finished = dropped->at;
    if (const auto* failed = std::get_if<Failed>(&event.state)) {
        shown.finished = failed->at;
        shown.error_code = shown.reason.substr(0, shown.reason.find_first_of(" :"));
    }
    if (const auto late = lateness(event)) {
        shown.lateness = std::max(*late, std::chrono::microseconds{0});
    }
    return shown;
}

/// Passes outcomes to `function`, from now on if this is the first follower of that name.
template <class Parts, class Function>
Result<Followed> follow_outcomes(const Parts& parts, OutcomeFollowing&& following,
                                 Function function) {
    auto& streams = *parts.streams;
    const auto queued = answered<Done>(streams.process, [&]() -> sundial::Result<Done> {
        if (auto refused = refuse_following(following)) return *std::move(refused);
        streams.store.transact([&](sundial::Transaction& tx) {
            tx.outcomes().follow(following.name, following.event_types);
            return true;
        });
        return Done{};
    });
    if (!queued) return queued.error();
    auto follower = std::make_unique<OutcomeFollower>(
        streams.store, real_timing(),
        settings_of_outcomes(std::move(following), base::to_string(streams.ids.fresh())),
        std::move(function));
    auto run = [&its = *follower, &signal = parts.signal,
                &log = streams.log](const std::stop_token& stop) { its.run(stop, signal, log); };
    return Followed{std::move(follower), std::move(run)};
}

}  // namespace

Result<Subscription> Outcomes::follow(OutcomeFollowing following,
                                      std::function<Result<Done>(const EventOutcome&)> handle) {
    auto handling = std::make_shared<const Callbacks>();
    OutcomeFollower::Handle each = [streams = parts_->streams.get(), handling,
                                    handle = std::move(handle)](const NumberedOutcome& outcome) {
        const Callbacks::Call of_engine{streams->callbacks}, of_this{*handling};
        return failure_in([&] { return handle(shown_outcome(outcome)); });
    };
    auto followed = follow_outcomes(*parts_, std::move(following), std::move(each));
    if (!followed) return followed.error();
    return Subscription{std::make_unique<Subscription::Parts>(parts_->streams, std::move(handling),
                                                              std::move(*followed))};
}

Result<Subscription> Outcomes::project(
    OutcomeFollowing following,
    std::function<Result<Done>(Transaction&, const EventOutcome&)> project) {
    auto handling = std::make_shared<const Callbacks>();
    OutcomeFollower::Project each = [streams = parts_->streams.get(), handling,
                                     project = std::move(project)](sundial::Transaction& tx,
                                                                   const NumberedOutcome& outcome) {
        const Callbacks::Call of_engine{streams->callbacks}, of_this{*handling};
        Transaction::Parts in_it{streams->transactions, tx};
        auto failure = failure_in([&] { return project(in_it.self, shown_outcome(outcome)); });
        if (in_it.failure) std::rethrow_exception(in_it.failure);
        return failure;
    };
    auto followed = follow_outcomes(*parts_, std::move(following), std::move(each));
    if (!followed) return followed.error();
    return Subscription{std::make_unique<Subscription::Parts>(parts_->streams, std::move(handling),
                                                              std::move(*followed))};
}

Result<std::uint64_t> Outcomes::lag(const std::string& name) {
    const auto& streams = *parts_->streams;
    return answered<std::uint64_t>(streams.process, [&]() -> sundial::Result<std::uint64_t> {
        if (auto refused = refuse_outcome_name(name)) return *std::move(refused);
        return in_read(streams.store,
                       [&](sundial::Transaction& tx) { return tx.outcomes().count(name); });
    });
}

Result<bool> Outcomes::forget(const std::string& name) {
    const auto& streams = *parts_->streams;
    return answered<bool>(streams.process, [&]() -> sundial::Result<bool> {
        if (auto refused = refuse_outcome_name(name)) return *std::move(refused);
        const std::string checkpoint = checkpoint_of_outcomes(name);
        bool was_there = false;
        streams.store.transact([&](sundial::Transaction& tx) {
            (void)tx.checkpoints().lock(checkpoint);  // waits for a projection that runs
            was_there = tx.outcomes().forget(name);
            std::vector<sundial::ParkedEvent> left;
            do {
                left = tx.checkpoints().parked(checkpoint, 0, most_parked);
                for (const auto& one : left) {
                    (void)tx.checkpoints().unpark(checkpoint, one.position);
                }
            } while (left.size() == most_parked);
            return true;
        });
        return was_there;
    });
}

Result<std::vector<ParkedEvent>> Outcomes::parked(const std::string& name, std::uint64_t after) {
    return Streams{parts_->streams}.parked(checkpoint_of_outcomes(name), after);
}

Result<bool> Outcomes::unpark(const std::string& name, std::uint64_t number) {
    return Streams{parts_->streams}.unpark(checkpoint_of_outcomes(name), number);
}

}  // namespace sundial::embedding
