#include "application/schedules/backfill_schedule.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <sstream>
#include <utility>

#include "application/audit/action_audit.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/occurrences.hpp"
#include "base/check.hpp"
#include "base/json.hpp"
#include "domain/time/calendar_duration.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

constexpr std::uint64_t max_occurrences = 1'000'000;

/// [from, to).
struct BackfillRange {
    Instant from, to;
    [[nodiscard]] Instant before() const { return from - microseconds{1}; }
    [[nodiscard]] Instant last() const { return to - microseconds{1}; }
};

ScheduleResult<BackfillRange> read_range(const BackfillRequest& request, Instant now) {
    std::vector<FieldError> defects;
    const auto read = [&](const char* pointer, const std::string& text) {
        const auto moment = parse_moment(text, now);
        if (!moment) {
            defects.push_back(
                {pointer, std::string{to_string(moment.error().code)}, moment.error().message});
        }
        return moment ? *moment : now;
    };
    const BackfillRange range{read("/from", request.from), read("/to", request.to)};
    if (defects.empty() && range.to > now) {
        defects.push_back({"/to", "out_of_range", "must not be later than now"});
    }
    if (defects.empty() && range.from >= range.to) {
        defects.push_back({"/from", "out_of_range", "must be before 'to'"});
    }
    if (!defects.empty()) return ValidationFailed{std::move(defects)};
    return range;
}

/// A schedule and the users of one batch: at most `batch_size` users after `after`, or none.
struct BackfillPart {
    Schedule schedule;
    std::vector<User> users;
    bool last = true;
};
std::optional<BackfillPart> read_part(Transaction& tx, ScheduleId id, std::optional<UserId> after) {
    const auto found = tx.schedules().find(id);
    if (!found) return std::nullopt;
    BackfillPart part{*found, {}};
    if (found->per_user) {
        part.users = tx.users().share_after(after, batch_size);
        part.last = part.users.size() < batch_size;
    }
    return part;
}

/// Calls `work` for each rule: one per user that has a rule, or one without a user.
void for_each_rule(const BackfillPart& part, const TzData& zones,
                   const std::function<void(const ScheduleRule&)>& work) {
    const auto run = [&](const User* user) {
        if (const auto rule = rule_of_schedule(part.schedule, user, zones)) work(*rule);
    };
    if (!part.schedule.per_user) return run(nullptr);
    for (const User& user : part.users) run(&user);
}

/// Calls `visit` for every part, outside the transaction that read it.
template <class Visit>
void walk(Store& store, ScheduleId id, Visit visit) {
    std::optional<UserId> after;
    for (bool more = true; more;) {
        const auto part = in_read(store, [&](Transaction& tx) { return read_part(tx, id, after); });
        if (!part) return;
        visit(*part);
        more = !part->last;
        if (more) after = part->users.back().id;
    }
}

void count(const ScheduleRule& rule, const BackfillRange& range, Backfill& found) {
    found.occurrences += rule.recurrence().count(range.before(), range.last());
    const auto cursor = rule.recurrence().after(range.before());
    while (found.samples.size() < max_samples) {
        const auto next = cursor->next();
        if (!next || next->instant > range.last()) return;
        found.samples.push_back({next->instant, std::string{rule.zone().name()},
                                 rule.user() ? std::optional{rule.user()->id} : std::nullopt});
    }
}

/// The cursor of an operation: the range, the last finished user, and the partly finished user (or
/// the schedule without users) with its last finished occurrence.
struct Place {
    BackfillRange range;
    std::optional<UserId> user{};
    std::optional<UserId> within{};
    std::optional<Instant> after{};

    /// The instant after which `user`, or the schedule without users, continues. Another user
    /// starts from the beginning, because the partly finished user may have been deleted.
    [[nodiscard]] Instant begin(std::optional<UserId> of) const {
        return after && within == of ? *after : range.before();
    }
};

std::string text_of(Instant instant) { return std::to_string(instant.time_since_epoch().count()); }
std::string text_of(UserId user) { return to_string(user); }
template <class T>
std::string text_of(const std::optional<T>& value) {
    return value ? text_of(*value) : "-";
}

std::string cursor_of(const Place& place) {
    return text_of(place.range.from) + ' ' + text_of(place.range.to) + ' ' + text_of(place.user) +
           ' ' + text_of(place.within) + ' ' + text_of(place.after);
}

Place place_of(const std::string& cursor) {
    std::istringstream words{cursor};
    std::string from;
    std::string to;
    std::string user;
    std::string within;
    std::string after;
    words >> from >> to >> user >> within >> after;
    base::check(!words.fail());
    const auto instant = [](const std::string& text) {
        return Instant{microseconds{std::stoll(text)}};
    };
    Place place{{instant(from), instant(to)}};
    if (const auto id = base::parse_uuid(user)) place.user = UserId{*id};
    if (const auto id = base::parse_uuid(within)) place.within = UserId{*id};
    if (after != "-") place.after = instant(after);
    return place;
}

/// One batch of an operation.
class Filling {
public:
    Filling(Transaction& tx, const TzData& zones, Ids& ids, Place place)
        : tx_(tx), zones_(zones), ids_(ids), place_(place) {}

    Batch without_user(const Schedule& schedule) {
        if (const auto made = fill(schedule, nullptr)) {
            batch_.done = *made;
        } else {
            batch_.failures.push_back(unknown_zone(OperationSubject::schedule, schedule.id.value,
                                                   schedule.timezone.value_or("UTC")));
        }
        return over(!place_.after);
    }

