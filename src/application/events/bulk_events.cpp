#include "application/events/bulk_events.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "application/audit/action_audit.hpp"
#include "application/events/cancel_event.hpp"
#include "application/events/edit_event.hpp"
#include "application/events/retry_event.hpp"
#include "application/requests/refusal.hpp"
#include "base/check.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

/// Events of one transaction: few enough that other transactions do not wait noticeably.
constexpr std::size_t bulk_batch_size = 100;

// ---- validation

/// Whether a retry selects events that wait for their next attempt, not FAILED ones.
bool ends_waits(const BulkRequest& request) {
    const auto& filter = request.filter;
    return request.action == BulkAction::retry &&
           (!filter.waiting_for.empty() ||
            std::ranges::find(filter.statuses, EventStatus::processing) != filter.statuses.end());
}

/// The states that an action applies to.
std::vector<EventStatus> states_for(const BulkRequest& request) {
    switch (request.action) {
        case BulkAction::retry:
            return {ends_waits(request) ? EventStatus::processing : EventStatus::failed};
        case BulkAction::dismiss:
            return {EventStatus::failed};
        case BulkAction::reschedule:
            return {EventStatus::pending};
        case BulkAction::cancel:
            break;
    }
    return {EventStatus::pending, EventStatus::processing};
}

/// An action on FAILED events applies to dead letters: FAILED events that are not dismissed.
bool for_dead_letters(const BulkRequest& request) {
    return states_for(request).front() == EventStatus::failed;
}

bool names_anything(const EventQuery& filter) {
    return !filter.statuses.empty() || !filter.priorities.empty() || !filter.types.empty() ||
           !filter.zones.empty() || filter.user || filter.schedule || filter.endpoint ||
           filter.target_from || filter.target_to || filter.executed_from || filter.executed_to ||
           filter.late_execution || filter.dismissed || filter.key || filter.prefix ||
           filter.reason || !filter.waiting_for.empty();
}

std::string statuses_in_words(BulkAction action) {
    switch (action) {
        case BulkAction::retry:
            return "retry is for events that are FAILED, or for those in PROCESSING that wait for "
                   "their next attempt: give one of the two";
        case BulkAction::dismiss:
            return "dismiss is for events that are FAILED";
        case BulkAction::reschedule:
            return "reschedule is for events that are PENDING; retry ends the wait of those in "
                   "PROCESSING";
        case BulkAction::cancel:
            break;
    }
    return "cancel is for events that are PENDING or PROCESSING";
}

bool has_target(const TargetFields& target) {
    return target.utc || target.local || target.zone || target.gap || target.overlap;
}

/// Finds the defects of a request. Also replaces `now+1h` by its instant.
class Judging {
public:
    Judging(const TzData& zones, Instant now) : zones_(zones), now_(now) {}

    std::vector<FieldError> run(BulkRequest& request) {
        if (request.ids.empty()) judge_filter(request);
        if (request.action == BulkAction::reschedule) {
            judge_move(request);
        } else if (has_target(request.target) || request.shift) {
            refuse("/set", "not_allowed", "belongs to the action reschedule only");
        }
        if (request.note && request.action != BulkAction::dismiss) {
            refuse("/note", "not_allowed", "belongs to the action dismiss only");
        }
        return std::move(defects_);
    }

private:
    void judge_filter(const BulkRequest& request) {
        const auto states = states_for(request);
        const auto fits = [&](EventStatus status) {
            return std::ranges::find(states, status) != states.end();
        };
        if (!std::ranges::all_of(request.filter.statuses, fits)) {
            refuse("/filter/status", "not_allowed", statuses_in_words(request.action));
        }
        judge_waits(request);
        if (!for_dead_letters(request) && !names_anything(request.filter)) {
            refuse("/filter", "required",
                   "select the events; for all live events, filter by status");
        }
    }

