#include "application/schedules/trigger_schedule.hpp"

#include <vector>

#include "application/audit/action_audit.hpp"
#include "application/requests/event_references.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/occurrences.hpp"
#include "application/schedules/payload_template.hpp"
#include "domain/names.hpp"

namespace sundial {
namespace {

std::optional<FieldError> refuse_user(const Schedule& schedule, const TriggerRequest& request) {
    if (schedule.per_user && !request.user) {
        return FieldError{"/userId", "required", "the schedule runs per user: give the user"};
    }
    if (!schedule.per_user && request.user) {
        return FieldError{"/userId", "not_allowed",
                          "the schedule does not run per user; leave the user out"};
    }
    return std::nullopt;
}

}  // namespace

ScheduleResult<Event> TriggerSchedule::run(std::string_view reference,
                                           const TriggerRequest& request, const Caller& caller) {
    // Shares the user, then the schedule, as planning does.
    auto result = in_transaction(store_, [&](Transaction& tx) -> ScheduleResult<Event> {
        const auto id = schedule_id(tx, reference);
        if (!id) return id.error();
        std::vector<FieldError> defects;
        const auto user = shared_user(tx, request.user, defects);
        const auto schedules = tx.schedules().share(std::vector{*id});
        if (schedules.empty()) return NotFound{Noun::schedule, std::string{reference}};
        const Schedule& schedule = schedules.front();
        if (auto refused = refuse_user(schedule, request)) defects.push_back(*std::move(refused));
        if (request.payload) {
            if (auto refused = refuse_payload("/payload", *request.payload)) {
                defects.push_back(*std::move(refused));
            }
            const auto to =
                schedule.endpoint ? tx.endpoints().find(*schedule.endpoint) : std::nullopt;
            if (to) {
                auto refused = kinds_.refuse_payload(*to, "/payload", *request.payload);
                if (refused) defects.push_back(*std::move(refused));
            }
        }
        if (!defects.empty()) return ValidationFailed{std::move(defects)};
        const std::string& payload = request.payload ? *request.payload : schedule.payload;
        if (auto checked = check_template(payload, schedule.per_user); !checked) {
            return checked.error();
        }

        const std::string place = user ? user->timezone : schedule.timezone.value_or("UTC");
        const auto zones = zones_.current();
        const auto zone = zones->find(place);
        if (!zone) {
            return invalid("/userId", std::string{to_string(zone.error().code)},
                           zone.error().message);
        }
        const Nominal nominal = nominal_of(wall_time_at(**zone, tx.now()));
        const IdempotencyKey key = ids_.random_key();
        Intent intent{.wall = std::nullopt, .zone = place};
        const Event event{
            .id = ids_.event_id(key),
            .key = key,
            .type = schedule.event_type,
            .priority = schedule.priority,
            .user = user ? std::optional{user->id} : std::nullopt,
            .endpoint = schedule.endpoint,
            .occurrence = Occurrence{schedule.id, schedule.version, nominal, Origin::trigger},
            .intent = std::move(intent),
            .due = tx.now(),
            .tz_release = zones->release(),
            .payload =
                rendered_payload(payload, user ? &*user : nullptr, **zone, nominal.date, tx.now()),
            .claimable_at = tx.now(),
            .retry_of = std::nullopt,
            .first_attempt_at = std::nullopt,
            .dismissed_at = std::nullopt,
            .created_at = tx.now(),
            .updated_at = tx.now()};
        if (auto added = tx.events().add(event); !added) return added.error();
        record_triggered(tx, event, {caller, ids_.fresh()});
        return event;
    });
    if (result) wakeups_.due_at(result->claimable_at);
    return result;
}

}  // namespace sundial
