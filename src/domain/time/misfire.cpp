#include "domain/time/misfire.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

/// The exclusive lower bound of occurrences that are no older than `age` and not handled.
Instant since(seconds age, Instant last, Instant now) {
    return std::max(last, std::max(now, earliest_instant) - age - microseconds{1});
}

std::vector<RuleOccurrence> firing(const Recurrence& rule, Instant last, Instant now,
                                   const MisfireRule& misfire) {
    const Instant worth =
        misfire.window ? since(std::max(*misfire.window, misfire.grace), last, now) : last;
    if (misfire.policy == MisfirePolicy::all) return newest_until(rule, worth, now, misfire.limit);

    auto on_time = newest_until(rule, since(misfire.grace, last, now), now, max_at_once);
    if (misfire.policy == MisfirePolicy::skip || !on_time.empty()) return on_time;
    return newest_until(rule, worth, now, 1);
}

}  // namespace

MisfirePolicy default_misfire_policy(TimeKind kind) {
    switch (kind) {
        case TimeKind::instant:
        case TimeKind::local:
        case TimeKind::yearly:
            return MisfirePolicy::all;
        case TimeKind::cron:
        case TimeKind::rrule:
        case TimeKind::interval:
            return MisfirePolicy::once;
    }
    base::check(false);
    return {};
}

Punctuality punctuality_of(Instant due, Instant now, const MisfireRule& rule) {
    const auto late_by = now - due;
    if (late_by <= rule.grace) return Punctuality::on_time;
    if (rule.window && late_by > *rule.window) return Punctuality::expired;
    return Punctuality::late;
}

CatchUp catch_up(const Recurrence& rule, Instant last, Instant now, const MisfireRule& misfire) {
    CatchUp result{.fire = {}, .next = next_after(rule, now)};
    if (now <= last) return result;
    result.fire = firing(rule, last, now, misfire);
    const std::uint64_t missed = rule.count(last, now);
    base::check(missed >= result.fire.size());
    result.dropped = missed - result.fire.size();
    if (result.dropped == 0) return result;

    const Instant kept_from =
        result.fire.empty() ? now : result.fire.front().instant - microseconds{1};
    result.first_dropped = next_after(rule, last);
    result.last_dropped = newest_until(rule, last, kept_from, 1).front();
    return result;
}

}  // namespace sundial
