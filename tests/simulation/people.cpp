#include "simulation/people.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "domain/time/text.hpp"
#include "simulation/local_time.hpp"

namespace sundial::simulation {
namespace {

using namespace std::chrono_literals;

constexpr std::array<const char*, 6> zone_names{"America/New_York", "Europe/Paris",
                                                "Asia/Kolkata",     "Pacific/Auckland",
                                                "Pacific/Honolulu", "UTC"};
constexpr std::array crons{"0 9 * * *", "30 2 * * *", "0 */6 * * *", "15 1 * * MON",
                           "0 12 1,15 * *"};
constexpr std::array intervals{"PT8H", "P1D", "PT100H"};
constexpr std::size_t max_users = 8, max_schedules = 4, max_endpoints = 3;
constexpr const char* request_id = "req-simulated";

std::string local_text(WallTime wall) {
    const auto day = std::chrono::floor<std::chrono::days>(wall);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(wall - day)};
    const auto two = [](auto number) {
        const std::string text = std::to_string(number);
        return text.size() < 2 ? "0" + text : text;
    };
    return std::to_string(static_cast<int>(date.year())) + "-" +
           two(static_cast<unsigned>(date.month())) + "-" + two(static_cast<unsigned>(date.day())) +
           "T" + two(time.hours().count()) + ":" + two(time.minutes().count()) + ":" +
           two(time.seconds().count());
}

RetryPolicy a_retry_policy(Dice& dice) {
    switch (dice.below(3)) {
        case 0:
            return {.kind = RetryPolicy::Kind::standard};
        case 1:
            return {.kind = RetryPolicy::Kind::seed};
        default:
            return {.kind = RetryPolicy::Kind::custom, .custom = {1s, 10s, 60s, 600s}};
    }
}

template <class Result, class Keep>
bool kept(const Result& result, Keep keep) {
    if (!result) return false;
    keep(*result);
    return true;
}

/// If it does not exist, an earlier try deleted it.
bool gone(const Result<void>& deleted) {
    return deleted || std::holds_alternative<NotFound>(deleted.error());
}

}  // namespace

// Requests.

How People::ask(const std::function<bool(Process&)>& request, bool repeat, bool lost_commit) {
    ++world_.counts.actions;
    // An earlier try may have succeeded, so that the last one is refused.
    How so_far = How::refused;
    for (int tries = repeat ? 4 : 1; tries > 0; --tries) {
        Process* process = any_process_();
        if (process == nullptr) return so_far;
        bool done = false;
        if (process->serve([&](Process& one) { done = request(one); }, lost_commit)) {
            return done ? How::ok : so_far;
        }
        so_far = How::unknown;
    }
    return so_far;
}

void People::record(Op op, How how, std::optional<EventId> id, std::string what) {
    Step step;
    step.op = op;
    step.how = how;
    step.id = id;
    step.what = std::move(what);
    world_.record(std::move(step));
}

std::string People::zone() { return world_.dice.pick(zone_names); }

Instant People::soon() {
    const auto wait =
        world_.dice.chance(0.5) ? world_.dice.between(0s, 10min) : world_.dice.between(0s, 240h);
    return std::chrono::ceil<std::chrono::seconds>(world_.clock.now() + wait);
}

std::string People::a_birth_date() {
    const auto day = std::chrono::floor<std::chrono::days>(
        world_.clock.now() + std::chrono::days{static_cast<int>(world_.dice.below(45))});
    const std::chrono::year_month_day date{day};
    if (world_.dice.chance(0.05)) return "1992-02-29";
    return "1990-" + local_text(WallTime{day.time_since_epoch()}).substr(5, 5);
}

std::optional<EventId> People::some_event() {
    if (events_.empty()) return std::nullopt;
    // Most later steps concern the newest events.
    const std::size_t newest = std::min<std::size_t>(events_.size(), 12);
    return events_[events_.size() - 1 - world_.dice.below(newest)];
}

// Actions.

