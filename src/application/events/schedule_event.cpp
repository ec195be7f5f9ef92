#include "application/events/schedule_event.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "application/transactions/in_parts.hpp"
#include "base/crash_point.hpp"
#include "domain/names.hpp"

namespace sundial {
namespace {

using Sharing = EventReferences::Sharing;

/// Two transactions keep the database and this process busy at the same time; more of them would
/// only be smaller. `members` bounds how many others one answer waits for.
constexpr GroupLimits group_limits{.under_way = 2, .members = 200};

bool is_stored(const std::optional<EventResult<Event>>& answer) {
    return answer && answer->has_value();
}

/// Whether an object that the event refers to is missing, or is locked by another transaction.
bool lacks_any(const EventReferences& found, const NewEvent& requested) {
    return (requested.user && !found.has_user(*requested.user)) ||
           (requested.endpoint && !found.has_endpoint(*requested.endpoint));
}

}  // namespace

ScheduleEvent::Request::Request(const NewEvent& requested, std::optional<TraceContext> its_trace,
                                Ids& ids)
    : event(requested),
      key(requested.idempotency_key ? IdempotencyKey{*requested.idempotency_key}
                                    : ids.random_key()),
      id(ids.event_id(key)),
      trace(std::move(its_trace)) {
    if (auto refused = refuse_event_type("/eventType", requested.event_type)) {
        defects.push_back(*std::move(refused));
    }
    if (requested.idempotency_key) {
        if (auto refused = refuse_idempotency_key("/idempotencyKey", *requested.idempotency_key)) {
            defects.push_back(*std::move(refused));
        }
    }
    if (auto refused = refuse_payload("/deliveryPayload", requested.payload)) {
        defects.push_back(*std::move(refused));
    }
}

ScheduleEvent::ScheduleEvent(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups,
                             const EndpointKinds& kinds, Tracer& tracer)
    : store_(store),
      zones_(zones),
      ids_(ids),
      wakeups_(wakeups),
      kinds_(kinds),
      tracer_(tracer),
      together_(group_limits, [this](Requests requests) {
          // An event that has to wait for a change of its user, or for the deletion of its
          // endpoint, must not delay the others.
          return this->store(requests, Keep::each, Sharing::tries);
      }) {}

EventResult<Event> ScheduleEvent::run(const NewEvent& requested) {
    const OpenSpan span(tracer_, "create", Span::Kind::producer, requested.trace);
    const Request request(requested, span.context(), ids_);
    Answer answer;
    // Events of several parts would commit in two phases, and one machine that fails would refuse
    // the others.
    if (store_.parts() == 1 && !store_.open_here()) answer = together_.run(request);
    if (!answer) answer = store_alone(request);
    if (*answer) wakeups_.due_at((*answer)->claimable_at);
    return *std::move(answer);
}

std::vector<EventResult<Event>> ScheduleEvent::run_each(std::span<const NewEvent> requested) {
    return run_many(requested, Keep::each);
}

std::vector<EventResult<Event>> ScheduleEvent::run_all(std::span<const NewEvent> requested) {
    return run_many(requested, Keep::all_or_none);
}

EventResult<Event> ScheduleEvent::store_alone(const Request& request) {
    const Request* const only = &request;
    return *std::move(store({&only, 1}, Keep::each, Sharing::waits).front());
}

std::vector<EventResult<Event>> ScheduleEvent::run_many(std::span<const NewEvent> requested,
                                                        Keep keep) {
    const auto parent = requested.empty() ? std::nullopt : requested.front().trace;
    OpenSpan span(tracer_, "create", Span::Kind::producer, parent);
    span.set("sundial.events", static_cast<std::int64_t>(requested.size()));
    std::vector<Request> requests;
    requests.reserve(requested.size());
    for (const NewEvent& one : requested) {
        requests.emplace_back(one, one.trace == parent ? span.context() : one.trace, ids_);
    }
    std::vector<const Request*> all;
    all.reserve(requests.size());
    for (const Request& request : requests) all.push_back(&request);
    auto [answers, failed, outcome_unknown] =
        keep == Keep::each ? store_in_parts(all)
                           : StoredInParts{.answers = store(all, keep, Sharing::waits)};
    if (is_kept(answers, keep)) {
        Instant first = never;
        for (const Answer& answer : answers) {
            if (is_stored(answer)) first = std::min(first, (*answer)->claimable_at);
        }
        wakeups_.due_at(first);
    }
    if (failed) throw PartlyStored(*failed, std::move(answers), outcome_unknown);
    std::vector<EventResult<Event>> results;
    results.reserve(answers.size());
    for (Answer& answer : answers) results.push_back(*std::move(answer));
    return results;
}

ScheduleEvent::StoredInParts ScheduleEvent::store_in_parts(Requests requests) {
    const auto parts =
        indices_by_part(store_, requests, [](const Request* request) { return request->id; });
    if (parts.size() <= 1) return {.answers = store(requests, Keep::each, Sharing::waits)};
    StoredInParts all{.answers = std::vector<Answer>(requests.size())};
    bool any = false;
    std::exception_ptr last;
    for (const auto& indices : parts) {
        std::vector<const Request*> some;
        some.reserve(indices.size());
        for (const std::size_t i : indices) some.push_back(requests[i]);
        try {
            auto answers = store(some, Keep::each, Sharing::waits);
            for (std::size_t i = 0; i < indices.size(); ++i) {
                all.answers[indices[i]] = std::move(answers[i]);
            }
            any = true;
        } catch (const OutcomeUnknown& unknown) {
            all.failed = unknown.what();
            all.outcome_unknown = true;
            last = std::current_exception();
        } catch (const Unavailable& away) {
            all.failed = away.what();
            if (!all.outcome_unknown) last = std::current_exception();
        }
    }
    if (!any) std::rethrow_exception(last);
    return all;
}

std::vector<ScheduleEvent::Answer> ScheduleEvent::store(Requests requests, Keep keep,
                                                        Sharing sharing) {
    std::vector<Answer> answers;
    store_.transact([&](Transaction& tx) {
        answers = add(tx, requests, sharing);
        if (!is_kept(answers, keep)) return false;
        CRASH_POINT("create: before commit");
        return true;
    });
    CRASH_POINT("create: after commit");
    return answers;
}

bool ScheduleEvent::is_kept(std::span<const Answer> answers, Keep keep) {
    return keep == Keep::each ? std::ranges::any_of(answers, is_stored)
                              : std::ranges::all_of(answers, is_stored);
}

std::vector<ScheduleEvent::Answer> ScheduleEvent::add(Transaction& tx, Requests requests,
                                                      Sharing sharing) {
    const auto zones = zones_.current();
    if (requests.size() == 1) {
        if (auto answer = add_now(tx, *requests.front(), *zones)) return {std::move(answer)};
    }
    // Shares users and endpoints, so that a transaction that deletes one finds its events.
    EventReferences references;
    for (const Request* request : requests) {
        references.name_user(request->event.user);
        references.name_endpoint(request->event.endpoint);
    }
    references.find(tx, sharing);
    const Instant now = tx.now();
    const TargetReader reader{*zones, now};

    std::vector<Answer> answers(requests.size());
    std::vector<Event> events;
    std::vector<std::size_t> places;  // index of each event's answer
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (sharing == Sharing::tries && lacks_any(references, requests[i]->event)) continue;
        auto event = make(*requests[i], reader, *zones, references, now);
        if (event) {
            events.push_back(*std::move(event));
            places.push_back(i);
        } else {
            answers[i] = event.error();
        }
    }
    const auto added = tx.events().add_each(events);
    for (std::size_t i = 0; i < added.size(); ++i) {
        if (added[i]) {
            events[i].attempt = *added[i];
            answers[places[i]] = std::move(events[i]);
        } else {
            answers[places[i]] = added[i].error();
        }
    }
    return answers;
}

