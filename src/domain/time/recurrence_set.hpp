#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time/recurrence.hpp"
#include "domain/time/rrule.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

/// The recurrence properties of iCalendar (RFC 5545), DTSTART, RRULE, RDATE and EXDATE: as texts,
/// as a value, and in their zones.
namespace sundial {

/// A local time and its zone, an index into RecurrenceSet::zones.
struct SetTime {
    std::chrono::local_seconds wall;
    std::size_t zone = 0;
    friend bool operator==(const SetTime&, const SetTime&) = default;
};

/// The occurrences are those of the rule from DTSTART on (without a rule, DTSTART itself) and the
/// RDATEs, without the EXDATEs.
struct RecurrenceSet {
    /// As written, not looked up yet; without duplicates. The first is DTSTART's; "UTC" stands for
    /// Z.
    std::vector<std::string> zones;
    std::chrono::local_seconds dtstart;
    std::optional<RruleRule> rule;
    std::vector<SetTime> rdates, exdates;
};

/// The texts as separate fields. A time is `19970902T090000` or `1997-09-02T09:00[:00]`, in `zone`
/// or with Z.
struct RecurrenceFields {
    std::string_view dtstart;
    std::optional<std::string_view> zone;
    std::optional<std::string_view> rrule;
    std::vector<std::string_view> rdates, exdates;
};
/// Errors: bad_rrule, bad_time, out_of_range, bad_request (no zone for a local DTSTART, or two).
[[nodiscard]] TimeResult<RecurrenceSet> read_recurrence(const RecurrenceFields& fields);

/// The lines DTSTART, RRULE, RDATE and EXDATE of an iCalendar text, in any order; `zone` is for a
/// DTSTART that names none. Errors: as above; bad_rrule also for other or repeated lines.
[[nodiscard]] TimeResult<RecurrenceSet> read_icalendar(
    std::string_view text, std::optional<std::string_view> zone = std::nullopt);

using FindZone = std::function<TimeResult<std::shared_ptr<const Zone>>(std::string_view name)>;

/// The set in its zones (time-semantics 8). `gap` and `overlap` are never `reject`. Errors: those
/// of `find_zone`; out_of_range if a time lies outside of years 0001 to 9999 UTC; never_fires if
/// the set is empty.
[[nodiscard]] TimeResult<std::unique_ptr<Recurrence>> rrule_recurrence(
    const RecurrenceSet& set, const FindZone& find_zone, GapPolicy gap = GapPolicy::compatible,
    OverlapPolicy overlap = OverlapPolicy::compatible);

/// The set for people: "every 2 weeks on Monday and Thursday at 09:00, 10 times; and 1 more date".
[[nodiscard]] std::string describe(const RecurrenceSet& set);

}  // namespace sundial