void People::create_event(std::optional<Instant> due) {
    NewEvent requested;
    requested.event_type = "REMINDER";
    requested.priority = static_cast<Priority>(world_.dice.below(4));
    requested.payload = R"({"number":)" + std::to_string(++count_) + "}";
    if (!endpoints_.empty() && world_.dice.chance(0.97)) {
        requested.endpoint = to_string(world_.dice.pick(endpoints_));
    }
    const bool keyed = world_.dice.chance(0.8);
    const std::string key = "asked-" + std::to_string(count_);
    if (keyed && !world_.defective(Defect::keys_not_unique)) requested.idempotency_key = key;
    Instant expected = due.value_or(soon());
    const std::string zone_name = zone();
    const auto zone = *world_.true_zones.find(zone_name);
    const WallTime wall = shown_at(*zone, expected);
    const auto lookup = zone->lookup(std::chrono::floor<std::chrono::seconds>(wall));
    if (world_.dice.chance(0.5) && lookup.kind == LocalLookup::Kind::unique) {
        requested.target.local = local_text(wall);
        requested.target.zone = zone_name;
    } else {
        requested.target.utc = format_instant(expected);
    }
    std::optional<Event> made;
    const How how = ask(
        [&](Process& process) {
            const auto event = process.schedule_event.run(requested);
            if (event) made = *event;
            if (event) return true;
            const auto* known = std::get_if<DuplicateIdempotencyKey>(&event.error());
            if (known == nullptr) return false;
            events_.push_back(known->existing);
            return true;  // an earlier request has created it
        },
        keyed);
    Step step;
    step.op = Op::create;
    step.how = how;
    if (made) {
        events_.push_back(made->id);
        step.id = made->id;
        step.key = made->key.value;
        step.target = target_of(*made);
        step.sound = target_of(*made) == expected;
    } else if (how == How::ok) {
        step.id = events_.back();
    }
    if (keyed) step.what = key;
    world_.record(std::move(step));
}

void People::cancel_event() {
    const auto id = some_event();
    if (!id) return;
    const How how = ask(
        [&](Process& process) {
            return process.cancel_event.run(to_string(*id), std::nullopt, "req-1").has_value();
        },
        true, world_.defective(Defect::cancel_ignored));
    record(Op::cancel, how, id, {});
}

void People::edit_event() {
    const auto id = some_event();
    if (!id) return;
    EventEdit edit;
    switch (world_.dice.below(4)) {
        case 0:
            edit.target.utc = format_instant(soon());
            break;
        case 1:
            edit.payload = R"({"edited":)" + std::to_string(++count_) + "}";
            break;
        case 2:
            edit.priority = static_cast<Priority>(world_.dice.below(4));
            break;
        default:
            edit.dismissed = true;
            break;
    }
    const How how = ask(
        [&](Process& process) {
            return process.edit_event.run(to_string(*id), edit, std::nullopt, "req-1").has_value();
        },
        false);
    record(Op::edit, how, id, {});
}

void People::retry_event() {
    const auto id = some_event();
    if (!id) return;
    const auto key = world_.dice.chance(0.7) ? RetryKey::same : RetryKey::fresh;
    EventId made = *id;
    const How how = ask(
        [&](Process& process) {
            return kept(process.retry_event.run(to_string(*id), key, "req-1"),
                        [&](const RetriedEvent& retried) { made = retried.event.id; });
        },
        false);
    if (how == How::ok && made != *id) events_.push_back(made);
    // Without an answer, the event may have been attempted sooner.
    record(Op::retry, how, how == How::ok ? made : *id, "of " + to_string(*id));
}

void People::create_user() {
    if (users_.size() >= max_users) return edit_user();
    const UserFields fields{.first_name = "Ada",
                            .last_name = "Li",
                            .date_of_birth = a_birth_date(),
                            .timezone = zone()};
    const How how = ask(
        [&](Process& process) {
            return kept(process.create_user.run(fields, request_id),
                        [&](const User& user) { users_.push_back(user.id); });
        },
        false);
    record(Op::manage, how, std::nullopt, "create user");
}

void People::edit_user() {
    if (users_.empty()) return;
    const UserId id = world_.dice.pick(users_);
    UserEdit edit;
    if (world_.dice.chance(0.5)) {
        edit.timezone = zone();
    } else {
        edit.date_of_birth = a_birth_date();
    }
    const How how = ask(
        [&](Process& process) {
            return process.edit_user.run(to_string(id), edit, std::nullopt, request_id).has_value();
        },
        false);
    record(Op::manage, how, std::nullopt, "edit user");
}

