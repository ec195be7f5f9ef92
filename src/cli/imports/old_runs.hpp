#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "application/ports/time_zones.hpp"
#include "cli/imports/imported_file.hpp"
#include "domain/time/cron.hpp"
#include "domain/time/recurrence.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

/// When an entry runs: in the scheduler that it comes from, and in Sundial.
namespace sundial::cli {

/// The rule of an entry in its zone.
struct EntryRule {
    std::string words{};
    std::shared_ptr<const Zone> zone{};  // null: an interval
    std::unique_ptr<Recurrence> now{};   // in Sundial
    std::unique_ptr<Recurrence> old{};   // null for cron and intervals
    std::optional<CronRule> cron{};
    std::optional<Instant> starts_at{}, ends_at{};  // inclusive; bound both
};
/// Errors: those of the rule and of the zone. An interval counts from `start`.
[[nodiscard]] TimeResult<EntryRule> rule_of_entry(const ImportedEntry& entry, const TzData& zones,
                                                  Instant start);

/// The first `count` runs in (after, until] in the old scheduler, ascending.
[[nodiscard]] std::vector<Instant> list_old_runs(const EntryRule& rule, OldClock clock,
                                                 Instant after, Instant until, std::size_t count);
/// The same in Sundial.
[[nodiscard]] std::vector<Instant> list_new_runs(const EntryRule& rule, Instant after,
                                                 Instant until, std::size_t count);

/// The runs around a clock change that only one of the two has.
struct ChangeDifference {
    ZoneChange change;
    std::vector<Instant> only_old{}, only_new{};
};
/// At the next two changes of the clocks after `now`.
[[nodiscard]] std::vector<ChangeDifference> compare_at_changes(const EntryRule& rule,
                                                               OldClock clock, Instant now);

}  // namespace sundial::cli
