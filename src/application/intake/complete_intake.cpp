#include "application/intake/complete_intake.hpp"

#include <exception>
#include <utility>
#include <variant>
#include <vector>

#include "application/events/cancel_event.hpp"
#include "application/events/target.hpp"
#include "application/ports/failures.hpp"
#include "application/schedules/chain_planner.hpp"
#include "application/transactions/after_commit.hpp"
#include "application/users/create_user.hpp"
#include "application/users/edit_user.hpp"
#include "base/check.hpp"
#include "domain/outcome.hpp"

namespace sundial {
namespace {

/// Few enough that claims skip their events only briefly.
constexpr std::size_t requests_at_once = 200;

template <class... Handlers>
struct Overloaded : Handlers... {
    using Handlers::operator()...;
};

/// "unknown_zone 'Mars/Base' is not an IANA zone", as the API reports the first wrong field.
std::string reason_of(const Error& error) {
    if (const auto* failed = std::get_if<ValidationFailed>(&error)) {
        return failed->errors.front().code + " " + failed->errors.front().message;
    }
    const Refusal refusal = refusal_of(error);
    return refusal.code + " " + refusal.detail;
}

}  // namespace

bool CompleteIntake::has_intake() {
    return in_read(ports_.store, [](Transaction& tx) { return tx.intake() != nullptr; });
}

void CompleteIntake::run() {
    const auto any_waiting = [&] {
        return in_read(ports_.store,
                       [](Transaction& tx) { return tx.intake() && tx.intake()->any_waiting(); });
    };
    if (!any_waiting()) return;
    // After a failure each request is done alone, to find the one that fails.
    for (std::size_t limit = requests_at_once;;) {
        Batch batch;
        try {
            if (!next(limit, batch)) return;
        } catch (const Unavailable&) {
            throw;
        } catch (const std::exception& error) {
            if (limit == 1 && !batch.at) throw;
            if (limit == 1) refuse(*batch.at, error.what());
            limit = 1;
        }
    }
}

void CompleteIntake::watch(IntakeSignal& signal, std::chrono::microseconds tick) {
    const SchedulerScope scheduler;
    bool reported = false;
    for (bool known = false;;) {
        try {
            if (!known && !has_intake()) return;
            known = true;
            run();
            reported = false;
        } catch (const std::exception& error) {
            if (!std::exchange(reported, true)) {
                ports_.log.write(
                    {.level = base::LogLevel::warn,
                     .event_name = {},
                     .message = std::string{"requests in the database wait: "} + error.what(),
                     .correlation_id = {},
                     .fields = {}});
            }
        }
        if (!signal.wait(tick)) return;
    }
}

bool CompleteIntake::next(std::size_t limit, Batch& batch) {
    HeldEffects effects;
    std::vector<std::pair<IntakeRequest, Refusal>> refused;
    ports_.store.transact([&](Transaction& tx) {
        static_cast<void>(effects.take());  // the work may run again
        refused.clear();
        IntakeRepository& intake = *tx.intake();
        const auto requests = intake.take(limit);
        batch = {.taken = requests.size()};
        std::vector<std::int64_t> done;
        for (const IntakeRequest& request : requests) {
            batch.at = request.number;
            const Outcome outcome = complete(tx, request);
            if (!outcome) {
                intake.refuse(request.number, outcome.error());
                refused.emplace_back(request, outcome.error());
            } else if (*outcome == Done::remove) {
                done.push_back(request.number);
            } else {
                intake.keep_as_done(request.number);
            }
        }
        intake.remove(done);
        return !requests.empty();
    });
    for (const auto& effect : effects.take()) effect();
    for (const auto& [request, why] : refused) report(request, why);
    return batch.taken > 0;
}

void CompleteIntake::refuse(std::int64_t number, const char* why) {
    ports_.store.transact([&](Transaction& tx) {
        tx.intake()->refuse(number, {"INTERNAL_ERROR", storable_reason(why)});
        return true;
    });
}

void CompleteIntake::report(const IntakeRequest& request, const Refusal& why) {
    ports_.log.write({.level = base::LogLevel::warn,
                      .event_name = {},
                      .message = "a request in the database was refused",
                      .correlation_id = request.correlation_id,
                      .fields = {{"request", request.number}, {"reason", why.code}}});
}

CompleteIntake::Outcome CompleteIntake::complete(Transaction& tx, const IntakeRequest& request) {
    return std::visit(
        Overloaded{[&](const intake::ResolveEvent& wanted) { return resolve(tx, wanted.event); },
                   [&](const intake::PlanUser& wanted) { return plan_user(tx, wanted); },
                   [&](const intake::PutSchedule& wanted) {
                       return put(wanted, {request.correlation_id, request.actor});
                   },
                   [&](const intake::DeleteSchedule& wanted) {
                       return remove(wanted, {request.correlation_id, request.actor});
                   },
                   [&](const intake::ContinueChain& wanted) { return go_on(tx, wanted.event); },
                   [&](const intake::JudgeOccurrence& wanted) { return judge(tx, wanted.event); }},
        request.wanted);
}

// An event that has meanwhile been edited, cancelled or erased needs nothing more.
CompleteIntake::Outcome CompleteIntake::resolve(Transaction& tx, EventId id) {
    const auto event = tx.events().lock(id);
    if (!event || has_instant(*event)) return Done::remove;
    const auto zones = ports_.zones.current();
    const auto target = TargetReader{*zones, tx.now()}.at(event->intent);
    if (!target) {
        const auto failed = reject(*event, tx.now(), reason_of(target.error()));
        base::check(failed.has_value());
        tx.events().finish(*failed);
        return Done::remove;
    }
    Event known = *event;
    known.tz_release = zones->release();
    const auto resolved = resume(std::move(known), target->intent, target->due, tx.now());
    base::check(resolved.has_value());
    tx.events().update(*resolved);
    ports_.wakeups.due_at(resolved->claimable_at);
    return Done::remove;
}

CompleteIntake::Outcome CompleteIntake::plan_user(Transaction& tx, const intake::PlanUser& wanted) {
    const auto user = tx.users().lock(wanted.user);
    if (!user) return Done::remove;
    const auto zones = ports_.zones.current();
    if (const auto zone = zones->find(user->timezone); !zone) {
        return Refusal{"VALIDATION_FAILED", "timezone: " + zone.error().message};
    }
    ports_.wakeups.due_at(
        wanted.before ? move_events_of(tx, *wanted.before, *user, *zones, ports_.ids).earliest
                      : plan_first_events(tx, *user, *zones, ports_.ids));
    return Done::remove;
}

CompleteIntake::Outcome CompleteIntake::go_on(Transaction& tx, EventId id) {
    const auto event = tx.events().find(id);
    if (!event || !event->occurrence) return Done::remove;
    const auto users =
        event->user ? tx.users().share(std::vector{*event->user}) : std::vector<User>{};
    const auto schedules = tx.schedules().share(std::vector{event->occurrence->schedule});
    if (schedules.empty() || (schedules.front().per_user && users.empty())) return Done::remove;
    const auto zones = ports_.zones.current();
    ChainPlanner planner{tx, users.empty() ? nullptr : &users.front(), *zones, ports_.ids};
    planner.go_on(schedules.front(), *event);
    ports_.wakeups.due_at(planner.earliest());
    return Done::remove;
}

CompleteIntake::Outcome CompleteIntake::judge(Transaction& tx, EventId id) {
    const auto seen = tx.events().find(id);
    if (!seen) return Done::remove;
    share_owners(tx, {&*seen, 1});  // before the event, like every transaction that plans
    const auto event = tx.events().lock(id);
    if (!event || status_of(*event) != EventStatus::pending) return Done::remove;
    const SharedEvent planned = *event;
    const Planning planning = plan_.run({&planned, 1});
    ports_.wakeups.due_at(planning.earliest);
    // Without its zone the successor is unknown: the next claim repeats the request.
    return planning.dropped.empty() && planning.without_zone.empty() ? Done::keep : Done::remove;
}

CompleteIntake::Outcome CompleteIntake::put(const intake::PutSchedule& wanted,
                                            const Caller& caller) {
    const auto result =
        ports_.put_schedule.run(wanted.name, wanted.fields, std::nullopt, caller, wanted.id);
    if (!result) return refusal_of(result.error());
    return Done::remove;
}

CompleteIntake::Outcome CompleteIntake::remove(const intake::DeleteSchedule& wanted,
                                               const Caller& caller) {
    const auto result = ports_.delete_schedule.run("ext:" + wanted.name, std::nullopt, caller);
    if (!result && !std::holds_alternative<NotFound>(result.error())) {
        return refusal_of(result.error());
    }
    return Done::remove;
}

}  // namespace sundial
