#include "application/schedules/schedule_fields.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "application/requests/event_references.hpp"
#include "application/schedules/payload_template.hpp"
#include "domain/names.hpp"
#include "domain/schedule_rule.hpp"
#include "domain/time/calendar_duration.hpp"
#include "domain/time/cron.hpp"
#include "domain/time/effort.hpp"
#include "domain/time/interval.hpp"
#include "domain/time/text.hpp"
#include "domain/time/types.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_note = 1000;
constexpr const char* date_of_birth = "dateOfBirth";
/// Of a schedule that counts elapsed time. Its zone says only how its times are shown.
constexpr const char* default_zone = "UTC";
/// A placeholder for zones that are not yet known.
constexpr const char* zone_of_each_user = "each user's";

/// The default policies of the trigger's kind (time-semantics 5, 6 and 11).
void set_defaults(Schedule& schedule) {
    const TriggerKind kind = kind_of(schedule.trigger);
    const bool cron = kind == TriggerKind::cron;
    schedule.gap = cron ? GapPolicy::boundary : GapPolicy::compatible;
    schedule.overlap = cron ? OverlapPolicy::earlier : OverlapPolicy::compatible;
    schedule.leap = LeapPolicy::feb28;
    schedule.misfire.policy =
        kind == TriggerKind::yearly ? MisfirePolicy::all : MisfirePolicy::once;
}

/// The zone named by the DTSTART of a rule; empty if there is none or it cannot be read.
std::optional<std::string> own_zone(const RruleTrigger& rule) {
    const auto set = read_rrule(rule, std::nullopt);
    return set ? std::optional(set->zones.front()) : std::nullopt;
}

/// Applies one request's fields to one schedule.
class Reading {
public:
    Reading(Transaction& tx, Schedule schedule, const ScheduleFields& fields, const TzData& zones)
        : tx_(tx), schedule_(std::move(schedule)), fields_(fields), zones_(zones) {}

    ScheduleResult<Schedule> run() {
        read_names();
        read_trigger();
        read_place();
        read_policies();
        judge_rrule();
        read_bounds();
        read_tags();
        if (fields_.ping_url) schedule_.ping_url = *fields_.ping_url;
        if (fields_.payload) {
            if (auto refused = refuse_payload("/payload", *fields_.payload)) {
                defects_.push_back(*std::move(refused));
            }
        }
        if (!defects_.empty()) return ValidationFailed{std::move(defects_)};
        if (fields_.payload) {
            schedule_.payload = *fields_.payload;
            auto checked = check_template(schedule_.payload, schedule_.per_user);
            if (!checked) return checked.error();
        }
        return schedule_;
    }

private:
    void refuse(std::string pointer, const TimeError& error) {
        defects_.push_back({std::move(pointer), std::string{to_string(error.code)}, error.message});
    }
    void refuse(std::string pointer, const char* code, std::string message) {
        defects_.push_back({std::move(pointer), code, std::move(message)});
    }
    void add(std::optional<FieldError> defect) {
        if (defect) defects_.push_back(*std::move(defect));
    }

    void read_names() {
        if (fields_.external_id) {
            schedule_.external_id = fields_.external_id;
            add(refuse_external_id("/externalId", *fields_.external_id));
        }
        if (fields_.event_type) {
            schedule_.event_type = *fields_.event_type;
            add(refuse_event_type("/eventType", schedule_.event_type));
        }
        if (fields_.priority) schedule_.priority = *fields_.priority;
        if (fields_.enabled) schedule_.enabled = *fields_.enabled;
        if (fields_.note) {
            schedule_.note = *fields_.note;
            if (schedule_.note) add(refuse_text("/note", *schedule_.note, longest_note));
        }
        if (fields_.endpoint)
            schedule_.endpoint = existing_endpoint(tx_, *fields_.endpoint, defects_);
    }

    void read_place() {
        if (fields_.per_user && *fields_.per_user != schedule_.per_user) {
            refuse("/perUser", "not_allowed", "never changes; create another schedule");
        }
        if (fields_.timezone) schedule_.timezone = *fields_.timezone;
        // Also if the interval itself is invalid: the zone would not help.
        const bool by_elapsed_time = kind_of(schedule_.trigger) == TriggerKind::every ||
                                     (fields_.trigger && fields_.trigger->every);
        if (by_elapsed_time && !schedule_.per_user && !schedule_.timezone) {
            schedule_.timezone = default_zone;
        }
        if (schedule_.per_user && schedule_.timezone) {
            refuse("/timezone", "not_allowed",
                   "with perUser, each user has a zone; leave this out, or set perUser to false");
        } else if (!schedule_.per_user && !schedule_.timezone) {
            const auto* rule = std::get_if<RruleTrigger>(&schedule_.trigger);
            const auto own = rule ? own_zone(*rule) : std::nullopt;
            refuse("/timezone", "required",
                   own ? "give the zone in which the rule runs: " + quoted(*own) +
                             ", as its DTSTART says"
                       : "give the zone in which the rule runs, or set perUser to true");
        } else if (schedule_.timezone) {
            const auto zone = zones_.find(*schedule_.timezone);
            if (!zone) refuse("/timezone", zone.error());
        }
    }

