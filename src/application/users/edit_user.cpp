#include "application/users/edit_user.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "application/audit/recorded_changes.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/chain_planner.hpp"
#include "domain/names.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

/// Stands in for a date that cannot be read, so that the other fields are still validated.
constexpr Date some_date = std::chrono::year{2000} / 1 / 1;

Date read_date(std::string pointer, const std::string& text, std::vector<FieldError>& defects) {
    const auto date = parse_date(text);
    if (date) return *date;
    const TimeError& error = date.error();
    defects.push_back({std::move(pointer), std::string{to_string(error.code)}, error.message});
    return some_date;
}

/// For an unknown zone: the latest date of any zone, so that only the zone is refused, not the
/// date.
Date today_in(const Zone* zone, Instant now) {
    constexpr std::chrono::hours furthest_east{14};
    const WallTime wall =
        zone ? wall_time_at(*zone, now) : WallTime{now.time_since_epoch() + furthest_east};
    return Date{std::chrono::floor<std::chrono::days>(wall)};
}

}  // namespace

UserFields fields_of(const User& user) {
    UserFields fields{.external_id = user.external_id,
                      .first_name = user.first_name,
                      .last_name = user.last_name,
                      .date_of_birth = format_date(user.date_of_birth),
                      .timezone = user.timezone,
                      .dates = {},
                      .metadata = user.metadata};
    for (const auto& [name, date] : user.dates) fields.dates.emplace(name, format_date(date));
    return fields;
}

UserFields edited(UserFields fields, const UserEdit& edit) {
    if (edit.external_id) fields.external_id = *edit.external_id;
    if (edit.first_name) fields.first_name = *edit.first_name;
    if (edit.last_name) fields.last_name = *edit.last_name;
    if (edit.date_of_birth) fields.date_of_birth = *edit.date_of_birth;
    if (edit.timezone) fields.timezone = *edit.timezone;
    fields.dates = edited(std::move(fields.dates), edit.dates);
    fields.metadata = edited(std::move(fields.metadata), edit.metadata);
    return fields;
}

UserResult<User> read_user(User user, const UserFields& fields, const TzData& zones, Instant now) {
    std::vector<FieldError> found;
    user.external_id = fields.external_id;
    user.first_name = fields.first_name;
    user.last_name = fields.last_name;
    user.date_of_birth = read_date("/dateOfBirth", fields.date_of_birth, found);
    user.timezone = fields.timezone;
    user.dates.clear();
    for (const auto& [name, text] : fields.dates) {
        user.dates.emplace(name, read_date(json_pointer("/dates", name), text, found));
    }
    user.metadata = fields.metadata;

    const auto zone = zones.find(fields.timezone);
    if (!zone) {
        found.push_back(
            {"/timezone", std::string{to_string(zone.error().code)}, zone.error().message});
    }
    auto others = defects(user, today_in(zone ? zone->get() : nullptr, now));
    std::move(others.begin(), others.end(), std::back_inserter(found));
    if (!found.empty()) return ValidationFailed{std::move(found)};
    return user;
}

namespace {

/// Whether the rule still has the occurrence of `nominal` after the edit, wherever its policies
/// place it.
bool keeps_date(const YearlyRule& before, const YearlyRule& after, Date nominal) {
    return before.day == after.day && (!after.from || *after.from <= nominal.year());
}

/// The effect of one user's edit on the user's live events, which are all locked.
class Rescheduling {
public:
    Rescheduling(const User& before, const User& after, std::span<const Schedule> schedules,
                 ChainPlanner& planner)
        : before_(before), after_(after), schedules_(schedules), planner_(planner) {}

    void move(const Event& event) {
        if (status_of(event) != EventStatus::pending) {
            found_.skipped.push_back(event.id);
            return;
        }
        ++found_.total_pending;
        if (made_by_hand(event)) return;
        const Schedule* schedule = schedule_of(event);
        const PlanChange change = schedule ? follow(*schedule, event) : follow_single(event);
        if (change == PlanChange::dropped) planner_.drop(schedule, event);
        if (change == PlanChange::moment || change == PlanChange::dropped) ++found_.rescheduled;
    }

    /// For dates that had no rule before the edit.
    void begin_new_dates() {
        for (const Schedule& schedule : schedules_) {
            if (!rule_for(schedule, &before_) && rule_for(schedule, &after_)) {
                planner_.begin(schedule);
            }
        }
    }

