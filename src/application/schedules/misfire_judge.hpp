#pragma once

#include <optional>
#include <string>

#include "application/ports/store.hpp"
#include "domain/event.hpp"
#include "domain/schedule_rule.hpp"

namespace sundial {

/// The decision of a schedule's policies about a claimed event, and where its chain continues.
struct Judgement {
    std::string dropped{};  // the policy that drops it; empty: it fires
    Instant last{};         // the last occurrence dropped with it; all form one run
    std::uint64_t count = 1;
    std::optional<RuleOccurrence> next{};
};

/// Decides by misfire policy (how late the event is, and which occurrences have come due since) and
/// by concurrency (whether the previous event is unfinished). An event that was sent before, or
/// moved by a caller, fires.
[[nodiscard]] Judgement judge(Transaction& tx, const ScheduleRule& rule, const Event& claimed);

}  // namespace sundial