    void read_trigger() {
        if (!fields_.trigger) return;
        const TriggerKind before = kind_of(schedule_.trigger);
        const TriggerFields& trigger = *fields_.trigger;
        if (trigger.yearly) read_yearly(*trigger.yearly);
        if (trigger.cron) read_cron(*trigger.cron);
        if (trigger.every) read_every(*trigger.every);
        if (trigger.rrule) schedule_.trigger = *trigger.rrule;
        if (kind_of(schedule_.trigger) != before) set_defaults(schedule_);
    }

    void read_yearly(const YearlyFields& fields) {
        const auto* before = std::get_if<YearlyTrigger>(&schedule_.trigger);
        YearlyTrigger yearly = before ? *before : YearlyTrigger{};
        if (fields.on) yearly.on = *fields.on;
        if (fields.at) {
            const auto at = parse_time_of_day(*fields.at);
            if (at) {
                yearly.at = *at;
            } else {
                refuse("/trigger/yearly/at", at.error());
            }
        }
        schedule_.trigger = yearly;
        judge_day(yearly.on);
    }

    void judge_day(const std::string& on) {
        const std::string pointer = "/trigger/yearly/on";
        const bool like_a_day = !on.empty() && std::ranges::all_of(on, [](char c) {
            return c == '-' || ('0' <= c && c <= '9');
        });
        if (like_a_day) {
            if (!parse_yearly_date("--" + on)) {
                refuse(pointer, "bad_time", "'" + on + "' is not a day of the year; write MM-DD");
            }
        } else if (!schedule_.per_user) {
            refuse(pointer, "not_allowed", "must be MM-DD: a date of users needs perUser");
        } else if (on != date_of_birth) {
            add(refuse_member_name(pointer, on));
        }
    }

    void read_cron(const std::string& text) {
        const auto rule = parse_cron(text);
        if (!rule) return refuse("/trigger/cron", rule.error());
        schedule_.trigger = CronTrigger{text};
    }

    /// Validates the text of the RRULE and its zone, whichever of them changed; judge_rule() does
    /// the rest. A DTSTART that names a zone names the schedule's: the reader refuses two.
    void judge_rrule() {
        const auto* rule = std::get_if<RruleTrigger>(&schedule_.trigger);
        if (!rule || (schedule_.timezone && !zones_.find(*schedule_.timezone))) return;
        const auto own = own_zone(*rule);
        const bool nowhere = !schedule_.timezone && !schedule_.per_user;  // already reported
        const std::string place =
            nowhere && own ? *own : schedule_.timezone.value_or(zone_of_each_user);
        const auto set = read_rrule(*rule, place);
        if (!set && own) return refuse("/trigger/rrule", "bad_request", two_zones(*own));
        if (!set) refuse("/trigger/rrule", set.error());
    }

    /// `own` is the zone of the rule's DTSTART and differs from the zone in which the rule would
    /// run.
    [[nodiscard]] std::string two_zones(const std::string& own) const {
        const std::string named = "its DTSTART is in " + quoted(own);
        return schedule_.per_user
                   ? named +
                         ", and with perUser each user's own zone counts: write DTSTART "
                         "without TZID and without Z, or set perUser to false and timezone to " +
                         quoted(own)
                   : named + ", and timezone is " + quoted(*schedule_.timezone) +
                         ": write DTSTART without TZID and without Z, or set timezone to " +
                         quoted(own);
    }

    void read_every(const std::string& text) {
        const auto every = parse_interval(text);
        if (!every) return refuse("/trigger/every", every.error());
        schedule_.trigger = EveryTrigger{*every};
    }

    void read_policies() {
        if (fields_.gap) schedule_.gap = *fields_.gap;
        if (fields_.overlap) schedule_.overlap = *fields_.overlap;
        if (fields_.leap) schedule_.leap = *fields_.leap;
        if (fields_.misfire) schedule_.misfire.policy = *fields_.misfire;
        if (fields_.concurrency) schedule_.concurrency = *fields_.concurrency;
        if (fields_.window) {
            schedule_.misfire.window.reset();
            if (*fields_.window) schedule_.misfire.window = duration("/window", **fields_.window);
        }
        if (fields_.grace) {
            schedule_.misfire.grace = duration("/grace", *fields_.grace).value_or(0s);
        }
        if (fields_.jitter) schedule_.jitter = duration("/jitter", *fields_.jitter).value_or(0s);
        if (fields_.limit) {
            schedule_.misfire.limit = *fields_.limit;
            if (*fields_.limit == 0 || *fields_.limit > max_at_once) {
                refuse("/limit", "out_of_range", "must be 1 to " + std::to_string(max_at_once));
            }
        }
    }