ScheduleEvent::Answer ScheduleEvent::add_now(Transaction& tx, const Request& request,
                                             const TzData& zones) {
    const NewEvent& requested = request.event;
    if (requested.user || requested.endpoint || is_relative(requested.target)) return std::nullopt;
    auto event = make(request, TargetReader{zones}, zones, {}, Instant{});
    if (!event) return std::nullopt;  // all defects are reported together, the horizon's too
    const auto added = tx.events().add_now(*event);
    const Instant now = added ? added->created_at : tx.now();
    const auto target = TargetReader{zones, now}.within_horizon({event->intent, event->due});
    if (!target) return Answer{target.error()};  // and the transaction is undone
    if (!added) return Answer{added.error()};
    event->attempt = added->attempt;
    event->created_at = event->updated_at = now;
    return Answer{*std::move(event)};
}

EventResult<Event> ScheduleEvent::make(const Request& request, const TargetReader& reader,
                                       const TzData& zones, const EventReferences& references,
                                       Instant now) {
    const NewEvent& requested = request.event;
    std::vector<FieldError> defects = request.defects;
    const User* const user = references.user(requested.user, defects);
    const auto endpoint = references.endpoint(requested.endpoint, defects);
    if (const Endpoint* to = references.endpoint_row(requested.endpoint)) {
        if (auto refused = kinds_.refuse_payload(*to, "/deliveryPayload", requested.payload)) {
            defects.push_back(*std::move(refused));
        }
    }
    const auto target =
        reader.read(requested.target, user ? std::optional{user->timezone} : std::nullopt);
    if (!target) append_defects(defects, target.error());
    if (!defects.empty()) return ValidationFailed{std::move(defects)};

    return Event{.id = request.id,
                 .key = request.key,
                 .type = requested.event_type,
                 .priority = requested.priority,
                 .user = user ? std::optional{user->id} : std::nullopt,
                 .endpoint = endpoint,
                 .occurrence = std::nullopt,
                 .intent = target->intent,
                 .due = target->due,
                 .tz_release = zones.release(),
                 .payload = requested.payload,
                 .claimable_at = target->due,
                 .retry_of = std::nullopt,
                 .first_attempt_at = std::nullopt,
                 .dismissed_at = std::nullopt,
                 .trace = request.trace,
                 .created_at = now,
                 .updated_at = now};
}

}  // namespace sundial
