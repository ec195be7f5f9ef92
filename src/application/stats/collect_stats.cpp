#include "application/stats/collect_stats.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sundial {
namespace {

using std::chrono::microseconds;

/// Rows kept while the database does not answer; then the oldest are lost.
constexpr std::size_t max_unstored = 20'000;

/// A minute stays open this long after its end, because the end of an attempt is reported only when
/// it is stored.
constexpr std::chrono::seconds latest_report{5};
constexpr std::size_t max_open = 2;  // minutes

template <class Counter>
void raise(Counter& counter, std::uint64_t count, microseconds duration) {
    counter.count += count;
    counter.durations.add(duration);
    counter.changed = true;
}

StatsMeasure measure_of(EventStatus status) {
    if (status == EventStatus::completed) return StatsMeasure::completed;
    return status == EventStatus::failed ? StatsMeasure::failed : StatsMeasure::retried;
}

template <class Counters>
void add_each(Counters& to, const Counters& from) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (from[i].count == 0 && from[i].durations.count() == 0) continue;
        const bool largest = i == static_cast<std::size_t>(StatsMeasure::due);
        to[i].count = largest ? std::max(to[i].count, from[i].count) : to[i].count + from[i].count;
        to[i].durations.add(from[i].durations);
        to[i].changed = true;
    }
}

}  // namespace

void CollectStats::claimed(std::size_t events, std::size_t /*lost_attempts*/, Instant at,
                           microseconds duration) {
    const std::lock_guard lock(mutex_);
    raise(minute_of(at).all.at(static_cast<std::size_t>(StatsMeasure::claimed)), events, duration);
}

void CollectStats::started(const AttemptStarted& attempt_started) {
    if (!attempt_started.first) return;
    count(attempt_started.event, StatsMeasure::started, attempt_started.at,
          attempt_started.lateness);
}

void CollectStats::settled(const AttemptSettled& attempt_settled) {
    count(attempt_settled.event, measure_of(attempt_settled.status), attempt_settled.at,
          attempt_settled.duration);
}

void CollectStats::due(const LiveCounts& counts, Instant at) {
    if (counts.due.count == 0) return;
    const std::lock_guard lock(mutex_);
    Counter& counter = minute_of(at).all.at(static_cast<std::size_t>(StatsMeasure::due));
    counter.count = std::max(counter.count, counts.due.count);
    counter.durations.add(counts.oldest_due_age.value_or(microseconds{0}));
    counter.changed = true;
}

CollectStats::Slot& CollectStats::minute_of(Instant at) {
    Instant minute = std::chrono::floor<std::chrono::minutes>(at);
    // Never in a minute that has ended, because that would replace its rows by smaller ones.
    if (ended_) minute = std::max<Instant>(minute, *ended_ + std::chrono::minutes{1});
    if (minutes_.size() == max_open) minute = std::max(minute, minutes_.begin()->first);
    const auto [found, fresh] = minutes_.try_emplace(minute, Slot{.begins = minute});
    if (minutes_.size() > max_open) end_first_minute();
    return found->second;
}

void CollectStats::count(const Event& event, StatsMeasure measure, Instant at,
                         microseconds duration) {
    const auto index = static_cast<std::size_t>(measure);
    const std::lock_guard lock(mutex_);
    Slot& minute = minute_of(at);
    raise(minute.all.at(index), 1, duration);

    auto type = minute.types.find(event.type);
    // A type of that name shares the row of the further types.
    const bool own_row = minute.types.size() < max_stats_labels && event.type != other_label;
    if (type == minute.types.end() && own_row) {
        type = minute.types.emplace(event.type, Counters{}).first;
    }
    Counters& of_type = type == minute.types.end() ? minute.other_types : type->second;
    raise(of_type.at(index), 1, duration);
    count_zone(minute, event, measure, duration);

    if (!event.endpoint) return raise(minute.handlers.at(index), 1, duration);
    auto endpoint = minute.endpoints.find(*event.endpoint);
    if (endpoint == minute.endpoints.end() && minute.endpoints.size() < max_stats_labels) {
        endpoint = minute.endpoints.emplace(*event.endpoint, Counters{}).first;
    }
    Counters& of_endpoint =
        endpoint == minute.endpoints.end() ? minute.other_endpoints : endpoint->second;
    raise(of_endpoint.at(index), 1, duration);
}

/// For the heat map, which needs finished events only.
void CollectStats::count_zone(Slot& minute, const Event& event, StatsMeasure measure,
                              microseconds duration) {
    if (measure != StatsMeasure::completed && measure != StatsMeasure::failed) return;
    const std::string& name = event.intent.zone;
    auto zone = minute.zones.find(name);
    if (zone == minute.zones.end() && minute.zones.size() < max_stats_labels) {
        zone = minute.zones.emplace(name, Counters{}).first;
    }
    Counters& of_zone = zone == minute.zones.end() ? minute.other_zones : zone->second;
    raise(of_zone.at(static_cast<std::size_t>(measure)), 1, duration);
}

