#include "application/schedules/preview_schedule.hpp"

#include <chrono>
#include <utility>

#include "application/requests/queries.hpp"
#include "application/schedules/occurrences.hpp"
#include "domain/time/calendar_duration.hpp"
#include "domain/time/effort.hpp"
#include "domain/time/recurrence.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

/// The names of the fields in a request.
struct Pointers {
    const char* schedule;
    const char* user;
    const char* timezone;
    const char* from;
    const char* to;
};
constexpr Pointers in_body{"/scheduleId", "/userId", "/override/timezone", "/from", "/to"};
constexpr Pointers in_query{"?scheduleId", "?userId", "?timezone", "?from", "?to"};

ValidationFailed refused(const char* pointer, const TimeError& error) {
    return invalid(pointer, std::string{to_string(error.code)}, error.message);
}

/// A schedule, with the user and the zone of a request.
struct Subject {
    Schedule schedule;
    std::optional<User> user;
    std::string zone;
    bool stored = true;
};

/// The requested part of a rule.
struct PreviewRange {
    Instant after;  // exclusive
    Instant to;     // exclusive
    std::size_t count;
};

/// All that is read for a preview. The occurrences are computed after the transaction.
struct PreviewRead {
    Subject subject;
    PreviewRange range;
};

/// Reads everything in one transaction.
class Reader {
public:
    Reader(Transaction& tx, const TzData& zones, const Pointers& pointers)
        : tx_(tx), zones_(zones), pointers_(pointers) {}

    ScheduleResult<Subject> subject(const std::string& reference, const PreviewScope& scope) const {
        const auto id = schedule_id(tx_, reference);
        if (!id) return id.error();
        auto schedule = tx_.schedules().find(*id);
        if (!schedule) return NotFound{Noun::schedule, reference};
        return in_scope(*std::move(schedule), scope);
    }

    ScheduleResult<Subject> unstored(ScheduleFields fields, const PreviewScope& scope) const {
        if (!fields.event_type) fields.event_type = "PREVIEW";
        auto schedule = read_schedule(tx_, ScheduleId{Uuid{}}, fields, zones_);
        if (schedule) {
            auto subject = in_scope(*std::move(schedule), scope);
            if (subject) subject->stored = false;
            return subject;
        }
        auto error = std::move(schedule).error();
        if (auto* failed = std::get_if<ValidationFailed>(&error)) {
            for (FieldError& defect : failed->errors) defect.pointer.insert(0, "/schedule");
        }
        return error;
    }

    ScheduleResult<Subject> in_scope(Schedule schedule, const PreviewScope& scope) const {
        if (scope.user && !schedule.per_user) {
            return invalid(pointers_.user, "not_allowed",
                           "the schedule does not run per user; leave this out");
        }
        auto user = user_of(scope);
        if (!user) return user.error();
        std::string zone =
            scope.timezone.value_or(*user ? (*user)->timezone : schedule.timezone.value_or(""));
        if (auto refused = refuse_missing_user(schedule, *user, zone)) return *std::move(refused);
        if (const auto found = zones_.find(zone); !found) {
            return refused(pointers_.timezone, found.error());
        }
        if (*user) (*user)->timezone = zone;
        schedule.timezone = zone;
        return Subject{std::move(schedule), *std::move(user), std::move(zone)};
    }

    ScheduleResult<Instant> moment(const std::optional<std::string>& text, const char* pointer,
                                   Instant otherwise) const {
        if (!text) return otherwise;
        const auto moment = parse_moment(*text, tx_.now());
        if (!moment) return refused(pointer, moment.error());
        return *moment;
    }

private:
    /// The user provides the zone, and for some yearly rules the date.
    std::optional<ValidationFailed> refuse_missing_user(const Schedule& schedule,
                                                        const std::optional<User>& user,
                                                        const std::string& zone) const {
        if (user) return std::nullopt;
        const auto* yearly = std::get_if<YearlyTrigger>(&schedule.trigger);
        if (schedule.per_user && yearly && !rule_for(schedule, nullptr)) {
            return invalid(
                pointers_.user, "required",
                "the schedule runs on the date '" + yearly->on + "' of each user; give a user");
        }
        if (!zone.empty()) return std::nullopt;
        return invalid(pointers_.user, "required",
                       "the schedule runs in the zone of each user; give a user or a time zone");
    }

    ScheduleResult<std::optional<User>> user_of(const PreviewScope& scope) const {
        if (!scope.user) return std::optional<User>{};
        const auto id = user_id(tx_, *scope.user);
        auto user = id ? tx_.users().find(*id) : std::nullopt;
        if (user) return user;
        return invalid(pointers_.user, "not_allowed", "there is no user '" + *scope.user + "'");
    }