    Batch of_users(const Schedule& schedule, const std::vector<User>& users) {
        for (const User& user : users) {
            const auto made = fill(schedule, &user);
            if (place_.after) return over(false);
            place_.user = user.id;
            if (made) {
                ++batch_.done;
            } else {
                batch_.failures.push_back(
                    unknown_zone(OperationSubject::user, user.id.value, user.timezone));
            }
        }
        return over(users.size() < batch_size);
    }

private:
    /// Returns the number of occurrences, limited by the room in the batch; `place_` records the
    /// last one. Empty if the zone is unknown.
    std::optional<std::size_t> fill(const Schedule& schedule, const User* user) {
        const auto rule = rule_of_schedule(schedule, user, zones_);
        const auto whose = user ? std::optional{user->id} : std::nullopt;
        const auto events = rule ? events_of(*rule, place_.begin(whose)) : std::vector<Event>{};
        const bool full = events.size() == room_;
        place_.within = full ? whose : std::nullopt;
        place_.after = full ? std::optional{events.back().due} : std::nullopt;
        if (!rule && rule.error().code == TimeErrorCode::unknown_zone) return std::nullopt;
        tx_.events().add_new(events);
        room_ -= events.size();
        return events.size();
    }

    /// At most as many as the batch has room for.
    std::vector<Event> events_of(const ScheduleRule& rule, Instant after) {
        std::vector<Event> events;
        for (const auto& one : list_after(rule.recurrence(), after, room_)) {
            if (one.instant > place_.range.last()) break;
            Event event = plan_occurrence(rule, one, ids_, zones_.release(), tx_.now());
            event.occurrence->origin = Origin::backfill;
            event.jitter = microseconds{0};
            event.claimable_at = event.due;
            batch_.earliest = std::min(batch_.earliest, event.claimable_at);
            events.push_back(std::move(event));
        }
        return events;
    }

    Batch over(bool last) {
        batch_.last = last;
        batch_.cursor = cursor_of(place_);
        return batch_;
    }

    Transaction& tx_;
    const TzData& zones_;
    Ids& ids_;
    Place place_;
    std::size_t room_ = batch_size;
    Batch batch_;
};

/// For the audit stream.
std::string recorded_backfill(const Schedule& schedule, const BackfillRequest& request) {
    base::JsonWriter json;
    json.begin_object().member("scheduleId", to_string(schedule.id));
    json.member("from", request.from).member("to", request.to);
    return std::move(json.end_object()).text();
}

}  // namespace

ScheduleResult<Backfill> BackfillSchedule::run(std::string_view reference,
                                               const BackfillRequest& request,
                                               const Caller& caller) {
    struct Start {
        ScheduleId id;
        BackfillRange range;
    };
    const auto start = in_read(store_, [&](Transaction& tx) -> ScheduleResult<Start> {
        const auto id = schedule_id(tx, reference);
        if (!id) return id.error();
        if (!tx.schedules().find(*id)) return NotFound{Noun::schedule, std::string{reference}};
        const auto range = read_range(request, tx.now());
        if (!range) return range.error();
        return Start{*id, *range};
    });
    if (!start) return start.error();

    Backfill found;
    walk(store_, start->id, [&](const BackfillPart& part) {
        for_each_rule(part, *zones_.current(),
                      [&](const auto& rule) { count(rule, start->range, found); });
    });
    if (found.occurrences > max_occurrences) {
        return invalid("/from", "out_of_range",
                       "the range holds " + std::to_string(found.occurrences) +
                           " occurrences; ask for at most " + std::to_string(max_occurrences));
    }
    if (request.dry_run) return found;
    const auto started = in_transaction(store_, [&](Transaction& tx) -> ScheduleResult<Operation> {
        const auto schedule = tx.schedules().find(start->id);
        if (!schedule) return NotFound{Noun::schedule, std::string{reference}};
        auto operation = operations_.start(tx, OperationKind::backfill_schedule, *schedule,
                                           cursor_of({start->range}));
        record_operation(tx, operation, "BackfillStarted", recorded_backfill(*schedule, request),
                         {caller, ids_.fresh()});
        return operation;
    });
    if (!started) return started.error();
    found.operation = operations_.begin(*started);
    return found;
}

std::uint64_t BackfillTask::count(Transaction& tx, const Operation& operation) {
    const auto schedule = tx.schedules().find(operation.schedule.value());
    if (!schedule) return 0;
    if (schedule->per_user) return tx.users().count();
    const BackfillRange range = place_of(operation.cursor.value()).range;
    const auto rule = rule_of_schedule(*schedule, nullptr, *zones_.current());
    return rule ? rule->recurrence().count(range.before(), range.last()) : 0;
}

Batch BackfillTask::run(Transaction& tx, const Operation& operation) {
    const Place place = place_of(operation.cursor.value());
    const auto seen = tx.schedules().find(operation.schedule.value());
    // Shares users, then the schedule, as planning does.
    const auto users = seen && seen->per_user ? tx.users().share_after(place.user, batch_size)
                                              : std::vector<User>{};
    const auto schedules = tx.schedules().share(std::vector{operation.schedule.value()});
    if (schedules.empty()) {
        Batch batch;
        batch.moot = "the schedule has been deleted";
        return batch;
    }
    const auto zones = zones_.current();
    Filling filling{tx, *zones, ids_, place};
    return schedules.front().per_user ? filling.of_users(schedules.front(), users)
                                      : filling.without_user(schedules.front());
}

}  // namespace sundial