    void judge_waits(const BulkRequest& request) {
        const auto& reasons = request.filter.waiting_for;
        if (reasons.empty()) return;
        const bool only_retry = std::ranges::all_of(
            reasons, [](WaitReason reason) { return reason == WaitReason::retry; });
        if (request.action == BulkAction::dismiss) {
            refuse("/filter/waitingFor", "not_allowed", "a FAILED event waits for nothing");
        } else if (request.action == BulkAction::retry && !only_retry) {
            refuse(
                "/filter/waitingFor", "not_allowed",
                "retry ends the wait for RETRY; close the circuit, change the limits, enable the "
                "endpoint or resume the schedule to end another wait");
        }
    }

    void judge_move(BulkRequest& request) {
        if (request.shift && has_target(request.target)) {
            return refuse("/set", "not_allowed", "give either a target or a shift");
        }
        if (request.shift) return;
        // Every event has its own zone. Any zone serves to find the defects of the fields
        // themselves.
        const auto target = TargetReader{zones_, now_}.read(request.target, "UTC");
        if (!target) {
            for (const FieldError& error : std::get<ValidationFailed>(target.error()).errors) {
                refuse("/set" + error.pointer, error.code, error.message);
            }
            return;
        }
        const bool moves_with_now = request.target.utc && request.target.utc->starts_with("now");
        if (moves_with_now) request.target.utc = format_instant(target->due);
    }

    void refuse(std::string pointer, std::string code, std::string message) {
        defects_.push_back({std::move(pointer), std::move(code), std::move(message)});
    }

    const TzData& zones_;
    Instant now_;
    std::vector<FieldError> defects_;
};

// ---- selection

EventWalk walk_of(const BulkRequest& request, Instant until) {
    const bool failed = for_dead_letters(request);
    EventWalk walk{.through = failed ? EventWalk::Through::failed : EventWalk::Through::live,
                   .filter = request.filter,
                   .until = until,
                   .page = {}};
    if (walk.filter.statuses.empty()) walk.filter.statuses = states_for(request);
    if (ends_waits(request)) walk.filter.waiting_for = {WaitReason::retry};
    if (failed && !walk.filter.dismissed) walk.filter.dismissed = false;
    return walk;
}

/// Whether the action applies to an event that was requested by id.
bool fits(const Event& event, const BulkRequest& request) {
    if (request.action == BulkAction::retry && waiting_for(event) == WaitReason::retry) return true;
    const auto states = states_for(request);
    return std::ranges::find(states, status_of(event)) != states.end();
}

/// The events requested by id that exist and fit.
std::vector<Event> fitting(Transaction& tx, const BulkRequest& request) {
    std::vector<Event> events;
    for (const EventId id : request.ids) {
        auto event = tx.events().find(id);
        if (event && fits(*event, request)) events.push_back(*std::move(event));
    }
    return events;
}

std::uint64_t count_of(Transaction& tx, const BulkRequest& request) {
    if (!request.ids.empty()) return request.ids.size();
    return tx.events().count(walk_of(request, tx.now()));
}

/// The input of one batch.
struct BulkPart {
    std::vector<EventId> ids;
    std::vector<Event> events;  // the events of `ids` that exist
    std::string cursor;         // after this batch
    bool last = false;
};

/// At most as many events as one second allows, if the rate is limited.
std::size_t size_of_part(const BulkRequest& request) {
    if (request.per_second == 0) return bulk_batch_size;
    return std::min<std::size_t>(request.per_second, bulk_batch_size);
}

BulkPart part_of_ids(Transaction& tx, const BulkRequest& request,
                     const std::optional<std::string>& cursor) {
    std::size_t done = 0;
    if (cursor) std::from_chars(cursor->data(), cursor->data() + cursor->size(), done);
    const std::size_t end = std::min(request.ids.size(), done + size_of_part(request));
    BulkPart part;
    for (; done < end; ++done) {
        part.ids.push_back(request.ids[done]);
        if (auto event = tx.events().find(request.ids[done])) {
            part.events.push_back(*std::move(event));
        }
    }
    part.cursor = std::to_string(done);
    part.last = done == request.ids.size();
    return part;
}

