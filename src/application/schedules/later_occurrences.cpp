#include "application/schedules/later_occurrences.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "application/schedules/occurrences.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

/// Schedules read at once, with their payloads.
constexpr std::size_t later_schedules_of_page = 100;

/// Schedules with the latest planned event of each: its rule continues from there.
struct PlannedSchedules {
    Page<Schedule> schedules;
    std::map<ScheduleId, Event> latest;

    [[nodiscard]] const Event* planned_of(ScheduleId id) const {
        const auto at = latest.find(id);
        return at == latest.end() ? nullptr : &at->second;
    }
};

PlannedSchedules read_planned_schedules(Transaction& tx, const ScheduleQuery& query) {
    PlannedSchedules read{.schedules = tx.schedules().list(query), .latest = {}};
    std::vector<ScheduleId> ids;
    ids.reserve(read.schedules.items.size());
    for (const Schedule& schedule : read.schedules.items) ids.push_back(schedule.id);
    for (Event& event : tx.events().planned_by_rule(ids)) {
        const auto [known, fresh] =
            read.latest.try_emplace(event.occurrence.value().schedule, event);
        if (!fresh && known->second.due < event.due) known->second = std::move(event);
    }
    return read;
}

/// Empty if the rule has ended.
std::optional<Instant> first_later(const ScheduleRule& rule, const Event* planned, Instant from) {
    if (planned == nullptr) return from;
    const auto next = rule.next_of(*planned);
    return next ? std::optional{std::max(from, next->instant)} : std::nullopt;
}

void use_schedule(const Schedule& schedule, const Event* planned, const TzData& zones, Instant from,
                  const UseLater& use) {
    const auto rule = rule_of_schedule(schedule, nullptr, zones);
    if (!rule) return;  // it never fires again
    std::optional<ListedOccurrences> later;
    if (const auto first = first_later(*rule, planned, from))
        later.emplace(rule->recurrence(), rule->zone(), *first - microseconds{1});
    use({.rule = *rule, .planned = planned, .later = later ? &*later : nullptr});
}

/// As many schedules of users as a page of a list has.
constexpr std::size_t max_only_next = 500;

/// Every chain of a yearly schedule has its next event, so a shorter time lacks none.
constexpr microseconds a_year_at_most = std::chrono::days{366};

}  // namespace

bool each_later(Store& store, const TzData& zones, Instant from, std::size_t most,
                const UseLater& use) {
    ScheduleQuery query;
    query.enabled = true;
    query.per_user = false;
    std::size_t left = most;
    while (true) {
        query.page.limit = std::min(left, later_schedules_of_page);
        const PlannedSchedules part =
            in_read(store, [&](Transaction& tx) { return read_planned_schedules(tx, query); });
        const Page<Schedule>& page = part.schedules;
        for (const Schedule& schedule : page.items)
            use_schedule(schedule, part.planned_of(schedule.id), zones, from, use);
        left -= page.items.size();
        if (!page.has_more || left == 0) return page.has_more;
        const Schedule& last = page.items.back();
        query.page.after =
            PageKey{std::to_string(last.created_at.time_since_epoch().count()), last.id.value};
    }
}

std::vector<ScheduleId> only_next_event(Transaction& tx, microseconds length) {
    ScheduleQuery query;
    query.enabled = true;
    query.per_user = true;
    query.page.limit = max_only_next;
    std::vector<ScheduleId> found;
    for (const Schedule& schedule : tx.schedules().list(query).items) {
        const bool once = kind_of(schedule.trigger) == TriggerKind::yearly;
        if (!once || length > a_year_at_most) found.push_back(schedule.id);
    }
    return found;
}

}  // namespace sundial
