#include "cli/imports/old_runs.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

#include "domain/time/interval.hpp"
#include "domain/time/recurrence_set.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {
namespace {

using std::chrono::floor;
using std::chrono::hours;
using std::chrono::local_seconds;
using std::chrono::seconds;

/// From this size on, cron treats a change as a correction of the date, not as summer time.
constexpr hours calendar_change{3};
/// The longest time around a clock change in which two schedulers may differ: a fixed time moves by
/// at most the size of the gap.
constexpr hours around_change{4};
/// A preview searches for runs up to here.
constexpr std::chrono::days horizon{10 * 366};
/// Runs around one clock change, for a rule of every second: two windows of eight hours.
constexpr std::size_t max_around_change = 60'000;

/// The instants at which the old scheduler runs a job of the wall time `wall`.
std::vector<Instant> instants_of(local_seconds wall, const CronRule& rule, const Zone& zone,
                                 OldClock clock) {
    const LocalLookup found = zone.lookup(wall);
    const bool follows_real_time = clock == OldClock::vixie && rule.wildcard;
    switch (found.kind) {
        case LocalLookup::Kind::unique:
            return {found.earlier};
        case LocalLookup::Kind::gap:
            if (clock != OldClock::vixie || follows_real_time ||
                found.later - found.earlier >= calendar_change)
                return {};
            return {found.boundary};
        case LocalLookup::Kind::overlap:
            if (follows_real_time) return {found.earlier, found.later};
            return {clock == OldClock::quartz ? found.later : found.earlier};
    }
    return {};
}

local_seconds wall_second_at(const Zone& zone, Instant instant) {
    return floor<seconds>(wall_time_at(zone, instant));
}

std::vector<Instant> list_old_cron_runs(const EntryRule& rule, OldClock clock, Instant after,
                                        Instant until, std::size_t count) {
    const CronCalendar calendar(*rule.cron);
    if (rule.starts_at) after = std::max(after, Instant{*rule.starts_at - seconds{1}});
    if (rule.ends_at) until = std::min(until, *rule.ends_at);
    const Instant last = std::min(until, Instant{after + horizon});
    const local_seconds end = wall_second_at(*rule.zone, last) + around_change;
    std::optional<local_seconds> enough;  // the wall time at which `count` runs were found
    std::vector<Instant> runs;
    local_seconds from = wall_second_at(*rule.zone, after) - around_change;
    while (const auto wall = calendar.first_in(from, end)) {
        // Wall times near a clock change are out of order: look a little further.
        if (enough && *wall > *enough + around_change) break;
        from = *wall + seconds{1};
        for (const Instant run : instants_of(*wall, *rule.cron, *rule.zone, clock)) {
            if (after < run && run <= last) runs.push_back(run);
        }
        if (!enough && runs.size() >= count) enough = *wall;
        if (runs.size() > max_around_change) break;
    }
    std::ranges::sort(runs);
    const auto repeated = std::ranges::unique(runs);
    runs.erase(repeated.begin(), repeated.end());
    if (runs.size() > count) runs.resize(count);
    return runs;
}

std::vector<Instant> list_runs(const Recurrence& rule, Instant after, Instant until,
                               std::size_t count) {
    std::vector<Instant> runs;
    const auto cursor = rule.after(after);
    while (runs.size() < count) {
        const auto next = cursor->next();
        if (!next || next->instant > until) break;
        runs.push_back(next->instant);
    }
    return runs;
}

/// The first instant at a local time without an offset.
TimeResult<std::optional<Instant>> bound_of(const std::optional<std::string>& local,
                                            const Zone& zone) {
    if (!local) return std::optional<Instant>{};
    const auto read = parse_local(*local);
    if (!read) return read.error();
    return std::optional<Instant>{zone.lookup(floor<seconds>(read->wall)).earlier};
}

TimeResult<EntryRule> cron_entry(const ImportedEntry& entry, EntryRule rule) {
    auto cron = parse_cron(entry.rule);
    if (!cron) return cron.error();
    const auto starts_at = bound_of(entry.starts_at, *rule.zone);
    if (!starts_at) return starts_at.error();
    const auto ends_at = bound_of(entry.ends_at, *rule.zone);
    if (!ends_at) return ends_at.error();
    rule.starts_at = *starts_at;
    rule.ends_at = *ends_at;
    rule.words = describe(*cron);
    auto unbounded =
        cron_recurrence(*cron, rule.zone, gap_policy(entry.gap).value_or(GapPolicy::boundary),
                        overlap_policy(entry.overlap).value_or(OverlapPolicy::earlier));
    rule.now = bounded(std::move(unbounded), rule.starts_at, rule.ends_at);
    rule.cron = *std::move(cron);
    return rule;
}

TimeResult<EntryRule> rrule_entry(const ImportedEntry& entry, const TzData& zones, EntryRule rule) {
    const auto set = read_icalendar(entry.rule, entry.zone);
    if (!set) return set.error();
    rule.words = describe(*set);
    const auto find = [&zones](std::string_view name) { return zones.find(name); };
    auto now = rrule_recurrence(*set, find, gap_policy(entry.gap).value_or(GapPolicy::compatible),
                                overlap_policy(entry.overlap).value_or(OverlapPolicy::compatible));
    if (!now) return now.error();
    auto old = rrule_recurrence(*set, find, GapPolicy::skip, OverlapPolicy::earlier);
    if (!old) return old.error();
    rule.now = *std::move(now);
    rule.old = *std::move(old);
    return rule;
}

}  // namespace

TimeResult<EntryRule> rule_of_entry(const ImportedEntry& entry, const TzData& zones,
                                    Instant start) {
    EntryRule rule;
    if (entry.trigger == "every") {
        const auto every = parse_interval(entry.rule);
        if (!every) return every.error();
        rule.words = describe_interval(*every);
        rule.now = interval_recurrence(start, *every);
        return rule;
    }
    auto zone = zones.find(entry.zone);
    if (!zone) return zone.error();
    rule.zone = *std::move(zone);
    if (entry.trigger == "cron") return cron_entry(entry, std::move(rule));
    return rrule_entry(entry, zones, std::move(rule));
}

std::vector<Instant> list_old_runs(const EntryRule& rule, OldClock clock, Instant after,
                                   Instant until, std::size_t count) {
    if (rule.cron) return list_old_cron_runs(rule, clock, after, until, count);
    return list_runs(rule.old ? *rule.old : *rule.now, after, until, count);
}

std::vector<Instant> list_new_runs(const EntryRule& rule, Instant after, Instant until,
                                   std::size_t count) {
    return list_runs(*rule.now, after, until, count);
}

std::vector<ChangeDifference> compare_at_changes(const EntryRule& rule, OldClock clock,
                                                 Instant now) {
    std::vector<ChangeDifference> differences;
    if (!rule.zone) return differences;
    Instant after = now;
    while (differences.size() < 2) {
        const auto change = rule.zone->next_change(after);
        if (!change || change->at > now + horizon) break;
        after = change->at;
        const Instant from = change->at - around_change, to = change->at + around_change;
        const auto old = list_old_runs(rule, clock, from, to, max_around_change);
        const auto current = list_new_runs(rule, from, to, max_around_change);
        ChangeDifference found{.change = *change};
        std::ranges::set_difference(old, current, std::back_inserter(found.only_old));
        std::ranges::set_difference(current, old, std::back_inserter(found.only_new));
        differences.push_back(std::move(found));
    }
    return differences;
}

}  // namespace sundial::cli
