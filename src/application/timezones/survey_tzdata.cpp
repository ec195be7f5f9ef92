#include "application/timezones/survey_tzdata.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "application/operations/operations.hpp"
#include "application/schedules/occurrences.hpp"
#include "domain/schedule_rule.hpp"
#include "domain/time/resolve.hpp"

namespace sundial {
namespace {

/// Clocks are stored from 48 hours before now. The meaning of a local time depends on the offsets
/// about a day around it, and events may be due already.
constexpr std::chrono::hours margin{48};

class Comparison {
public:
    Comparison(Transaction& tx, const TzData& data) : tx_(tx), data_(data) {}

    /// Whether `zone` shows another time than under the pair's release, as far as known.
    bool differs(const ComputedWith& pair, const Zone& zone) {
        const KnownClocks& known = known_of(pair.release);
        if (known.empty() && pair.release == data_.release()) return false;  // the first start
        const auto before = known.find(pair.zone);
        return before == known.end() ||
               before->second.fingerprint != fingerprint(zone, before->second.since);
    }

private:
    const KnownClocks& known_of(const std::string& release) {
        const auto known = known_.find(release);
        if (known != known_.end()) return known->second;
        return known_.emplace(release, tx_.tz().known_clocks(release)).first->second;
    }

    Transaction& tx_;
    const TzData& data_;
    std::map<std::string, KnownClocks> known_;
};

/// Kind `local` has rejected gaps and overlaps at creation. For a move the nearest meaning is
/// accepted.
Passes passes_of(const Intent& intent, const Zone& zone) {
    const bool no_gap = intent.gap == GapPolicy::reject;
    const bool no_overlap = intent.overlap == OverlapPolicy::reject;
    return resolve_recurring(*intent.wall, zone, no_gap ? GapPolicy::compatible : intent.gap,
                             no_overlap ? OverlapPolicy::compatible : intent.overlap);
}

}  // namespace

StaleClocks stale_clocks(Transaction& tx, const TzData& data, Takeover takeover) {
    Comparison comparison{tx, data};
    StaleClocks stale;
    for (const ComputedWith& pair : tx.tz().computed_with()) {
        if (pair.release.empty()) continue;  // CompleteIntake finds their instants
        if (takeover == Takeover::of_older && is_older_release(data.release(), pair.release)) {
            stale.newer.insert(pair.release);
            continue;
        }
        const auto zone = data.find(pair.zone);
        if (zone && comparison.differs(pair, **zone)) stale.pairs.push_back({pair, *zone});
    }
    return stale;
}

std::optional<Instant> InstantsByClock::of(const Event& event) {
    if (const Schedule* schedule = to_follow(event)) return next_of(*schedule, event);
    if (by_real_time(event) != nullptr) return event.due;
    const Passes passes = passes_of(event.intent, zone_);
    const bool second_pass = event.occurrence && event.occurrence->nominal.second_pass;
    return second_pass && passes.second ? passes.second : passes.first;
}

const Schedule* InstantsByClock::to_follow(const Event& event) {
    const Schedule* schedule = by_real_time(event);
    const bool to_come = schedule != nullptr && schedule->enabled &&
                         event.occurrence->origin == Origin::rule && event.due > tx_.now();
    return to_come ? schedule : nullptr;
}

const Schedule* InstantsByClock::by_real_time(const Event& event) {
    if (!event.occurrence) return nullptr;
    const ScheduleId id = event.occurrence->schedule;
    auto known = real_time_.find(id);
    if (known == real_time_.end()) {
        auto schedule = tx_.schedules().find(id);
        if (schedule && !counts_elapsed_time(schedule->trigger)) schedule.reset();
        known = real_time_.emplace(id, std::move(schedule)).first;
    }
    return known->second ? &*known->second : nullptr;
}

Instant InstantsByClock::next_of(const Schedule& schedule, const Event& event) const {
    const auto user = event.user ? tx_.users().find(*event.user) : std::nullopt;
    const auto rule = rule_of_schedule(schedule, user ? &*user : nullptr, data_);
    const auto next = rule ? rule->first_after(tx_.now()) : std::nullopt;
    return next ? next->instant : event.due;
}

KnownClock clock_of(const Zone& zone, Instant now) {
    return {now - margin, fingerprint(zone, now - margin)};
}

namespace {

/// Bounds the events that one request examines: a page of a few moves must not read a million rows.
constexpr std::size_t max_examined = 2'000;

}  // namespace

TzImpact SurveyTzdata::run(const std::optional<ImpactPlace>& after, std::size_t limit) const {
    const auto data = zones_.at_source();
    TzImpact impact{.in_effect = zones_.current()->release(),
                    .release = data->release(),
                    .moves = {},
                    .last = std::nullopt};
    store_.read([&](Transaction& tx) {
        std::size_t budget = max_examined;
        for (const auto& [pair, zone] : stale_clocks(tx, *data, Takeover::of_any).pairs) {
            if (after && pair < after->pair) continue;
            InstantsByClock instants{tx, *zone, *data};
            auto last = after && pair == after->pair ? std::optional{after->event} : std::nullopt;
            for (bool more = true; more;) {
                const auto events = tx.tz().list(pair, last, std::min(batch_size, budget));
                more = !events.empty();
                for (const Event& event : events) {
                    last = event.id;
                    --budget;
                    const auto instant = instants.of(event);
                    if (instant != event.due) impact.moves.push_back({event, instant});
                    if (impact.moves.size() == limit || budget == 0) {
                        impact.last = ImpactPlace{pair, event.id};
                        return;
                    }
                }
            }
        }
    });
    return impact;
}

}  // namespace sundial