/// The event's id; for a FAILED event also the instant of the failure.
std::string place_of(const Event& event) {
    const auto* failed = std::get_if<Failed>(&event.state);
    const std::string moment =
        failed ? std::to_string(failed->at.time_since_epoch().count()) : std::string{};
    return to_string(event.id) + moment;
}
PageKey page_key_of(const std::string& place) {
    constexpr std::size_t id_length = 36;
    const auto id = base::parse_uuid(place.substr(0, id_length));
    base::check(id.has_value());
    return {place.substr(id_length), *id};
}

/// A test clock may stand still. Then the id shows whether an event is newer than the operation.
bool was_there(const Event& event, const Operation& operation) {
    return event.created_at < operation.created_at ||
           (event.created_at == operation.created_at && event.id.value < operation.id.value);
}

BulkPart part_of_walk(Transaction& tx, const BulkRequest& request, const Operation& operation) {
    EventWalk walk = walk_of(request, operation.created_at);
    walk.page.limit = size_of_part(request);
    if (operation.cursor) walk.page.after = page_key_of(*operation.cursor);
    BulkPart part;
    part.events = tx.events().walk(walk);
    part.last = part.events.size() < walk.page.limit;
    if (!part.events.empty()) part.cursor = place_of(part.events.back());
    std::erase_if(part.events, [&](const Event& event) { return !was_there(event, operation); });
    for (const Event& event : part.events) part.ids.push_back(event.id);
    return part;
}

/// Locks the rows that the events of a part depend on, in one order, so that two such transactions
/// never deadlock.
void share_all(Transaction& tx, BulkAction action, const std::vector<Event>& events) {
    if (action == BulkAction::cancel) return share_owners(tx, events);
    if (action != BulkAction::retry) return;
    std::set<UserId> users;
    for (const Event& event : events) {
        if (event.user) users.insert(*event.user);
    }
    if (!users.empty()) tx.users().share(std::vector(users.begin(), users.end()));
}

// ---- actions

/// One batch.
class Acting {
public:
    Acting(Transaction& tx, const TzData& zones, Ids& ids, const BulkRequest& request)
        : tx_(tx),
          zones_(zones),
          ids_(ids),
          request_(request),
          by_{.caller = {"", request.actor.value_or("")}} {}

    Batch run(const BulkPart& part) {
        for (const EventId id : part.ids) {
            const auto event = act(id);
            if (event) {
                ++batch_.done;
                if (!is_final(*event)) {
                    batch_.earliest = std::min(batch_.earliest, event->claimable_at);
                }
            } else {
                Refusal refusal = refusal_of(event.error());
                batch_.failures.push_back({OperationSubject::event, id.value,
                                           std::move(refusal.code), std::move(refusal.detail)});
            }
        }
        if (!part.cursor.empty()) batch_.cursor = part.cursor;
        batch_.last = part.last;
        batch_.pause = after(part.ids.size());
        return std::move(batch_);
    }

private:
    EventResult<Event> act(EventId id) {
        switch (request_.action) {
            case BulkAction::retry: {
                // Spread over the pause, so that receivers get the events one after another.
                auto retried = retry_in(tx_, ids_, id, RetryKey::same, by_, after(batch_.done));
                if (!retried) return retried.error();
                return std::move(retried->event);
            }
            case BulkAction::cancel:
                return cancel_in(tx_, zones_, ids_, id, std::nullopt, batch_.earliest, by_);
            case BulkAction::dismiss: {
                EventEdit edit;
                edit.dismissed = true;
                edit.note = request_.note;
                return edit_in(tx_, zones_, id, edit, std::nullopt, by_);
            }
            case BulkAction::reschedule:
                break;
        }
        return move(id);
    }

