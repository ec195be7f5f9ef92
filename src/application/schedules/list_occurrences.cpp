#include "application/schedules/list_occurrences.hpp"

#include <algorithm>
#include <chrono>
#include <set>
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

    [[nodiscard]] bool is_before(const FuturePlace& place) const {
        return place.first < from || (after && place <= *after);
    }
    [[nodiscard]] bool is_after(const FuturePlace& place) const {
        return place.first >= to || (last_event && place > *last_event);
    }
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

/// Read in one transaction, before the schedules.
struct PlannedPage {
    FutureWindow window;
    Page<Event> events;
    std::vector<ScheduleId> only_next;
};

ScheduleResult<PlannedPage> read_planned_page(Transaction& tx, const FutureRequest& request) {
    auto window = window_of_page(request, tx.now());
    if (!window) return window.error();
    EventQuery query;
    query.statuses = {EventStatus::pending};
    query.target_from = window->from;
    query.target_to = window->to;
    query.page = request.page;
    PlannedPage page{.window = *window,
                     .events = tx.events().list(query),
                     .only_next = only_next_event(tx, window->to - window->from)};
    // Later occurrences after the last event of a full page belong to the next one.
    if (page.events.has_more && !page.events.items.empty()) {
        const Event& last = page.events.items.back();
        page.window.last_event.emplace(last.due, last.id.value);
    }
    return page;
}

/// Adds the later occurrences of a rule that belong to this page.
void add_later(const ScheduleRule& rule, ListedOccurrences& later, const FutureWindow& window,
               FirstOccurrences& first) {
    const Schedule& schedule = rule.schedule();
    while (const auto next = later.next()) {
        const Instant at = next->occurrence.instant;
        const FuturePlace place{at, schedule.id.value};
        if (window.is_after(place) || !first.accept(place)) return;
        if (is_skip(next->occurrence.note) || window.is_before(place)) continue;
        first.add({.at = at,
                   .zone = schedule.timezone.value_or("UTC"),
                   .local = format_local_millis(at, rule.zone()),
                   .event_type = schedule.event_type,
                   .schedule = schedule.id,
                   .endpoint = schedule.endpoint});
    }
}

/// The occurrences of one page, from a list of planned events and from the rules of schedules.
class FuturePage {
public:
    FuturePage(PlannedPage planned, std::size_t limit, const TzData& zones)
        : planned_{std::move(planned)}, limit_{limit}, zones_{zones} {
        for (const Event& event : planned_.events.items) add_planned(event);
    }

    [[nodiscard]] const FutureWindow& window() const { return planned_.window; }

    void add(const LaterOccurrences& of) {
        // A scheduler may have planned this event since the list of events was read.
        if (of.planned != nullptr && !listed_.contains(of.planned->id)) {
            const FuturePlace place{of.planned->due, of.planned->id.value};
            if (!window().is_before(place) && !window().is_after(place)) add_planned(*of.planned);
        }
        if (of.later != nullptr) add_later(of.rule, *of.later, window(), first_);
    }

    void finish(Future& future) && {
        future.only_next = std::move(planned_.only_next);
        future.occurrences = std::move(first_).in_order();
        future.has_more = window().last_event.has_value() || future.occurrences.size() > limit_;
        if (future.occurrences.size() > limit_) future.occurrences.pop_back();
    }

private:
    void add_planned(const Event& event) {
        listed_.insert(event.id);
        first_.add(planned_future(event, zones_));
    }

    PlannedPage planned_;
    std::size_t limit_;
    const TzData& zones_;
    FirstOccurrences first_{limit_ + 1};
    std::set<EventId> listed_{};
};

}  // namespace

ScheduleResult<Future> ListOccurrences::run(const FutureRequest& request) {
    const auto zones = zones_.current();
    auto planned = in_read(store_, [&](Transaction& tx) { return read_planned_page(tx, request); });
    if (!planned) return planned.error();
    FuturePage page{*std::move(planned), request.page.limit, *zones};
    Future future{.tz_release = std::string{zones->release()}};
    const bool computed = within_effort(max_steps_of_request, [&] {
        future.more_schedules = each_later(store_, *zones, page.window().from, max_schedules_,
                                           [&](const LaterOccurrences& of) { page.add(of); });
    });
    if (!computed) return refused_moment("?to", too_expensive());
    std::move(page).finish(future);
    return future;
}

}  // namespace sundial