bool CollectStats::has_rows() const {
    const std::lock_guard lock(mutex_);
    return !minutes_.empty() || !unstored_.empty();
}

std::vector<StatsRow> CollectStats::rows_at(Instant now, bool last) {
    const std::lock_guard lock(mutex_);
    for (auto& [begins, minute] : minutes_) collect(minute, StatsStep::minute);
    const auto is_over = [&](Instant begins) {
        return begins + std::chrono::minutes{1} + latest_report <= now;
    };
    while (!minutes_.empty() && (last || is_over(minutes_.begin()->first))) end_first_minute();
    std::vector<StatsRow> rows;
    rows.reserve(unstored_.size());
    for (const auto& [key, row] : unstored_) rows.push_back(row);
    return rows;
}

void CollectStats::stored() {
    const std::lock_guard lock(mutex_);
    unstored_.clear();
}

void CollectStats::end_first_minute() {
    const auto first = minutes_.begin();
    Slot& minute = first->second;
    collect(minute, StatsStep::minute);
    const Instant hour = std::chrono::floor<std::chrono::hours>(minute.begins);
    if (hour != hour_.begins) hour_ = Slot{.begins = hour};
    add(hour_, minute);
    collect(hour_, StatsStep::hour);
    ended_ = minute.begins;
    minutes_.erase(first);
    drop_oldest_rows();
}

void CollectStats::drop_oldest_rows() {
    if (unstored_.size() <= max_unstored) return;
    // Minutes before hours, because the hours have the counts of their minutes.
    std::vector<std::pair<StatsStep, Instant>> slots;
    slots.reserve(unstored_.size());
    for (const auto& [key, row] : unstored_) slots.emplace_back(key.step, key.slot);
    const auto last_dropped =
        slots.begin() + static_cast<std::ptrdiff_t>(slots.size() - max_unstored - 1);
    std::ranges::nth_element(slots, last_dropped);
    std::erase_if(unstored_, [until = *last_dropped](const auto& one) {
        return std::pair{one.first.step, one.first.slot} <= until;
    });
}

void CollectStats::add(Slot& to, const Slot& slot) {
    add_each(to.all, slot.all);
    add_each(to.handlers, slot.handlers);
    add_each(to.other_types, slot.other_types);
    add_each(to.other_endpoints, slot.other_endpoints);
    for (const auto& [type, counters] : slot.types) {
        const bool full = to.types.size() >= max_stats_labels && !to.types.contains(type);
        add_each(full ? to.other_types : to.types[type], counters);
    }
    add_each(to.other_zones, slot.other_zones);
    for (const auto& [zone, counters] : slot.zones) {
        const bool full = to.zones.size() >= max_stats_labels && !to.zones.contains(zone);
        add_each(full ? to.other_zones : to.zones[zone], counters);
    }
    for (const auto& [endpoint, counters] : slot.endpoints) {
        const bool full =
            to.endpoints.size() >= max_stats_labels && !to.endpoints.contains(endpoint);
        add_each(full ? to.other_endpoints : to.endpoints[endpoint], counters);
    }
}

void CollectStats::collect(Slot& slot, StatsStep step) {
    const auto key = [&](StatsBy by, std::string_view label) {
        return StatsKey{.step = step,
                        .by = by,
                        .slot = slot.begins,
                        .label = std::string{label},
                        .instance = instance_};
    };
    collect(slot.all, key(StatsBy::all, ""));
    for (auto& [type, counters] : slot.types) collect(counters, key(StatsBy::type, type));
    collect(slot.other_types, key(StatsBy::type, other_label));
    for (auto& [endpoint, counters] : slot.endpoints) {
        collect(counters, key(StatsBy::endpoint, to_string(endpoint)));
    }
    collect(slot.handlers, key(StatsBy::endpoint, handler_label));
    collect(slot.other_endpoints, key(StatsBy::endpoint, other_label));
    if (step == StatsStep::minute) return;
    for (auto& [zone, counters] : slot.zones) collect(counters, key(StatsBy::zone, zone));
    collect(slot.other_zones, key(StatsBy::zone, other_label));
}

void CollectStats::collect(Counters& counters, const StatsKey& key) {
    for (std::size_t i = 0; i < counters.size(); ++i) {
        Counter& counter = counters[i];
        if (!counter.changed) continue;
        StatsKey own = key;
        own.measure = static_cast<StatsMeasure>(i);
        unstored_.insert_or_assign(own, StatsRow{own, counter.count, counter.durations});
        counter.changed = false;
    }
}

}  // namespace sundial
