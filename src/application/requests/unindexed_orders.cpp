#include "application/requests/unindexed_orders.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>

#include "base/uuid.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

bool oldest_executions_first(const EventQuery& query) {
    return query.sort == EventQuery::Sort::executed_at && !query.page.descending;
}

/// The execution instant at which the previous page ended.
std::optional<Instant> last_execution(const PageRequest& page) {
    if (!page.after || page.after->value.empty()) return std::nullopt;
    const std::string& text = page.after->value;
    microseconds::rep number = 0;
    const auto end = text.data() + text.size();
    if (std::from_chars(text.data(), end, number).ptr != end) return std::nullopt;
    return Instant{microseconds{number}};
}

/// The place after all events that were executed before `until`.
PageKey place_before(Instant until) {
    const Instant last = until - microseconds{1};
    return {std::to_string(last.time_since_epoch().count()),
            base::parse_uuid("ffffffff-ffff-ffff-ffff-ffffffffffff").value()};
}

}  // namespace

bool lacks_index(const EventQuery& query) {
    const bool few = query.user || query.key;
    return !few && (query.sort == EventQuery::Sort::lateness || oldest_executions_first(query));
}

std::optional<ValidationFailed> refuse_order(EventRepository& events, const EventQuery& query,
                                             std::size_t most) {
    if (!lacks_index(query)) return std::nullopt;
    if (!query.executed_from) {
        return invalid("?executedFrom", "required",
                       "is required to sort by latenessMs, or by executedAt with the oldest first, "
                       "unless userId or idempotencyKey is given");
    }
    if (query.sort == EventQuery::Sort::lateness &&
        events.count_ended(*query.executed_from, query.executed_to, most) > most) {
        return invalid(
            "?executedFrom", "too_expensive",
            "more than " + std::to_string(most) +
                " events ended in this time; to sort by latenessMs, ask for less time with "
                "executedFrom and executedTo");
    }
    return std::nullopt;
}

Page<Event> page_of_events(Transaction& tx, const EventQuery& query) {
    EventRepository& events = tx.events();
    const bool walks = lacks_index(query) && oldest_executions_first(query) &&
                       query.executed_from && query.max_passed;
    if (!walks) return events.list(query);
    const Instant from =
        std::max(*query.executed_from, last_execution(query.page).value_or(*query.executed_from));
    // Clocks of instances may differ a little.
    const Instant end = query.executed_to.value_or(tx.now() + std::chrono::hours{1});
    const auto has_few = [&](Instant to) {
        return events.count_ended(from, to, *query.max_passed) <= *query.max_passed;
    };
    if (from >= end || has_few(end)) return events.list(query);
    microseconds stretch = std::chrono::seconds{1};
    while (from + stretch < end && has_few(from + 15 * stretch)) stretch *= 15;
    EventQuery part = query;
    part.executed_to = std::min(end, from + stretch);
    Page<Event> page = events.list(part);
    if (!page.has_more && *part.executed_to < end) {
        page.has_more = true;
        page.passed = place_before(*part.executed_to);
    }
    return page;
}

}  // namespace sundial
