#include "adapters/memory/event_list.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "adapters/memory/paging.hpp"

namespace sundial::memory {
namespace {

std::optional<Instant> executed_at(const Event& event) {
    if (const auto* completed = std::get_if<Completed>(&event.state)) return completed->at;
    if (const auto* failed = std::get_if<Failed>(&event.state)) return failed->at;
    return std::nullopt;
}

std::string reason_of(const Event& event) {
    if (const auto* failed = std::get_if<Failed>(&event.state)) return failed->reason;
    if (const auto* cancelled = std::get_if<Cancelled>(&event.state)) return cancelled->reason;
    return {};
}

bool matches(const Event& event, const EventQuery& query) {
    return any_of(query.statuses, status_of(event)) && any_of(query.priorities, event.priority) &&
           any_of(query.types, event.type) && any_of(query.zones, event.intent.zone) &&
           is(query.user, event.user) &&
           is(query.schedule,
              event.occurrence ? std::optional{event.occurrence->schedule} : std::nullopt) &&
           is(query.endpoint, event.endpoint) &&
           within(query.target_from, query.target_to, std::optional{event.due}) &&
           within(query.executed_from, query.executed_to, executed_at(event)) &&
           is(query.late_execution, late_execution(event)) &&
           is(query.dismissed, event.dismissed_at.has_value()) && is(query.key, event.key) &&
           any_starts(query.prefix, {to_string(event.id), event.key.value}) &&
           any_starts(query.reason, {reason_of(event)}) &&
           (query.waiting_for.empty() ||
            (waiting_for(event) && any_of(query.waiting_for, *waiting_for(event))));
}

std::optional<std::int64_t> sort_value_of(const Event& event, EventQuery::Sort sort) {
    const auto microseconds = [](const auto& time) -> std::optional<std::int64_t> {
        if (!time) return std::nullopt;
        return microseconds_of(*time);
    };
    switch (sort) {
        case EventQuery::Sort::executed_at:
            return microseconds(executed_at(event));
        case EventQuery::Sort::created_at:
            return std::nullopt;  // ids are ordered by creation
        case EventQuery::Sort::lateness:
            return microseconds(lateness(event));
        case EventQuery::Sort::target:
            break;
    }
    return microseconds_of(event.due);
}

/// Removes the events beyond `max_page_bytes`.
void end_when_full(Page<Event>& page) {
    std::size_t bytes = 0;
    const auto end = std::ranges::find_if(page.items, [&](const Event& event) {
        return std::exchange(bytes, bytes + event.payload.size()) >= max_page_bytes;
    });
    if (end == page.items.end()) return;
    page.items.erase(end, page.items.end());
    page.has_more = true;
}

}  // namespace

Page<Event> list_events(const State& state, const EventQuery& query) {
    std::vector<Event> events;
    const bool bounded = query.max_passed && passes_rows(query);
    for (const auto& [id, event] : state.live.rows()) {
        if (bounded || matches(event, query)) events.push_back(event);
    }
    for (const auto& [id, finished] : state.history.rows()) {
        if (bounded || matches(finished.event, query)) events.push_back(finished.event);
    }
    const auto value_of = [&](const Event& event) { return sort_value_of(event, query.sort); };
    std::optional<PageKey> passed;
    if (bounded) {
        PageRequest all = query.page;
        all.limit = *query.max_passed;
        Page<Event> read = page_of<std::int64_t>(std::move(events), all, value_of);
        if (read.has_more) {
            const auto value = value_of(read.items.back());
            passed = PageKey{value ? std::to_string(*value) : "", read.items.back().id.value};
        }
        events = std::move(read.items);
        std::erase_if(events, [&](const Event& event) { return !matches(event, query); });
    }
    Page<Event> page = page_of<std::int64_t>(std::move(events), query.page, value_of);
    end_when_full(page);
    if (passed && !page.has_more) {
        page.has_more = true;
        page.passed = std::move(passed);
    }
    return page;
}

Page<Event> walk_events(const State& state, const EventWalk& walk) {
    std::vector<Event> events;
    if (walk.through == EventWalk::Through::live) {
        for (const auto& [id, event] : state.live.rows()) {
            if (event.created_at <= walk.until && matches(event, walk.filter)) {
                events.push_back(event);
            }
        }
        return page_of<std::int64_t>(std::move(events), walk.page,
                                     [](const Event&) { return std::optional<std::int64_t>{}; });
    }
    for (const auto& [id, finished] : state.history.rows()) {
        const auto* failed = std::get_if<Failed>(&finished.event.state);
        if (failed && failed->at <= walk.until && matches(finished.event, walk.filter)) {
            events.push_back(finished.event);
        }
    }
    return page_of<std::int64_t>(std::move(events), walk.page, [](const Event& event) {
        return microseconds_of(std::get<Failed>(event.state).at);
    });
}

DeadLetters dead_letters(const State& state, DeadLettersBy by) {
    std::vector<const Event*> letters;
    for (const auto& [id, finished] : state.history.rows()) {
        const Event& event = finished.event;
        if (std::holds_alternative<Failed>(event.state) && !event.dismissed_at) {
            letters.push_back(&event);
        }
    }
    const auto newest_first = [](const Event* a, const Event* b) {
        return std::pair{std::get<Failed>(a->state).at, a->id} >
               std::pair{std::get<Failed>(b->state).at, b->id};
    };
    std::ranges::sort(letters, newest_first);
    DeadLetterCounters counters{by};
    for (const Event* event : letters) {
        const auto& failed = std::get<Failed>(event->state);
        counters.add(failed.reason, event->endpoint, failed.at, event->id);
    }
    return std::move(counters).result();
}

}  // namespace sundial::memory
