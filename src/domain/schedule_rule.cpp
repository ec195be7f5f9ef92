#include "domain/schedule_rule.hpp"

#include <algorithm>
#include <cstdint>
#include <variant>

#include "domain/time/cron.hpp"
#include "domain/time/interval.hpp"
#include "domain/time/resolve.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

/// 64-bit FNV-1a over the id and the eight bytes of the instant, lowest first.
std::uint64_t hash_of(std::string_view schedule, Instant due) {
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto take = [&hash](std::uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3; };
    for (const char c : schedule) take(static_cast<std::uint8_t>(c));
    const auto instant = static_cast<std::uint64_t>(due.time_since_epoch().count());
    for (unsigned shift = 0; shift < 64; shift += 8)
        take(static_cast<std::uint8_t>(instant >> shift));
    // The last bytes hardly affect the high bits of FNV, so they are combined with the low bits.
    return hash ^ (hash >> 32);
}

}  // namespace

microseconds jitter_of(std::string_view schedule, Instant due, std::optional<Instant> next,
                       std::chrono::seconds jitter) {
    microseconds below = jitter;
    if (next) below = std::min(below, (*next - due) / 2);
    if (below <= microseconds{0}) return microseconds{0};
    return microseconds{static_cast<std::int64_t>(hash_of(schedule, due) %
                                                  static_cast<std::uint64_t>(below.count()))};
}

namespace {

using std::chrono::microseconds;

/// The trigger in its zone.
struct Compile {
    const Schedule& schedule;
    const std::shared_ptr<const Zone>& zone;
    const std::optional<YearlyRule>& yearly;
    const FindZone& find_zone;

    using Compiled = TimeResult<std::unique_ptr<Recurrence>>;

    Compiled operator()(const YearlyTrigger& trigger) const {
        if (!yearly) return no_date(trigger);
        return yearly_recurrence(*yearly, zone);
    }
    Compiled operator()(const CronTrigger& cron) const {
        const auto rule = parse_cron(cron.text);
        if (!rule) return rule.error();
        return cron_recurrence(*rule, zone, schedule.gap, schedule.overlap);
    }
    Compiled operator()(const RruleTrigger& rule) const {
        const auto set = read_rrule(rule, zone->name());
        if (!set) return set.error();
        return rrule_recurrence(*set, find_zone, schedule.gap, schedule.overlap);
    }
    Compiled operator()(const EveryTrigger& every) const {
        return interval_recurrence(schedule.starts_at.value_or(schedule.created_at), every.every);
    }

    static TimeError no_date(const YearlyTrigger& trigger) {
        return {TimeErrorCode::never_fires, "there is no date '" + trigger.on + "'"};
    }
};

/// Whether `nominal` is the rule's date under any leap policy, past or present.
bool is_date_of(const YearlyRule& rule, Date nominal) {
    using namespace std::chrono;
    const month_day day = nominal.month() / nominal.day();
    if (rule.day != February / 29) return day == rule.day;
    return day == February / 28 || day == February / 29 || day == March / 1;
}

}  // namespace

TimeResult<ScheduleRule> ScheduleRule::of(const Schedule& schedule, const User* user,
                                          const FindZone& find_zone) {
    auto zone = find_zone(user ? user->timezone : schedule.timezone.value_or("UTC"));
    if (!zone) return zone.error();
    const auto yearly = rule_for(schedule, user);
    auto whole = std::visit(Compile{schedule, *zone, yearly, find_zone}, schedule.trigger);
    if (!whole) return whole.error();
    std::shared_ptr<const Recurrence> recurrence =
        bounded(*std::move(whole), schedule.starts_at, schedule.ends_at);
    return ScheduleRule{schedule, user, *std::move(zone), yearly, std::move(recurrence)};
}

std::optional<RuleOccurrence> ScheduleRule::first_after(Instant after) const {
    return next_after(*recurrence_, after);
}

std::optional<RuleOccurrence> ScheduleRule::next_of(const Event& fired) const {
    // After a change of the tz database a nominal time may have moved. Rules without nominal times
    // continue from the due instant.
    const bool by_nominal = !yearly_ && !counts_elapsed_time(schedule_.trigger);
    const Instant after = by_nominal ? std::max(fired.due, place_of(fired)) : fired.due;
    return next_of(fired, after + microseconds{1});
}