    Transaction& tx_;
    const TzData& zones_;
    const Pointers& pointers_;
};

PreviewedOccurrence previewed(const ListedOccurrence& listed, const Zone& zone) {
    const RuleOccurrence& found = listed.occurrence;
    PreviewedOccurrence row{
        .place = found.instant, .target = std::nullopt, .note = std::string{note_of(listed)}};
    if (!is_skip(found.note)) {
        row.target = found.instant;
        row.local = format_local_millis(found.instant, zone);
    }
    if (found.note != OccurrenceNote::none) row.wanted_local = format_wall(found.nominal);
    return row;
}

TimeResult<Preview> listed(const PreviewRead& read, const TzData& zones) {
    const auto& [subject, range] = read;
    Preview preview{.description = describe(subject.schedule), .zone = subject.zone};
    const auto rule =
        rule_of_schedule(subject.schedule, subject.user ? &*subject.user : nullptr, zones);
    if (!rule) {
        const bool refusable = kind_of(subject.schedule.trigger) == TriggerKind::rrule;
        if (!subject.stored && refusable) return rule.error();
        preview.warnings.push_back(rule.error().message);
        return preview;
    }
    ListedOccurrences occurrences{rule->recurrence(), rule->zone(), range.after};
    while (const auto next = occurrences.next()) {
        if (next->occurrence.instant >= range.to) break;
        const bool full = preview.occurrences.size() >= range.count;
        preview.has_more = full && preview.occurrences.back().place != next->occurrence.instant;
        if (preview.has_more) break;
        preview.occurrences.push_back(previewed(*next, rule->zone()));
    }
    return preview;
}

/// Errors: ValidationFailed, if the rule of an unstored schedule never fires, or any takes too
/// long.
ScheduleResult<Preview> computed(const PreviewRead& read, const TzData& zones,
                                 const Pointers& pointers) {
    std::optional<TimeResult<Preview>> preview;
    if (!within_effort(max_steps_of_request, [&] { preview = listed(read, zones); })) {
        preview = too_expensive();
    }
    if (*preview) return **std::move(preview);
    return refused(read.subject.stored ? pointers.schedule : "/schedule/trigger/rrule",
                   preview->error());
}

/// Marks the past occurrences that are known not to have fired.
void mark_skips(Transaction& tx, const Subject& subject, std::vector<PreviewedOccurrence>& rows) {
    if (rows.empty() || rows.front().place > tx.now()) return;
    SkipQuery query;
    query.schedule = subject.schedule.id;
    if (subject.user) query.user = subject.user->id;
    query.from = rows.front().place;
    query.to = rows.back().place + microseconds{1};
    query.page.limit = 500;
    for (const SkippedRun& run : tx.skips().list(query).items) {
        for (PreviewedOccurrence& row : rows) {
            if (run.first <= row.place && row.place <= run.last) row.skipped = run.reason;
        }
    }
}

}  // namespace

ScheduleResult<Preview> PreviewSchedule::run(const PreviewRequest& request) {
    const auto zones = zones_.current();
    const auto read = in_read(store_, [&](Transaction& tx) -> ScheduleResult<PreviewRead> {
        const Reader reader{tx, *zones, in_body};
        auto subject = request.fields ? reader.unstored(*request.fields, request.scope)
                                      : reader.subject(request.schedule, request.scope);
        if (!subject) return subject.error();
        const auto from = reader.moment(request.from, in_body.from, tx.now());
        if (!from) return from.error();
        return PreviewRead{*std::move(subject), {*from - microseconds{1}, never, request.count}};
    });
    if (!read) return read.error();
    auto preview = computed(*read, *zones, in_body);
    if (preview && !read->subject.schedule.enabled) {
        preview->warnings.emplace_back(
            "the schedule is paused: no occurrence fires until it is enabled");
    }
    return preview;
}

ScheduleResult<Preview> PreviewSchedule::list(const OccurrencesRequest& request) {
    const auto zones = zones_.current();
    const auto read = in_read(store_, [&](Transaction& tx) -> ScheduleResult<PreviewRead> {
        const Reader reader{tx, *zones, in_query};
        auto subject = reader.subject(request.schedule, request.scope);
        if (!subject) return subject.error();
        const auto from = reader.moment(request.from, in_query.from, tx.now());
        if (!from) return from.error();
        const auto to = reader.moment(request.to, in_query.to, never);
        if (!to) return to.error();
        const Instant after = request.after.value_or(*from - microseconds{1});
        return PreviewRead{*std::move(subject), {after, *to, request.limit}};
    });
    if (!read) return read.error();
    auto preview = computed(*read, *zones, in_query);
    if (preview) {
        store_.read([&](Transaction& tx) { mark_skips(tx, read->subject, preview->occurrences); });
    }
    return preview;
}

}  // namespace sundial