    /// Empty if nothing changed that moves events.
    std::optional<Reschedule> result() && {
        const bool moves = before_.timezone != after_.timezone || before_.dates != after_.dates ||
                           before_.date_of_birth != after_.date_of_birth;
        return moves ? std::optional{std::move(found_)} : std::nullopt;
    }

private:
    const Schedule* schedule_of(const Event& event) const {
        if (!event.occurrence) return nullptr;
        const auto found = std::ranges::find(schedules_, event.occurrence->schedule, &Schedule::id);
        return found == schedules_.end() ? nullptr : &*found;
    }

    /// It is a retry for the same receiver, or was requested at its instant.
    static bool made_by_hand(const Event& event) {
        return event.retry_of || (event.occurrence && event.occurrence->origin != Origin::rule);
    }

    PlanChange follow(const Schedule& schedule, const Event& event) {
        switch (kind_of(schedule.trigger)) {
            case TriggerKind::yearly:
                return follow_date(schedule, event);
            case TriggerKind::cron:
            case TriggerKind::rrule:
                // In another zone the rule is a new definition.
                return follows_zone(event) ? planner_.replace(schedule, event)
                                           : planner_.render_again(schedule, event);
            case TriggerKind::every:
                break;
        }
        return planner_.render_again(schedule, event);
    }

    PlanChange follow_date(const Schedule& schedule, const Event& event) {
        const auto before = rule_for(schedule, &before_);
        const auto after = rule_for(schedule, &after_);
        if (!after) return PlanChange::dropped;
        if (!before || !keeps_date(*before, *after, event.occurrence->nominal.date)) {
            return planner_.replace(schedule, event);
        }
        if (follows_zone(event)) return planner_.follow_zone(&schedule, event);
        return planner_.render_again(schedule, event);
    }

    PlanChange follow_single(const Event& event) {
        return follows_zone(event) ? planner_.follow_zone(nullptr, event) : PlanChange::none;
    }

    /// An event with a wall time in the user's old zone moves to the new zone.
    bool follows_zone(const Event& event) const {
        return before_.timezone != after_.timezone && event.intent.wall &&
               event.intent.zone == before_.timezone;
    }

    const User& before_;
    const User& after_;
    std::span<const Schedule> schedules_;
    ChainPlanner& planner_;
    Reschedule found_;
};

}  // namespace

MovedEvents move_events_of(Transaction& tx, const User& before, const User& after,
                           const TzData& zones, Ids& ids) {
    const auto schedules = tx.schedules().share_per_user();
    ChainPlanner planner{tx, &after, zones, ids};
    Rescheduling rescheduling{before, after, schedules, planner};
    for (const Event& event : tx.events().lock_of_user(after.id)) rescheduling.move(event);
    rescheduling.begin_new_dates();
    return {std::move(rescheduling).result(), planner.earliest()};
}

UserResult<EditedUser> EditUser::run(std::string_view reference, const UserEdit& edit,
                                     std::optional<Version> expected, const Caller& caller) {
    const auto transform = [&edit](UserFields fields) { return edited(std::move(fields), edit); };
    return change(reference, transform, expected, caller);
}

UserResult<EditedUser> EditUser::replace(std::string_view reference, const UserFields& replacement,
                                         std::optional<Version> expected, const Caller& caller) {
    const auto transform = [&replacement](const UserFields& fields) {
        UserFields requested = replacement;
        if (!requested.external_id) requested.external_id = fields.external_id;
        return requested;
    };
    return change(reference, transform, expected, caller);
}

UserResult<EditedUser> EditUser::change(std::string_view reference, const Transform& transform,
                                        std::optional<Version> expected, const Caller& caller) {
    Instant earliest = never;
    // Locks the user, shares the schedules, locks the user's events: in this order everywhere.
    auto result = in_transaction(store_, [&](Transaction& tx) -> UserResult<EditedUser> {
        const auto id = user_id(tx, reference);
        if (!id) return id.error();
        const auto before = tx.users().lock(*id);
        if (!before) return NotFound{Noun::user, std::string{reference}};
        if (auto refused = refuse_version(Noun::user, reference, expected, before->version)) {
            return *refused;
        }
        const auto zones = zones_.current();
        auto read = read_user(*before, transform(fields_of(*before)), *zones, tx.now());
        if (!read) return read.error();
        User after = *std::move(read);
        if (after == *before) return EditedUser{after, false, std::nullopt};

        after.version = base::next(before->version);
        after.updated_at = tx.now();
        if (auto updated = tx.users().update(after); !updated) return updated.error();
        tx.record(user_updated(*before, after, {ids_.fresh(), caller}));

        auto moved = move_events_of(tx, *before, after, *zones, ids_);
        earliest = moved.earliest;
        return EditedUser{after, true, std::move(moved.reschedule)};
    });
    if (result) wakeups_.due_at(earliest);
    return result;
}

}  // namespace sundial