    EventResult<Event> move(EventId id) {
        EventEdit edit;
        edit.target = request_.target;
        // A local time without a zone is in the event's zone. An event with an exact instant has
        // none.
        const bool in_own_zone = edit.target.local && !edit.target.zone &&
                                 edit.target.local->find('[') == std::string::npos;
        if (request_.shift || in_own_zone) {
            const auto event = tx_.events().find(id);
            if (!event) return NotFound{Noun::event, to_string(id)};
            if (request_.shift) edit.target.utc = format_instant(event->due + *request_.shift);
            edit.target.zone = event->intent.zone;
        }
        return edit_in(tx_, zones_, id, edit, std::nullopt, by_);
    }

    /// Time for that many events at the requested rate.
    [[nodiscard]] microseconds after(std::uint64_t events) const {
        if (request_.per_second == 0) return 0us;
        return microseconds{events * 1'000'000 / request_.per_second};
    }

    Transaction& tx_;
    const TzData& zones_;
    Ids& ids_;
    const BulkRequest& request_;
    const ChangedBy by_;  // the operation has one entry for all its events
    Batch batch_;
};

}  // namespace

EventResult<Bulk> BulkEvents::run(const BulkCall& call, const Caller& caller) {
    BulkRequest request = call.request;
    request.actor = caller.actor;
    const Instant now = in_read(store_, [](Transaction& tx) { return tx.now(); });
    if (auto defects = Judging{*zones_.current(), now}.run(request); !defects.empty()) {
        return ValidationFailed{std::move(defects)};
    }
    if (call.dry_run) return preview(request);
    const auto started = in_transaction(store_, [&](Transaction& tx) {
        const std::uint64_t total = count_of(tx, request);
        auto operation = operations_.start_bulk(tx, text_of(request), total);
        if (operation) {
            record_operation(tx, *operation, "BulkStarted", recorded_bulk(request, total),
                             {caller, ids_.fresh()});
        }
        return operation;
    });
    if (!started) return started.error();
    Bulk bulk{.count = started->total.value_or(0), .samples = {}, .operation = *started};
    report(bulk, request, caller.correlation_id);
    bulk.operation = operations_.begin(*started);
    return bulk;
}

Bulk BulkEvents::preview(const BulkRequest& request) {
    return in_read(store_, [&](Transaction& tx) {
        Bulk bulk{.count = 0, .samples = {}, .operation = std::nullopt};
        if (request.ids.empty()) {
            EventWalk walk = walk_of(request, tx.now());
            bulk.count = tx.events().count(walk);
            walk.page.limit = max_samples;
            bulk.samples = tx.events().walk(walk);
        } else {
            bulk.samples = fitting(tx, request);
            bulk.count = bulk.samples.size();
            if (bulk.samples.size() > max_samples) {
                bulk.samples.erase(bulk.samples.begin() + max_samples, bulk.samples.end());
            }
        }
        return bulk;
    });
}

/// Logs the caller of a bulk operation (reliability: audit).
void BulkEvents::report(const Bulk& bulk, const BulkRequest& request,
                        const std::string& correlation_id) {
    base::LogLine line;
    line.message = "bulk operation on events";
    line.correlation_id = correlation_id;
    line.fields = {{"operationId", to_string(bulk.operation->id)},
                   {"action", std::string{to_string(request.action)}},
                   {"total", static_cast<std::int64_t>(bulk.count)},
                   {"perSecond", static_cast<std::int64_t>(request.per_second)}};
    log_.write(std::move(line));
}

std::uint64_t BulkTask::count(Transaction& tx, const Operation& operation) {
    return count_of(tx, bulk_request_of(operation.request.value()));
}

Batch BulkTask::run(Transaction& tx, const Operation& operation) {
    const BulkRequest request = bulk_request_of(operation.request.value());
    const BulkPart part = request.ids.empty() ? part_of_walk(tx, request, operation)
                                              : part_of_ids(tx, request, operation.cursor);
    share_all(tx, request.action, part.events);
    const auto zones = zones_.current();
    return Acting{tx, *zones, ids_, request}.run(part);
}

}  // namespace sundial
