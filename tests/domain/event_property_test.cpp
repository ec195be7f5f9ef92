#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

#include "domain/event.hpp"
#include "support/builders.hpp"
#include "support/event_actions.hpp"

namespace sundial {
namespace {

struct Step {
    std::size_t action;
    std::chrono::seconds later;  // after the previous step
};

std::size_t action_named(std::string_view name) {
    const auto& actions = event_actions();
    const auto found = std::ranges::find(actions, name, &EventAction::name);
    return static_cast<std::size_t>(found - actions.begin());
}

/// Mostly steps that keep an event alive; otherwise few sequences would get past its end.
rc::Gen<Step> gen_step() {
    const auto alive = rc::gen::element(action_named("claim"), action_named("wait for retry"),
                                        action_named("release"));
    const auto any = rc::gen::inRange<std::size_t>(0, event_actions().size());
    return rc::gen::build<Step>(
        rc::gen::set(&Step::action, rc::gen::weightedOneOf<std::size_t>({{4, alive}, {1, any}})),
        rc::gen::set(&Step::later, rc::gen::map(rc::gen::inRange(0, 40), [](int seconds) {
            return std::chrono::seconds{seconds};
        })));
}

/// Invariants of every event.
void check_shape(const Event& event) {
    if (status_of(event) == EventStatus::pending) RC_ASSERT(event.attempt == Attempt{0});
    if (status_of(event) == EventStatus::processing) RC_ASSERT(event.attempt.value >= 1U);
    RC_ASSERT(event.retry_count <= event.attempt.value);
    if (is_claimed(event)) RC_ASSERT(event.claimable_at != never);
    if (is_final(event)) RC_ASSERT(event.claimable_at == never);
}

/// Invariants of each change of an event.
void check_change(const Event& before, const Event& after, Instant now) {
    RC_ASSERT(after.version == base::next(before.version));
    RC_ASSERT(after.updated_at == now);
    RC_ASSERT(after.id == before.id);
    RC_ASSERT(after.key == before.key);
    RC_ASSERT(after.created_at == before.created_at);
    RC_ASSERT(after.attempt >= before.attempt);
    RC_ASSERT(after.retry_count >= before.retry_count);
    if (is_final(before)) RC_ASSERT(after.state == before.state);
    if (status_of(before) == EventStatus::processing) {
        RC_ASSERT(status_of(after) != EventStatus::pending);  // it cannot return to PENDING
        RC_ASSERT(after.due == before.due);
    }
}

RC_GTEST_PROP(Event, KeepsItsInvariantsThroughAnyActions, ()) {
    const auto steps = *rc::gen::container<std::vector<Step>>(gen_step());
    Event event = an_event();
    Instant now = noon - 20s;
    for (const Step& step : steps) {
        now += step.later;
        const EventAction& action = event_actions()[step.action];
        const Result<Event> next = action.run(event, now);
        if (!next) {
            const auto& error = std::get<InvalidStateTransition>(next.error());
            RC_ASSERT(error.version == event.version);
            continue;
        }
        check_change(event, *next, now);
        check_shape(*next);
        event = *next;
    }
    RC_CLASSIFY(is_final(event), "ended");
    RC_CLASSIFY(event.attempt.value > 1U, "tried again");
}

RC_GTEST_PROP(Claim, LetsOneOfManyHoldAnEventUntilTheLeaseExpires, ()) {
    const auto after = std::chrono::seconds{*rc::gen::inRange(0, 120)};
    const Event held = claim(an_event(), instance_a, noon, lease).value();
    const auto second = claim(held, instance_b, noon + after, lease);
    RC_ASSERT(second.has_value() == (after >= lease));
}

}  // namespace
}  // namespace sundial