std::optional<RuleOccurrence> ScheduleRule::next_of(const Event& fired, Instant from) const {
    auto next = first_after(from - microseconds{1});
    while (next && !may_follow(fired, *next)) next = first_after(next->instant);
    return next;
}

std::optional<RuleOccurrence> ScheduleRule::same_as(const Event& event) const {
    if (!yearly_) {
        const auto same = first_after(event.due - microseconds{1});
        const bool unchanged =
            same && same->instant == event.due && nominal_of(*same) == event.occurrence->nominal;
        return unchanged ? same : std::nullopt;
    }
    const auto nominal = nominal_date(*yearly_, event.occurrence->nominal.date.year());
    if (!nominal) return std::nullopt;
    const auto found = yearly_on(*yearly_, *zone_, *nominal);
    if (!found || !runs_at(found->instant)) return std::nullopt;
    return RuleOccurrence{.instant = found->instant, .nominal = found->wall};
}

bool ScheduleRule::moved_by_hand(const Event& event) const {
    if (kind_of(schedule_.trigger) == TriggerKind::every) return event.due != place_of(event);
    return !event.intent.wall;
}

Nominal ScheduleRule::nominal_of(const RuleOccurrence& occurrence) const {
    const Nominal whole = sundial::nominal_of(occurrence.nominal, occurrence.second_pass);
    return yearly_ ? Nominal{whole.date} : whole;
}

microseconds ScheduleRule::jitter_of(const RuleOccurrence& occurrence) const {
    if (schedule_.jitter == std::chrono::seconds{0}) return microseconds{0};
    const auto next = first_after(occurrence.instant);
    return sundial::jitter_of(to_string(schedule_.id), occurrence.instant,
                              next ? std::optional{next->instant} : std::nullopt, schedule_.jitter);
}

bool ScheduleRule::may_follow(const Event& fired, const RuleOccurrence& next) const {
    const Nominal& handled = fired.occurrence->nominal;
    if (!yearly_) return nominal_of(next) != handled;
    const Date date = nominal_of(next).date;
    return date > handled.date &&
           (date.year() > handled.date.year() || !is_date_of(*yearly_, handled.date));
}

Instant ScheduleRule::place_of(const Event& event) const {
    const Nominal& nominal = event.occurrence->nominal;
    const WallTime wall = wall_of(nominal);
    if (kind_of(schedule_.trigger) == TriggerKind::every) return Instant{wall.time_since_epoch()};
    const GapPolicy gap = schedule_.gap == GapPolicy::skip ? GapPolicy::compatible : schedule_.gap;
    const auto found = occurrences_at(
        wall, *zone_, gap, nominal.second_pass ? OverlapPolicy::later : OverlapPolicy::earlier);
    return found.first ? found.first->instant : event.due;
}

bool ScheduleRule::runs_at(Instant instant) const {
    return (!schedule_.starts_at || *schedule_.starts_at <= instant) &&
           (!schedule_.ends_at || instant <= *schedule_.ends_at);
}

bool counts_elapsed_time(const Trigger& trigger) {
    if (const auto* cron = std::get_if<CronTrigger>(&trigger)) {
        const auto rule = parse_cron(cron->text);
        return rule && rule->wildcard;
    }
    if (const auto* rrule = std::get_if<RruleTrigger>(&trigger)) {
        const auto set = read_rrule(*rrule);
        return set && set->rule && set->rule->frequency < Frequency::daily;
    }
    return kind_of(trigger) == TriggerKind::every;
}

TimeResult<RecurrenceSet> read_rrule(const RruleTrigger& trigger,
                                     std::optional<std::string_view> zone) {
    if (!trigger.ical.empty()) return read_icalendar(trigger.ical, zone);
    RecurrenceFields fields{};
    fields.dtstart = trigger.dtstart;
    fields.zone = zone;
    if (trigger.rrule) fields.rrule = *trigger.rrule;
    fields.rdates.assign(trigger.rdate.begin(), trigger.rdate.end());
    fields.exdates.assign(trigger.exdate.begin(), trigger.exdate.end());
    return read_recurrence(fields);
}

TimeResult<RecurrenceSet> read_rrule(const RruleTrigger& trigger) {
    auto set = read_rrule(trigger, std::nullopt);
    const bool nowhere = !set && set.error().code == TimeErrorCode::bad_request;
    return nowhere ? read_rrule(trigger, "UTC") : set;
}

}  // namespace sundial
