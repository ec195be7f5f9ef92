#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "domain/event.hpp"
#include "support/builders.hpp"

namespace sundial {

/// Every action on an event, under the name that its error contains.
struct EventAction {
    std::string_view name;
    std::function<Result<Event>(const Event&, Instant now)> run;
};

/// The lease of claims in tests.
inline constexpr auto lease = 30s;

[[nodiscard]] inline const std::array<EventAction, 12>& event_actions() {
    static const std::array<EventAction, 12> actions{{
        {"claim", [](const Event& e, Instant now) { return claim(e, instance_b, now, lease); }},
        {"complete", [](const Event& e, Instant now) { return complete(e, now); }},
        {"fail", [](const Event& e, Instant now) { return fail(e, now, "HTTP_STATUS 404"); }},
        {"give up", [](const Event& e, Instant now) { return give_up(e, now, "TIMEOUT"); }},
        {"wait for retry",
         [](const Event& e, Instant now) { return wait_for_retry(e, now, now + 4s); }},
        {"release", [](const Event& e, Instant now) { return release(e, now, now + 1s); }},
        {"cancel", [](const Event& e, Instant now) { return cancel(e, now, "by hand"); }},
        {"retarget",
         [](const Event& e, Instant now) { return retarget(e, e.intent, now + 1h, now); }},
        {"park", [](const Event& e, Instant now) { return park(e, now); }},
        {"resume", [](const Event& e, Instant now) { return resume(e, e.intent, now + 1h, now); }},
        {"expedite", [](const Event& e, Instant now) { return expedite(e, now); }},
        {"dismiss", [](const Event& e, Instant now) { return dismiss(e, true, now); }},
    }};
    return actions;
}

}  // namespace sundial
