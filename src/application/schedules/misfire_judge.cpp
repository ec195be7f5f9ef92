#include "application/schedules/misfire_judge.hpp"

#include <chrono>

#include "domain/time/misfire.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

bool perhaps_sent(const Event& event) {
    return event.first_attempt_at || event.retry_count > 0 || event.retry_of;
}

std::string policy_name(const MisfireRule& rule, Punctuality punctuality) {
    if (punctuality == Punctuality::expired) return "window";
    switch (rule.policy) {
        case MisfirePolicy::all:
            return "misfire_limit";
        case MisfirePolicy::once:
            return "misfire_once";
        case MisfirePolicy::skip:
            break;
    }
    return "misfire_skip";
}

/// Where the chain continues if the event and all occurrences up to `caught` are dropped.
std::optional<RuleOccurrence> goes_on_at(const ScheduleRule& rule, const Event& event,
                                         const CatchUp& caught) {
    const auto& next = caught.fire.empty() ? caught.next : std::optional{caught.fire.front()};
    return next ? rule.next_of(event, next->instant) : std::nullopt;
}

std::optional<Judgement> judge_lateness(const ScheduleRule& rule, const Event& event, Instant now) {
    const MisfireRule& misfire = rule.schedule().misfire;
    const Punctuality punctuality = punctuality_of(event.due, now, misfire);
    const bool all = misfire.policy == MisfirePolicy::all;
    if (rule.moved_by_hand(event)) return std::nullopt;
    if (punctuality == Punctuality::on_time && !all) return std::nullopt;
    const Instant before = event.due - microseconds{1};
    // Events on time count towards the limit too.
    if (punctuality != Punctuality::expired && all &&
        rule.recurrence().count(before, now) <= misfire.limit) {
        return std::nullopt;
    }
    const CatchUp caught = catch_up(rule.recurrence(), before, now, misfire);
    if (caught.dropped == 0) return std::nullopt;
    return Judgement{.dropped = policy_name(misfire, punctuality),
                     .last = caught.last_dropped->instant,
                     .count = caught.dropped,
                     .next = goes_on_at(rule, event, caught)};
}

bool previous_is_unfinished(Transaction& tx, const Event& event) {
    return tx.events().has_live({.schedule = event.occurrence->schedule,
                                 .user = event.user,
                                 .origin = std::nullopt,
                                 .due_before = event.due});
}

}  // namespace

Judgement judge(Transaction& tx, const ScheduleRule& rule, const Event& claimed) {
    if (perhaps_sent(claimed)) return {.next = rule.next_of(claimed)};
    // Measured from its dispatch time: jitter makes no event late.
    if (auto late = judge_lateness(rule, claimed, tx.now() - claimed.jitter)) {
        return *std::move(late);
    }
    Judgement judgement{.last = claimed.due, .next = rule.next_of(claimed)};
    if (rule.schedule().concurrency == Concurrency::forbid && previous_is_unfinished(tx, claimed)) {
        judgement.dropped = "concurrency";
    }
    return judgement;
}

}  // namespace sundial