    std::optional<std::chrono::seconds> duration(const char* pointer, const std::string& text) {
        const auto read = parse_duration(text);
        if (read) return *read;
        refuse(pointer, read.error());
        return std::nullopt;
    }

    /// Sorted, each once, so that the same tags in another order change nothing.
    void read_tags() {
        if (!fields_.tags) return;
        schedule_.tags = *fields_.tags;
        std::ranges::sort(schedule_.tags);
        const auto rest = std::ranges::unique(schedule_.tags);
        schedule_.tags.erase(rest.begin(), rest.end());
    }

    void read_bounds() {
        if (fields_.starts_at) schedule_.starts_at = moment("/startsAt", *fields_.starts_at);
        if (fields_.ends_at) schedule_.ends_at = moment("/endsAt", *fields_.ends_at);
        if (schedule_.starts_at && schedule_.ends_at && *schedule_.ends_at < *schedule_.starts_at) {
            refuse("/endsAt", "out_of_range", "must not be before startsAt");
        }
    }

    std::optional<Instant> moment(const char* pointer, const std::optional<std::string>& text) {
        if (!text) return std::nullopt;
        const auto read = parse_moment(*text, tx_.now());
        if (read) return *read;
        refuse(pointer, read.error());
        return std::nullopt;
    }

    Transaction& tx_;
    Schedule schedule_;
    const ScheduleFields& fields_;
    const TzData& zones_;
    std::vector<FieldError> defects_;
};

/// The defect of a trigger whose occurrences must be computed to find it.
std::optional<TimeError> defect_of(const Schedule& schedule, const TzData& zones) {
    const auto* rule = std::get_if<RruleTrigger>(&schedule.trigger);
    if (!rule) return std::nullopt;
    const auto set = read_rrule(*rule, schedule.timezone.value_or(zone_of_each_user));
    if (!set) return set.error();
    const auto find_zone = [&](std::string_view id) {
        return zones.find(id == zone_of_each_user ? "UTC" : id);
    };
    std::optional<TimeError> defect;
    const bool cheap = within_effort(max_steps_of_request, [&] {
        const auto found = rrule_recurrence(*set, find_zone, schedule.gap, schedule.overlap);
        if (!found) defect = found.error();
    });
    return cheap ? defect : too_expensive();
}

}  // namespace

bool same_rule(const Schedule& a, const Schedule& b) {
    return a.trigger == b.trigger && a.timezone == b.timezone && a.gap == b.gap &&
           a.overlap == b.overlap;
}

ScheduleResult<void> judge_rule(const Schedule& schedule, const TzData& zones) {
    const auto defect = defect_of(schedule, zones);
    if (!defect) return {};
    return invalid("/trigger/rrule", std::string{to_string(defect->code)}, defect->message);
}

ScheduleResult<Schedule> edited(Transaction& tx, Schedule before, const ScheduleFields& fields,
                                const TzData& zones) {
    return Reading{tx, std::move(before), fields, zones}.run();
}

std::optional<ValidationFailed> refuse_endpoint(Transaction& tx, const Schedule& schedule,
                                                const EndpointKinds& kinds) {
    if (!schedule.endpoint) return std::nullopt;
    const auto found = tx.endpoints().share(std::vector{*schedule.endpoint});
    if (found.empty()) {
        return invalid("/endpointId", "not_allowed",
                       "the endpoint " + to_string(*schedule.endpoint) + " has just been deleted");
    }
    auto refused = kinds.refuse_payload(found.front(), "/payload", schedule.payload);
    if (!refused) return std::nullopt;
    return ValidationFailed{{*std::move(refused)}};
}

std::optional<ValidationFailed> refuse_ping_url(const Schedule& schedule,
                                                const EndpointKinds& kinds) {
    if (!schedule.ping_url) return std::nullopt;
    auto refused = kinds.refuse_ping("/pingUrl", *schedule.ping_url);
    if (!refused) return std::nullopt;
    return ValidationFailed{{*std::move(refused)}};
}

ScheduleResult<Schedule> read_schedule(Transaction& tx, ScheduleId id, const ScheduleFields& fields,
                                       const TzData& zones) {
    Schedule blank{.id = id,
                   .external_id = std::nullopt,
                   .event_type = {},
                   .note = std::nullopt,
                   .trigger = {},
                   .per_user = fields.per_user.value_or(false),
                   .timezone = std::nullopt,
                   .endpoint = std::nullopt,
                   .payload = "{}",
                   .starts_at = std::nullopt,
                   .ends_at = std::nullopt,
                   .created_at = tx.now(),
                   .updated_at = tx.now()};
    return edited(tx, std::move(blank), fields, zones);
}

}  // namespace sundial
