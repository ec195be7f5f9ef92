#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "domain/time/interval.hpp"
#include "domain/time/misfire.hpp"

namespace sundial {
namespace {

using std::chrono::seconds;

const Instant january_2026 = std::chrono::sys_days{std::chrono::January / 1 / 2026};

seconds gen_seconds(int from, int to) { return seconds{*rc::gen::inRange(from, to)}; }

struct Downtime {
    std::unique_ptr<Recurrence> rule = interval_recurrence(january_2026, gen_seconds(1, 60));
    Instant last = january_2026 + gen_seconds(-100, 500);
    Instant now = january_2026 + gen_seconds(-100, 2000);
    MisfireRule misfire{
        .policy = *rc::gen::element(MisfirePolicy::all, MisfirePolicy::once, MisfirePolicy::skip),
        .window = *rc::gen::element(std::optional<seconds>{},
                                    std::optional<seconds>{gen_seconds(0, 1000)}),
        .grace = gen_seconds(0, 100),
        .limit = *rc::gen::inRange(1U, 20U)};
};

/// Implements time-semantics 11 literally, on the list of all occurrences.
std::vector<RuleOccurrence> as_specified(const Downtime& down,
                                         const std::vector<RuleOccurrence>& missed) {
    std::vector<RuleOccurrence> late, on_time;
    for (const RuleOccurrence& each : missed) {
        const Punctuality punctuality = punctuality_of(each.instant, down.now, down.misfire);
        if (punctuality == Punctuality::late) late.push_back(each);
        if (punctuality == Punctuality::on_time) on_time.push_back(each);
    }
    switch (down.misfire.policy) {
        case MisfirePolicy::all:
            late.insert(late.end(), on_time.begin(), on_time.end());
            if (late.size() > down.misfire.limit)
                late.erase(late.begin(),
                           late.end() - static_cast<std::ptrdiff_t>(down.misfire.limit));
            return late;
        case MisfirePolicy::once:
            if (!on_time.empty() || late.empty()) return on_time;
            return {late.back()};
        case MisfirePolicy::skip:
            break;
    }
    return on_time;
}

RC_GTEST_PROP(CatchUpProperty, MatchesTheSpecificationForEveryMissedOccurrence, ()) {
    const Downtime down;
    std::vector<RuleOccurrence> missed;
    for (const RuleOccurrence& each : list_after(*down.rule, down.last, 2'200)) {
        if (each.instant <= down.now) missed.push_back(each);
    }
    const auto expected = as_specified(down, missed);
    const CatchUp done = catch_up(*down.rule, down.last, down.now, down.misfire);

    RC_ASSERT(done.fire == expected);
    RC_ASSERT(done.dropped + done.fire.size() == missed.size());
    RC_ASSERT(done.next->instant > down.now);
    RC_ASSERT(down.rule->count(down.now, done.next->instant) == 1U);
    RC_ASSERT(done.first_dropped.has_value() == (done.dropped > 0));
    if (done.dropped > 0) {
        RC_ASSERT(*done.first_dropped == missed.front());
        RC_ASSERT(*done.last_dropped == missed.at(done.dropped - 1));
    }
}

}  // namespace
}  // namespace sundial
