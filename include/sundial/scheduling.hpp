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
    std::string expression;
};
/// An RFC 5545 rule from a local time on: {"2027-01-05T09:00:00", "FREQ=MONTHLY;BYDAY=1MO"}.
struct Rrule {
    std::string dtstart;
    std::string rrule;
};
/// An interval of elapsed time, from one second, in whole seconds.
struct Every {
    std::chrono::seconds interval{};
};
/// Once a year: on a day ("02-29"), or, for each user, on a date of the user's ("dateOfBirth").
struct Yearly {
    std::string on = "dateOfBirth";
    std::string at = "09:00";  // local time
};
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
    std::string event_type;
    Rule rule = Cron{};
    std::string timezone{};      // "Europe/Paris"; empty: UTC, or of each user
    bool per_user = false;       // one event for each user, in the user's zone; never changes
    std::string queue{};         // as in NewEvent
    std::string payload = "{}";  // a template: {firstName} and so on are filled in
    Priority priority = Priority::normal;
    bool enabled = true;  // a paused schedule plans nothing
    std::optional<Gap> gap{};
    std::optional<Overlap> overlap{};
    std::optional<Leap> leap{};
    std::optional<Misfire> misfire{};
    std::optional<Instant> starts_at{}, ends_at{};  // both inclusive
};
struct Schedule {
    std::string id;
    std::string name;  // empty: it was created without one
    std::string event_type;
    std::string description;  // in plain words
    bool enabled = true;
    bool per_user = false;
    std::uint64_t version = 0;
    std::optional<Instant> next{};  // the next planned event; empty while paused or over
};

/// One computed time of a schedule.
struct Occurrence {
    std::optional<Instant> at;  // empty: a policy leaves it out
    std::string local;          // the local time, with its offset
    std::string note;           // such as "gap_boundary" or "leap_moved"; empty: nothing special
};
struct Preview {
    std::string description;
    std::vector<std::string> warnings;
    std::vector<Occurrence> occurrences;
};

/// Events that match all fields that are set. An empty list matches every value.
struct EventFilter {
    std::vector<std::string> statuses{};  // "PENDING", "FAILED", …
    std::vector<std::string> types{};
    std::vector<Priority> priorities{};
    std::string user_id{};   // or "ext:" and your own id
    std::string schedule{};  // its name
    std::string queue{};
    std::optional<Instant> due_from{}, due_to{};  // from inclusive, to exclusive
    bool dead_letters = false;                    // FAILED, and not dismissed
};
/// Which events of a list, in the order of their due time.
struct PageOptions {
    std::size_t limit = 50;  // 1 to 500
    bool latest_first = false;
    std::string after{};  // `EventPage::next` of the page before
};
struct EventPage {
    std::vector<Event> events;
    std::string next{};  // for the next page; empty: this is the last one
};

/// The changes of a PENDING event. Empty fields stay.
struct EventChange {
    std::optional<Instant> at{};  // or
    std::string local_time{};     // in `timezone`, or in the event's
    std::string timezone{};
    std::optional<std::string> payload{};
    std::optional<Priority> priority{};
};

}  // namespace sundial::embedding

#pragma GCC visibility pop