void People::delete_user() {
    if (users_.empty()) return;
    const auto chosen =
        users_.begin() + static_cast<std::ptrdiff_t>(world_.dice.below(users_.size()));
    const UserId id = *chosen;
    const auto history = world_.dice.chance(0.5) ? UserHistory::erase : UserHistory::keep;
    const How how = ask(
        [&](Process& process) {
            return gone(process.delete_user.run(to_string(id), history, std::nullopt, request_id));
        },
        true);
    Step step;
    step.op = Op::erase;
    step.how = how;
    step.user = id;
    world_.record(std::move(step));
    if (how != How::unknown) users_.erase(chosen);
}

void People::create_schedule() {
    if (schedules_.size() >= max_schedules) return edit_schedule();
    ScheduleFields fields;
    fields.event_type = "DIGEST";
    fields.payload = R"({"digest":true})";
    if (!endpoints_.empty()) fields.endpoint = to_string(world_.dice.pick(endpoints_));
    fields.per_user = world_.dice.chance(0.3);
    TriggerFields trigger;
    switch (world_.dice.below(3)) {
        case 0:
            trigger.every = world_.dice.pick(intervals);
            break;
        case 1: {
            const WallTime today{
                std::chrono::floor<std::chrono::days>(world_.clock.now()).time_since_epoch()};
            trigger.rrule = RruleTrigger{.ical = {},
                                         .dtstart = local_text(today + 17h),
                                         .rrule = "FREQ=DAILY;INTERVAL=2",
                                         .rdate = {},
                                         .exdate = {}};
            break;
        }
        default:
            trigger.cron = world_.dice.pick(crons);
            break;
    }
    fields.trigger = trigger;
    if (!*fields.per_user) fields.timezone = zone();
    if (world_.dice.chance(0.3)) fields.jitter = "PT10M";
    if (world_.dice.chance(0.3)) fields.misfire = static_cast<MisfirePolicy>(world_.dice.below(3));
    if (world_.dice.chance(0.3)) fields.concurrency = Concurrency::forbid;
    const How how = ask(
        [&](Process& process) {
            return kept(process.create_schedule.run(fields, request_id),
                        [&](const CreatedSchedule& created) {
                            schedules_.push_back({created.schedule.id, created.schedule.per_user});
                        });
        },
        false);
    record(Op::manage, how, std::nullopt, "create schedule");
}

void People::edit_schedule() {
    if (schedules_.empty()) return;
    const KnownSchedule schedule = world_.dice.pick(schedules_);
    ScheduleFields edit;
    switch (world_.dice.below(4)) {
        case 0:
            edit.enabled = false;
            break;
        case 1:
            edit.trigger = TriggerFields{.cron = world_.dice.pick(crons)};
            break;
        case 2:
            edit.priority = static_cast<Priority>(world_.dice.below(4));
            break;
        default:
            edit.enabled = true;
            break;
    }
    const How how = ask(
        [&](Process& process) {
            return process.edit_schedule.run(to_string(schedule.id), edit, std::nullopt, request_id)
                .has_value();
        },
        false);
    record(Op::manage, how, std::nullopt, "edit schedule");
}

void People::delete_schedule() {
    if (schedules_.empty()) return;
    const auto chosen =
        schedules_.begin() + static_cast<std::ptrdiff_t>(world_.dice.below(schedules_.size()));
    unwanted_.insert(chosen->id);
    const How how = ask(
        [&](Process& process) {
            return gone(
                process.delete_schedule.run(to_string(chosen->id), std::nullopt, request_id));
        },
        true);
    record(Op::manage, how, std::nullopt, "delete schedule");
    if (how != How::unknown) schedules_.erase(chosen);
}

void People::trigger_schedule() {
    if (schedules_.empty()) return;
    const KnownSchedule schedule = world_.dice.pick(schedules_);
    TriggerRequest trigger_request;
    if (schedule.per_user && !users_.empty())
        trigger_request.user = to_string(world_.dice.pick(users_));
    const How how = ask(
        [&](Process& process) {
            return kept(
                process.trigger_schedule.run(to_string(schedule.id), trigger_request, "req-1"),
                [&](const Event& event) { events_.push_back(event.id); });
        },
        false);
    record(Op::manage, how, std::nullopt, "trigger schedule");
}

