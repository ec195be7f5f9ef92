#include "base/check.hpp"
#include "cli/next/request.hpp"
#include "domain/time/cron.hpp"
#include "domain/time/interval.hpp"
#include "domain/time/recurrence.hpp"
#include "domain/time/recurrence_set.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/text.hpp"
#include "domain/time/yearly.hpp"

namespace sundial::cli {
namespace {

struct Policies {
    GapPolicy gap;
    OverlapPolicy overlap;
};

Policies recurring_policies(FieldReader& read, Policies otherwise) {
    return {read.policy<GapPolicy>("gap", recurring_gaps, otherwise.gap),
            read.policy<OverlapPolicy>("overlap", recurring_overlaps, otherwise.overlap)};
}

TimeResult<RequestedRule> instant_rule(FieldReader& read) {
    const auto instant = read.instant("instant");
    if (read.error()) return *read.error();
    const RuleOccurrence once{*instant, WallTime{instant->time_since_epoch()}};
    return RequestedRule{TimeKind::instant, single_recurrence(once), nullptr};
}

TimeResult<RequestedRule> local_rule(FieldReader& read) {
    const auto local = read_local(read);
    if (!local) return local.error();
    std::optional<RuleOccurrence> once;
    if (local->resolved.instant) once = RuleOccurrence{*local->resolved.instant, local->wall};
    return RequestedRule{TimeKind::local, single_recurrence(once), local->zone};
}

TimeResult<RequestedRule> yearly_rule(FieldReader& read) {
    YearlyRule rule;
    const auto date = read.read("date", parse_yearly_date);
    if (const auto time = read.read("time", parse_time_of_day)) rule.at = *time;
    const auto zone = read.zone("zone");
    rule.leap = read.policy<LeapPolicy>("leap", leaps, rule.leap);
    const Policies policies = recurring_policies(read, {rule.gap, rule.overlap});
    if (read.error()) return *read.error();
    rule.day = date->day;
    rule.from = date->from;
    rule.gap = policies.gap;
    rule.overlap = policies.overlap;
    return RequestedRule{TimeKind::yearly, yearly_recurrence(rule, zone), zone};
}

TimeResult<RequestedRule> cron_rule(FieldReader& read) {
    const auto rule = read.read("expr", parse_cron);
    const auto zone = read.zone("zone");
    const Policies policies =
        recurring_policies(read, {GapPolicy::boundary, OverlapPolicy::earlier});
    if (read.error()) return *read.error();
    return RequestedRule{TimeKind::cron,
                         cron_recurrence(*rule, zone, policies.gap, policies.overlap), zone};
}

/// The set from the fields, or from the iCalendar text instead.
std::optional<RecurrenceSet> read_set(FieldReader& read) {
    const Request& request = read.request();
    const auto zone = request.text("zone");
    const auto dtstart = request.text("dtstart");
    const auto ical = request.text("ical");
    if (!ical && !dtstart) {
        read.fail("dtstart", {TimeErrorCode::bad_request,
                              "missing; a recurrence needs a start, or ical in place of it"});
        return std::nullopt;
    }
    if (!ical) {
        auto set = read_recurrence({.dtstart = *dtstart,
                                    .zone = zone,
                                    .rrule = request.text("rrule"),
                                    .rdates = request.texts("rdate"),
                                    .exdates = request.texts("exdate")});
        // The error of a time names its field already.
        const bool of_rule = !set && set.error().code == TimeErrorCode::bad_rrule;
        return read.taken(of_rule ? "rrule" : "", std::move(set));
    }
    for (const char* field : {"dtstart", "rrule", "rdate", "exdate"}) {
        if (request.has(field))
            read.fail(field,
                      {TimeErrorCode::bad_request, "ical already has it; give one or the other"});
    }
    return read.taken("ical", read_icalendar(*ical, zone));
}

TimeResult<RequestedRule> rrule_rule(FieldReader& read) {
    const auto set = read_set(read);
    const Policies policies =
        recurring_policies(read, {GapPolicy::compatible, OverlapPolicy::compatible});
    if (read.error()) return *read.error();
    const auto find_zone = [&read](std::string_view name) { return read.find_zone(name); };
    auto rule = read.taken("", rrule_recurrence(*set, find_zone, policies.gap, policies.overlap));
    if (read.error()) return *read.error();
    auto zone = read.find_zone(set->zones.front());
    return RequestedRule{TimeKind::rrule, *std::move(rule), *std::move(zone)};
}

TimeResult<RequestedRule> interval_rule(FieldReader& read) {
    const auto start = read.instant("start");
    const auto every = read.read("every", parse_interval);
    if (read.error()) return *read.error();
    return RequestedRule{TimeKind::interval, interval_recurrence(*start, *every), nullptr};
}

TimeResult<RequestedRule> rule_of(RequestKind kind, FieldReader& read) {
    switch (kind) {
        case RequestKind::instant:
            return instant_rule(read);
        case RequestKind::local:
            return local_rule(read);
        case RequestKind::yearly:
            return yearly_rule(read);
        case RequestKind::cron:
            return cron_rule(read);
        case RequestKind::rrule:
            return rrule_rule(read);
        case RequestKind::interval:
            return interval_rule(read);
        case RequestKind::tzdb:
        case RequestKind::misfire:
            break;
    }
    base::check(false);
    return TimeError{};
}

bool recurs(TimeKind kind) { return kind != TimeKind::instant && kind != TimeKind::local; }

}  // namespace

TimeResult<RequestedLocal> read_local(FieldReader& read) {
    const auto text = read.request().text("local").value_or("");
    const auto zone_field = read.request().text("zone");
    const auto local = read.taken("local", read_local_request(text, zone_field));
    const auto gap = read.policy<GapPolicy>("gap", single_gaps, GapPolicy::compatible);
    const auto overlap =
        read.policy<OverlapPolicy>("overlap", single_overlaps, OverlapPolicy::compatible);
    if (read.error()) return *read.error();
    const auto zone = read.zone_named(local->zone, zone_field ? "zone" : "local");
    if (read.error()) return *read.error();
    const auto resolved =
        read.taken("local", resolve(local->wall, *zone, gap, overlap, local->offset));
    if (read.error()) return *read.error();
    return RequestedLocal{local->wall, zone, *resolved};
}

TimeResult<RequestedRule> read_rule(const Request& request, const TimeZones& zones) {
    FieldReader read(request, zones);
    auto rule = rule_of(request.kind(), read);
    if (rule && recurs(rule->kind) && !next_after(*rule->recurrence, Instant::min()))
        return TimeError{TimeErrorCode::never_fires,
                         "this rule never fires between the years 0001 and 9999"};
    return rule;
}

}  // namespace sundial::cli
