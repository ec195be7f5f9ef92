#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sundial/values.hpp"

#pragma GCC visibility push(default)

/// Schedules, and lists and changes of events, of `sundial/engine.hpp`, which brings these types
/// into namespace `sundial`: include that header.
namespace sundial::embedding {

/// Five fields, six with seconds, or a macro: "30 2 * * *", "@daily".
struct Cron {
    /// As in a crontab.
    std::string expression;
};
/// An RFC 5545 rule from a local time on: {"2027-01-05T09:00:00", "FREQ=MONTHLY;BYDAY=1MO"}.
struct Rrule {
    /// The local time of the start.
    std::string dtstart;
    /// The rule without "RRULE:".
    std::string rrule;
};
/// An interval of elapsed time, from one second, in whole seconds.
struct Every {
    /// At least one second.
    std::chrono::seconds interval{};
};
/// Once a year, on a day ("02-29") or on a date of each user ("dateOfBirth").
struct Yearly {
    /// "02-29", or in a schedule per user the name of a date of the user.
    std::string on = "dateOfBirth";
    std::string at = "09:00";  // local time
};
/// Any kind of rule.
using Rule = std::variant<Cron, Rrule, Every, Yearly>;

/// Policy for a local time that does not exist: move it, or leave the occurrence out.
enum class Gap : std::uint8_t { compatible, earlier, later, boundary, skip };
/// Policy for a local time that happens twice.
enum class Overlap : std::uint8_t { compatible, earlier, later, both, skip };
/// Policy for 29 February in common years.
enum class Leap : std::uint8_t { feb28, mar1, skip };
/// Policy for occurrences missed while no engine ran: all of them fire, only the newest, or none.
enum class Misfire : std::uint8_t { all, once, skip };

/// A rule that yields events. An empty optional is the default of its kind of rule.
struct NewSchedule {
    std::string name;  // unique, 1 to 128 characters
    /// The type of its events.
    std::string event_type;
    /// The rule that determines when they are due.
    Rule rule = Cron{};
    std::string timezone{};      // "Europe/Paris"; empty: UTC, or of each user
    bool per_user = false;       // one event for each user, in the user's zone; never changes
    std::string queue{};         // as in NewEvent
    std::string payload = "{}";  // a template: {firstName} and so on are filled in
    /// The priority of its events.
    Priority priority = Priority::normal;
    bool enabled = true;  // a paused schedule plans nothing
    /// For local times that do not exist.
    std::optional<Gap> gap{};
    /// For local times that happen twice.
    std::optional<Overlap> overlap{};
    /// For 29 February.
    std::optional<Leap> leap{};
    /// For occurrences that no engine planned in time.
    std::optional<Misfire> misfire{};
    /// The earliest and the latest due time of its events.
    std::optional<Instant> starts_at{}, ends_at{};  // both inclusive
};
/// A stored schedule.
struct Schedule {
    /// A UUID.
    std::string id;
    std::string name;  // empty: it was created without one
    /// The type of its events.
    std::string event_type;
    std::string description;  // in plain words
    /// A paused schedule (false) plans nothing.
    bool enabled = true;
    /// Whether it has one event for each user, in the user's zone.
    bool per_user = false;
    /// Grows by one with every change.
    std::uint64_t version = 0;
    std::optional<Instant> next{};  // the next planned event; empty while paused or over
};

/// One computed time of a schedule.
struct Occurrence {
    std::optional<Instant> at;  // empty: a policy leaves it out
    std::string local;          // the local time, with its offset
    std::string note;           // such as "gap_boundary" or "leap_moved"; empty: nothing special
};
/// The next occurrences of a schedule.
struct Preview {
    /// The rule in plain words.
    std::string description;
    /// Properties of the rule that may surprise, in plain words.
    std::vector<std::string> warnings;
    /// In order, including those that a policy leaves out.
    std::vector<Occurrence> occurrences;
};

}  // namespace sundial::embedding

#pragma GCC visibility pop