void People::create_endpoint() {
    if (endpoints_.size() >= max_endpoints) return edit_endpoint();
    NewEndpoint requested{.type = webhook_type};
    requested.name = "CRM";
    requested.url = "https://receiver-" + std::to_string(++count_) + ".example/hook";
    requested.retry_policy = a_retry_policy(world_.dice);
    if (world_.dice.chance(0.2)) requested.retry_client_errors = 2;
    const How how = ask(
        [&](Process& process) {
            return kept(process.create_endpoint.run(requested, request_id),
                        [&](const CreatedEndpoint& created) {
                            endpoints_.push_back(created.endpoint.id);
                            urls_.push_back(created.endpoint.url);
                        });
        },
        false);
    record(Op::manage, how, std::nullopt, "create endpoint");
}

void People::edit_endpoint() {
    if (endpoints_.empty()) return;
    EndpointEdit edit;
    if (world_.dice.chance(0.5)) {
        edit.enabled = world_.dice.chance(0.6);
    } else {
        edit.retry_policy = a_retry_policy(world_.dice);
    }
    const EndpointId id = world_.dice.pick(endpoints_);
    const How how = ask(
        [&](Process& process) {
            return process.edit_endpoint.run(to_string(id), edit, std::nullopt, request_id)
                .has_value();
        },
        false);
    record(Op::manage, how, std::nullopt, "edit endpoint");
}

void People::settle_in() {
    for (int i = 0; i < 2; ++i) create_endpoint();
    ScheduleFields birthday;
    if (!endpoints_.empty()) birthday.endpoint = to_string(endpoints_.front());
    static_cast<void>(ask(
        [&](Process& process) {
            return process.edit_schedule.run("ext:birthday", birthday, std::nullopt, request_id)
                .has_value();
        },
        true));
    for (int i = 0; i < 3; ++i) create_user();
    for (int i = 0; i < 2; ++i) create_schedule();
}

void People::act() {
    Dice& dice = world_.dice;
    if (dice.chance(0.06)) {  // many actions at one moment
        const Instant due = soon();
        for (auto left = dice.below(20) + 3; left > 0; --left) create_event(due);
        return;
    }
    if (dice.chance(0.15) && !urls_.empty()) {
        const auto mood =
            dice.chance(0.4)
                ? Mood::well
                : static_cast<Mood>(dice.below(static_cast<std::uint64_t>(Mood::moods)));
        world_.receivers.change_mood(dice.pick(urls_), mood);
        return;
    }
    const std::uint64_t what = dice.below(100);
    if (what < 45) return create_event(std::nullopt);
    if (what < 56) return cancel_event();
    if (what < 66) return edit_event();
    if (what < 76) return retry_event();
    if (what < 81) return create_user();
    if (what < 86) return edit_user();
    if (what < 88) return delete_user();
    if (what < 91) return create_schedule();
    if (what < 94) return edit_schedule();
    if (what < 95) return delete_schedule();
    if (what < 97) return trigger_schedule();
    return create_endpoint();
}

void People::make_up() {
    world_.receivers.all_are_well();
    EndpointEdit enabled;
    enabled.enabled = true;
    for (const EndpointId id : endpoints_) {
        static_cast<void>(ask(
            [&](Process& process) {
                return process.edit_endpoint.run(to_string(id), enabled, std::nullopt, request_id)
                    .has_value();
            },
            true));
    }
}

std::vector<FinalChain> People::chains() {
    std::vector<FinalChain> found;
    world_.store.read([&](Transaction& tx) {
        const auto live = [&](const Schedule& schedule, std::optional<UserId> user) {
            found.push_back({describe(schedule), user,
                             tx.events().has_live(
                                 {.schedule = schedule.id, .user = user, .origin = Origin::rule})});
        };
        const auto users = tx.users().share_after(std::nullopt, 500);
        for (const Schedule& schedule : tx.schedules().list({}).items) {
            if (unwanted_.contains(schedule.id)) continue;
            if (!schedule.per_user) {
                live(schedule, std::nullopt);
                continue;
            }
            for (const User& user : users) live(schedule, user.id);
        }
    });
    return found;
}

}  // namespace sundial::simulation
