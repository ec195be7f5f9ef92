#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sundial/embedding.hpp"

#pragma GCC visibility push(default)

/// Schedules, and lists and changes of events, of `sundial/engine.hpp`, which brings these types
/// into namespace `sundial`: include that header.
namespace sundial::embedding {

/// Five fields, six with seconds, or a macro: "30 2 * * *", "@daily".
struct Cron {
    /// As it would stand in a crontab.
    std::string expression;
};
/// An RFC 5545 rule from a local time on: {"2027-01-05T09:00:00", "FREQ=MONTHLY;BYDAY=1MO"}.
struct Rrule {
    /// A local time.
    std::string dtstart;
    /// Without "RRULE:".
    std::string rrule;
};
/// An interval of elapsed time, from one second, in whole seconds.
struct Every {
    /// At least one second.
    std::chrono::seconds interval{};
};
/// Once a year: on a day ("02-29"), or, for each user, on a date of the user's ("dateOfBirth").
struct Yearly {
    /// "02-29", or for schedules of users the name of a date of theirs.
    std::string on = "dateOfBirth";
    std::string at = "09:00";  // local time
};
/// Any kind of rule.
using Rule = std::variant<Cron, Rrule, Every, Yearly>;

/// A local time that does not exist: it is moved, or the occurrence left out.
enum class Gap : std::uint8_t { compatible, earlier, later, boundary, skip };
/// A local time that happens twice.
enum class Overlap : std::uint8_t { compatible, earlier, later, both, skip };
/// 29 February in other years.
enum class Leap : std::uint8_t { feb28, mar1, skip };
/// Occurrences that were missed while no engine ran: each happens, the newest, or none.
enum class Misfire : std::uint8_t { all, once, skip };

/// A rule that yields events. An empty optional is the default of its kind of rule.
struct NewSchedule {
    std::string name;  // unique, 1 to 128 characters
    /// Of the events that it plans.
    std::string event_type;
    /// When.
    Rule rule = Cron{};
    std::string timezone{};      // "Europe/Paris"; empty: UTC, or of each user
    bool per_user = false;       // one event for each user, in the user's zone; never changes
    std::string queue{};         // as in NewEvent
    std::string payload = "{}";  // a template: {firstName} and so on are filled in
    /// Of its events.
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
    /// When its events may be due, from and to..
    std::optional<Instant> starts_at{}, ends_at{};  // both inclusive
};
/// A stored schedule.
struct Schedule {
    /// A UUID.
    std::string id;
    std::string name;  // empty: it was created without one
    /// Of its events.
    std::string event_type;
    std::string description;  // in plain words
    /// False: it plans nothing.
    bool enabled = true;
    /// As in NewSchedule.
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
    /// In order, those that a policy leaves out included.
    std::vector<Occurrence> occurrences;
};

/// Events that match all fields that are set. An empty list matches every value.
struct EventFilter {
    std::vector<std::string> statuses{};  // "PENDING", "FAILED", …
    /// Of events.
    std::vector<std::string> types{};
    /// Of events.
    std::vector<Priority> priorities{};
    std::string user_id{};   // or "ext:" and your own id
    std::string schedule{};  // its name
    /// Its name.
    std::string queue{};
    /// Their due time..
    std::optional<Instant> due_from{}, due_to{};  // from inclusive, to exclusive
    bool dead_letters = false;                    // FAILED, and not dismissed
};
/// Which events of a list, in the order of their due time.
struct PageOptions {
    std::size_t limit = 50;  // 1 to 500
    /// Otherwise the earliest.
    bool latest_first = false;
    std::string after{};  // `EventPage::next` of the page before
};
/// A part of a list of events.
struct EventPage {
    /// In the order of their due time.
    std::vector<Event> events;
    std::string next{};  // for the next page; empty: this is the last one
};

/// The changes of a PENDING event. Empty fields stay.
struct EventChange {
    std::optional<Instant> at{};  // or
    std::string local_time{};     // in `timezone`, or in the event's
    /// For `local_time`.
    std::string timezone{};
    /// JSON.
    std::optional<std::string> payload{};
    /// Among the events of its queue or type.
    std::optional<Priority> priority{};
};

}  // namespace sundial::embedding

#pragma GCC visibility pop
