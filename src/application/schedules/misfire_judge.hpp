#pragma once

#include <optional>
#include <string>

#include "application/ports/store.hpp"
#include "domain/event.hpp"
#include "domain/schedule_rule.hpp"

namespace sundial {

/// What becomes of a claimed event by its schedule's policies, and where its chain goes on.
struct Judgement {
    std::string dropped{};  // the policy that keeps it from firing; empty: it fires
    Instant last{};         // of those that are dropped with it, all in one run
    std::uint64_t count = 1;
    std::optional<RuleOccurrence> next{};
};

/// Decides by misfire policy (how late it is, and what has come due since) and by concurrency
/// (whether the one before it is unfinished). What was sent before, or moved by hand, fires.
[[nodiscard]] Judgement judge(Transaction& tx, const ScheduleRule& rule, const Event& claimed);

}  // namespace sundial
