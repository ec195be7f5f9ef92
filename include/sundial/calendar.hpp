#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sundial/result.hpp"
#include "sundial/scheduling.hpp"

#pragma GCC visibility push(default)

/// The time rules of Sundial by themselves: zones, cron, RRULE, intervals and yearly dates, without
/// an engine or a database. Link `Sundial::time`.
namespace sundial {

using embedding::Cron;
using embedding::Every;
using embedding::Gap;
using embedding::Leap;
using embedding::Overlap;
using embedding::Rrule;
using embedding::Rule;
using embedding::Yearly;

/// A zone, and what its clock does where it jumps. An empty policy is the default of the kind of
/// rule.
struct InZone {
    /// A name of the tz database: "Europe/Paris".
    std::string timezone = "UTC";
    /// For local times that do not exist.
    std::optional<Gap> gap{};
    /// For local times that happen twice. `both` is for rules only.
    std::optional<Overlap> overlap{};
    /// For yearly rules on 29 February.
    std::optional<Leap> leap{};
};

/// One snapshot of the tz database, which it keeps in memory (about 1.5 MB):
///
///     const auto calendar = sundial::Calendar::open();
///     if (!calendar) return complain(calendar.error().detail);
///     const auto next = calendar->next(sundial::Cron{"30 2 * * *"},
///                                      {.timezone = "Europe/Paris"}, now, 5);
///
/// Copies share the snapshot. Thread-safe. Instants are in microseconds, in the years 0001 to 9999.
class Calendar {
public:
    /// Reads the compiled database of a directory. Errors: CANNOT_START if there is none.
    [[nodiscard]] static embedding::Result<Calendar> open(
        const std::string& zoneinfo = "/usr/share/zoneinfo");

    /// Its release: "2025b", or "unknown".
    [[nodiscard]] std::string release() const;
    /// Every name that it has, sorted, with links.
    [[nodiscard]] std::vector<std::string> zones() const;

    /// The instant of a local time, "2027-03-28T02:30:00", without an offset or a zone in it; empty
    /// if a policy leaves it out. Errors: VALIDATION_FAILED.
    [[nodiscard]] embedding::Result<std::optional<embedding::Instant>> instant_of(
        const std::string& local, const InZone& in) const;
    /// The local time in `timezone` at an instant, with its offset:
    /// "2027-03-28T03:30:00.000+02:00". Errors: VALIDATION_FAILED.
    [[nodiscard]] embedding::Result<std::string> local_of(embedding::Instant instant,
                                                          const std::string& timezone) const;
    /// The occurrences of `rule` strictly after `after`, in order, with those that a policy leaves
    /// out: `count` of them, 1 to 1,000, or fewer if the rule ends. `Every` counts from 1970-01-01
    /// in UTC; `Yearly` needs a date, "02-29" or "1992-02-29". Takes milliseconds, whatever the
    /// rule is. Errors: VALIDATION_FAILED.
    [[nodiscard]] embedding::Result<std::vector<embedding::Occurrence>> next(
        const Rule& rule, const InZone& in, embedding::Instant after, std::size_t count = 1) const;
    /// The rule in plain words: "at 02:30 every day". Errors: VALIDATION_FAILED.
    [[nodiscard]] embedding::Result<std::string> describe(const Rule& rule) const;

private:
    struct Parts;
    explicit Calendar(std::shared_ptr<const Parts> parts);
    std::shared_ptr<const Parts> parts_;
};

}  // namespace sundial

#pragma GCC visibility pop
