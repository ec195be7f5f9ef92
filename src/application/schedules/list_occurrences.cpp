#include "application/schedules/list_occurrences.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "domain/time/calendar_duration.hpp"
#include "domain/time/effort.hpp"
#include "domain/time/recurrence.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

ValidationFailed refused_moment(const char* pointer, const TimeError& error) {
    return invalid(pointer, std::string{to_string(error.code)}, error.message);
}

Instant instant_of_place(const PageKey& place) {
    return Instant{microseconds{std::stoll(place.value)}};
}

std::pair<Instant, Uuid> future_order(const FutureOccurrence& one) {
    return {one.at, one.event ? one.event->value : one.schedule.value().value};
}

FutureOccurrence planned_future(const Event& event, const TzData& zones) {
    FutureOccurrence one{.at = event.due,
                         .zone = event.intent.zone,
                         .local = {},
                         .event_type = event.type,
                         .event = event.id,
                         .user = event.user,
                         .endpoint = event.endpoint,
                         .paused = waiting_for(event) == WaitReason::schedule};
    if (event.occurrence) one.schedule = event.occurrence->schedule;
    if (const auto zone = zones.find(event.intent.zone)) {
        one.local = format_local_millis(event.due, **zone);
    }
    return one;
}

using FuturePlace = std::pair<Instant, Uuid>;

/// The first occurrences of those that were offered.
class FirstOccurrences {
public:
    explicit FirstOccurrences(std::size_t most) : most_{most} {}

    [[nodiscard]] bool accept(const FuturePlace& place) const {
        return heap_.size() < most_ || place < future_order(heap_.front());
    }
    void add(FutureOccurrence one) {
        heap_.push_back(std::move(one));
        std::ranges::push_heap(heap_, {}, future_order);
        if (heap_.size() <= most_) return;
        std::ranges::pop_heap(heap_, {}, future_order);
        heap_.pop_back();
    }
    [[nodiscard]] std::vector<FutureOccurrence> in_order() && {
        std::ranges::sort_heap(heap_, {}, future_order);
        return std::move(heap_);
    }

private:
    std::size_t most_;
    std::vector<FutureOccurrence> heap_{};  // the last one is in front
};

/// The bounds of one page.
struct FutureWindow {
    Instant from, to;
    std::optional<FuturePlace> after{};       // the last one of the page before
    std::optional<FuturePlace> last_event{};  // if more planned events follow
};

ScheduleResult<FutureWindow> window_of_page(const FutureRequest& request, Instant now) {
    const auto from = parse_moment(request.from, now);
    if (!from) return refused_moment("?from", from.error());
    const auto to = parse_moment(request.to, now);
    if (!to) return refused_moment("?to", to.error());
    if (*from >= *to) return invalid("?from", "out_of_range", "must be before to");
    FutureWindow window{.from = std::max(*from, now), .to = *to};
    if (const auto& after = request.page.after) {
        window.after.emplace(instant_of_place(*after), after->id);
        window.from = std::max(window.from, window.after->first);
    }
    return window;
}

void read_planned_events(Transaction& tx, const FutureRequest& request, const TzData& zones,
                         FutureWindow& window, FirstOccurrences& first) {
    EventQuery query;
    query.statuses = {EventStatus::pending};
    query.target_from = window.from;
    query.target_to = window.to;
    query.page = request.page;
    const Page<Event> page = tx.events().list(query);
    for (const Event& event : page.items) first.add(planned_future(event, zones));
    // Later occurrences after the last event of a full page belong to the next one.
    if (page.has_more && !page.items.empty())
        window.last_event.emplace(page.items.back().due, page.items.back().id.value);
}

/// Adds the later occurrences of a rule that belong to this page.
void add_later(const ScheduleRule& rule, ListedOccurrences& later, const FutureWindow& window,
               FirstOccurrences& first) {
    const Schedule& schedule = rule.schedule();
    while (const auto next = later.next()) {
        const Instant at = next->occurrence.instant;
        const FuturePlace place{at, schedule.id.value};
        const bool beyond = window.last_event && place > *window.last_event;
        if (at >= window.to || beyond || !first.accept(place)) return;
        if (is_skip(next->occurrence.note) || (window.after && place <= *window.after)) continue;
        first.add({.at = at,
                   .zone = schedule.timezone.value_or("UTC"),
                   .local = format_local_millis(at, rule.zone()),
                   .event_type = schedule.event_type,
                   .schedule = schedule.id,
                   .endpoint = schedule.endpoint});
    }
}

}  // namespace

ScheduleResult<Future> ListOccurrences::run(const FutureRequest& request) {
    const auto zones = zones_.current();
    return in_read(store_, [&](Transaction& tx) -> ScheduleResult<Future> {
        auto window = window_of_page(request, tx.now());
        if (!window) return window.error();
        FirstOccurrences first{request.page.limit + 1};
        read_planned_events(tx, request, *zones, *window, first);
        Future future{.tz_release = std::string{zones->release()}};
        const bool computed = within_effort(max_steps_of_request, [&] {
            future.more_schedules =
                each_later(tx, *zones, window->from, max_schedules_,
                           [&](const ScheduleRule& rule, ListedOccurrences& later) {
                               add_later(rule, later, *window, first);
                           });
        });
        if (!computed) return refused_moment("?to", too_expensive());
        future.only_next = only_next_event(tx, window->to - window->from);
        future.occurrences = std::move(first).in_order();
        future.has_more =
            window->last_event.has_value() || future.occurrences.size() > request.page.limit;
        if (future.occurrences.size() > request.page.limit) future.occurrences.pop_back();
        return future;
    });
}

}  // namespace sundial
