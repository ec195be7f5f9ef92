#include "application/schedule_event.hpp"

#include <utility>
#include <vector>

#include "application/event_references.hpp"
#include "base/crash_point.hpp"
#include "domain/names.hpp"

namespace sundial {
namespace {

using Defects = std::vector<FieldError>;

Defects defects_of_texts(const NewEvent& wanted) {
    Defects found;
    if (auto refused = refuse_event_type("/eventType", wanted.event_type)) {
        found.push_back(*std::move(refused));
    }
    if (wanted.idempotency_key) {
        if (auto refused = refuse_idempotency_key("/idempotencyKey", *wanted.idempotency_key)) {
            found.push_back(*std::move(refused));
        }
    }
    if (auto refused = refuse_payload("/deliveryPayload", wanted.payload)) {
        found.push_back(*std::move(refused));
    }
    return found;
}

}  // namespace

Result<Event> ScheduleEvent::run(const NewEvent& wanted) {
    const Defects of_texts = defects_of_texts(wanted);
    // Shares the user, so that whoever deletes it finds this event.
    auto result = in_transaction(store_, [&](Transaction& tx) -> Result<Event> {
        Defects found = of_texts;
        const auto user = shared_user(tx, wanted.user, found);
        const auto endpoint = existing_endpoint(tx, wanted.endpoint, found);
        const auto zones = zones_.current();
        const auto target = TargetReader{*zones, tx.now()}.read(
            wanted.target, user ? std::optional{user->timezone} : std::nullopt);
        if (!target) append_defects(found, target.error());
        if (!found.empty()) return ValidationFailed{std::move(found)};

        const IdempotencyKey key =
            wanted.idempotency_key ? IdempotencyKey{*wanted.idempotency_key} : ids_.random_key();
        const Event event{.id = ids_.event_id(key),
                          .key = key,
                          .type = wanted.event_type,
                          .priority = wanted.priority,
                          .user = user ? std::optional{user->id} : std::nullopt,
                          .endpoint = endpoint,
                          .occurrence = std::nullopt,
                          .intent = target->intent,
                          .due = target->due,
                          .tz_release = zones->release(),
                          .payload = wanted.payload,
                          .claimable_at = target->due,
                          .retry_of = std::nullopt,
                          .first_attempt_at = std::nullopt,
                          .dismissed_at = std::nullopt,
                          .created_at = tx.now(),
                          .updated_at = tx.now()};
        if (auto added = tx.events().add(event); !added) return added.error();
        CRASH_POINT("create: before commit");
        return event;
    });
    CRASH_POINT("create: after commit");
    if (result) wakeups_.due_at(result->claimable_at);
    return result;
}

}  // namespace sundial
