#include "application/events/edit_event.hpp"

#include <utility>
#include <vector>

#include "application/requests/event_references.hpp"
#include "application/requests/queries.hpp"
#include "domain/names.hpp"

namespace sundial {
namespace {

bool touches_target(const TargetFields& fields) {
    return fields.utc || fields.local || fields.zone || fields.gap || fields.overlap;
}
bool touches_more_than_endpoint(const EventEdit& edit) {
    return touches_target(edit.target) || edit.payload || edit.priority;
}
bool touches_plan(const EventEdit& edit) {
    return touches_more_than_endpoint(edit) || edit.endpoint;
}

InvalidStateTransition not_editable(const Event& event) {
    const auto* processing = std::get_if<Processing>(&event.state);
    return {event.id,         "edit",
            status_of(event), processing ? processing->claimed_by : std::nullopt,
            event.version,    waiting_for(event)};
}

/// One edit of one event, inside its transaction.
class Editing {
public:
    /// Shares the new endpoint. The event must not be locked yet: the deletion of an endpoint locks
    /// the endpoint, then its events.
    Editing(Transaction& tx, const TzData& zones, const EventEdit& edit, const ChangedBy& by,
            const EndpointKinds& kinds)
        : tx_(tx), zones_(zones), edit_(edit), by_(by), kinds_(kinds) {
        if (edit.endpoint) endpoint_ = shared_endpoint(tx, *edit.endpoint, endpoint_defects_);
    }

    EventResult<Event> live(const Event& event) {
        // Returns an error.
        if (edit_.dismissed) return dismiss(event, *edit_.dismissed, tx_.now());
        if (!touches_plan(edit_)) return event;
        if (status_of(event) == EventStatus::pending) return pending(event);
        if (is_claimed(event) || touches_more_than_endpoint(edit_)) return not_editable(event);
        return waiting(event);
    }

    EventResult<Event> finished(const Event& event) {
        if (touches_plan(edit_)) return not_editable(event);
        if (!edit_.dismissed) return event;
        auto dismissed = dismiss(event, *edit_.dismissed, tx_.now(), edit_.note, by_.caller.actor);
        if (!dismissed) return dismissed;
        const bool same_note = !edit_.note || edit_.note == event.dismissal_note;
        if (event.dismissed_at.has_value() == *edit_.dismissed && same_note) return event;
        if (auto stored = tx_.events().update_dismissed(*dismissed, event.version); !stored) {
            return stored.error();
        }
        record_dismissed(tx_, *dismissed, by_);
        return dismissed;
    }

private:
    EventResult<Event> pending(const Event& event) {
        std::vector<FieldError> defects = endpoint_defects_;
        const Target before{event.intent, event.due};
        const auto target =
            TargetReader{zones_, tx_.now()}.edit(before, edit_.target, zone_of_user(event));
        if (!target) append_defects(defects, target.error());
        if (edit_.payload) {
            if (auto refused = refuse_payload("/deliveryPayload", *edit_.payload)) {
                defects.push_back(*std::move(refused));
            }
        }
        Event requested = event;
        requested.endpoint = endpoint_after(event);
        requested.payload = edit_.payload.value_or(event.payload);
        if (auto refused = refused_by_endpoint(requested)) defects.push_back(*std::move(refused));
        if (!defects.empty()) return ValidationFailed{std::move(defects)};

        requested.priority = edit_.priority.value_or(event.priority);
        if (requested == event && *target == before) return event;
        if (*target != before) {
            requested.tz_release = zones_.release();
            requested.jitter = {};  // the new target is exact
        }
        // With a new target, an event without an instant has one.
        const bool has_new_instant = has_instant(requested) && !has_instant(event);
        auto changed = has_new_instant
                           ? resume(std::move(requested), target->intent, target->due, tx_.now())
                           : retarget(std::move(requested), target->intent, target->due, tx_.now());
        if (changed) store(event, *changed);
        return changed;
    }

    /// For an event that waits for a retry or for its endpoint. A new endpoint ends the wait.
    EventResult<Event> waiting(const Event& event) {
        if (!endpoint_defects_.empty()) return ValidationFailed{endpoint_defects_};
        const auto endpoint = endpoint_after(event);
        if (endpoint == event.endpoint) return event;
        if (!endpoint || event.claimable_at != never) return not_editable(event);
        auto changed = expedite(event, tx_.now());
        if (!changed) return changed;
        changed->endpoint = endpoint;
        store(event, *changed);
        return changed;
    }

    void store(const Event& before, const Event& after) {
        tx_.events().update(after);
        record_changed(tx_, before, after, by_);
    }

    [[nodiscard]] std::optional<EndpointId> endpoint_after(const Event& event) const {
        return edit_.endpoint ? endpoint_ : event.endpoint;
    }

    /// The error if the edit combines a payload with an endpoint that cannot take it.
    std::optional<FieldError> refused_by_endpoint(const Event& after) {
        if (!after.endpoint || !(edit_.payload || edit_.endpoint)) return std::nullopt;
        const auto to = tx_.endpoints().find(*after.endpoint);
        return to ? kinds_.refuse_payload(*to, "/deliveryPayload", after.payload) : std::nullopt;
    }

    std::optional<std::string> zone_of_user(const Event& event) {
        if (!event.user) return std::nullopt;
        const auto user = tx_.users().find(*event.user);
        return user ? std::optional{user->timezone} : std::nullopt;
    }

    Transaction& tx_;
    const TzData& zones_;
    const EventEdit& edit_;
    const ChangedBy& by_;
    const EndpointKinds& kinds_;
    std::optional<EndpointId> endpoint_;  // the new one
    std::vector<FieldError> endpoint_defects_;
};

}  // namespace

// Shares a new endpoint, then locks the event.
EventResult<Event> edit_in(Transaction& tx, const TzData& zones, EventId id, const EventEdit& edit,
                           std::optional<Version> expected, const ChangedBy& by,
                           const EndpointKinds& kinds) {
    if (edit.note && edit.dismissed != true) {
        return ValidationFailed{
            {{"/note", "not_allowed", "belongs to a dismissal: give \"dismissed\":true too"}}};
    }
    Editing editing{tx, zones, edit, by, kinds};
    const auto live = tx.events().lock(id);
    const auto event = live ? live : tx.events().find(id);
    const std::string name = to_string(id);
    if (!event) return NotFound{Noun::event, name};
    if (auto refused = refuse_version(Noun::event, name, expected, event->version)) {
        return *refused;
    }
    return live ? editing.live(*live) : editing.finished(*event);
}

EventResult<Event> EditEvent::run(std::string_view id, const EventEdit& edit,
                                  std::optional<Version> expected, const Caller& caller) {
    auto result = in_transaction(store_, [&](Transaction& tx) -> EventResult<Event> {
        const auto requested = event_id(id);
        if (!requested) return requested.error();
        return edit_in(tx, *zones_.current(), *requested, edit, expected, {caller, ids_.fresh()},
                       kinds_);
    });
    if (result) wakeups_.due_at(result->claimable_at);
    return result;
}

}  // namespace sundial
