#include "application/schedules/plan_successors.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "application/ports/failures.hpp"
#include "application/schedules/occurrences.hpp"
#include "base/check.hpp"
#include "base/crash_point.hpp"

namespace sundial {
namespace {

/// Each once, ascending: the order in which all callers take their locks.
template <class Id>
std::vector<Id> distinct(std::vector<Id> ids) {
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    return ids;
}

template <class Id, class Row>
std::unordered_map<Id, Row> by_id(std::vector<Row> rows) {
    std::unordered_map<Id, Row> found;
    for (Row& row : rows) {
        const Id id = row.id;
        found.emplace(id, std::move(row));
    }
    return found;
}

template <class Id, class Row>
const Row* find(const std::unordered_map<Id, Row>& rows, const Id& id) {
    const auto found = rows.find(id);
    return found == rows.end() ? nullptr : &found->second;
}

/// An event that is claimed again, or was retried by a user, may already have a successor, which
/// may have moved to another date. By the current rule the next occurrence could then be one that
/// the move left behind, in the past; it must not be created. It is not a gap left by a crash or
/// downtime either, because then no later event is live.
bool left_behind(Transaction& tx, const Event& event, const RuleOccurrence& next) {
    return next.instant <= tx.now() && has_successor(tx, event);
}

/// Whether the policies of a schedule can skip occurrences of its rule.
bool skips(const Schedule& schedule) {
    return schedule.gap == GapPolicy::skip || schedule.overlap == OverlapPolicy::skip ||
           schedule.leap == LeapPolicy::skip;
}

/// Continues the chains of claimed events by their rules, in one transaction.
class Planner {
public:
    Planner(Transaction& tx, const TzData& zones, Ids& ids, std::span<const SharedEvent> claimed)
        : tx_(tx), zones_(zones), ids_(ids), release_(zones.release()) {
        std::vector<UserId> user_ids;
        std::vector<ScheduleId> schedule_ids;
        for (const Event& event : claimed) {
            if (!in_chain(event)) continue;
            events_.push_back(&event);
            if (event.user) user_ids.push_back(*event.user);
        }
        for (const Event& event : claimed) {
            if (event.occurrence) schedule_ids.push_back(event.occurrence->schedule);
        }
        // Oldest first: an unfinished event is judged before the next one.
        std::ranges::sort(events_, {},
                          [](const Event* event) { return std::pair{event->due, event->id}; });
        // Both are shared until the successors are stored: an edit waits, then finds the
        // successors.
        users_ = by_id<UserId>(tx.users().share(distinct(std::move(user_ids))));
        planning_.schedules = tx.schedules().share(distinct(std::move(schedule_ids)));
        schedules_ = by_id<ScheduleId>(planning_.schedules);
    }

    Planning run() {
        for (const Event* event : events_) plan(*event);
        bool all_new = true;
        for (const auto& [type, events] : successors_) all_new &= store(type, events);
        if (!all_new) {
            for (const Link& link : links_) go_on(link);
        }
        return std::move(planning_);
    }

private:
    /// A claimed event and its successor.
    struct Link {
        const Event* event;
        ScheduleRule rule;
        RuleOccurrence next;
    };

    /// Events made by hand are not part of the chain and have no policy.
    static bool in_chain(const Event& event) {
        return event.occurrence && event.occurrence->origin == Origin::rule;
    }

    void plan(const Event& event) {
        const Schedule* schedule = find(schedules_, event.occurrence->schedule);
        if (!schedule) return;
        const User* user = event.user ? find(users_, *event.user) : nullptr;
        if (schedule->per_user && !user) return;
        const auto rule = rule_of_schedule(*schedule, user, zones_);
        if (!rule) {
            if (rule.error().code == TimeErrorCode::unknown_zone) {
                planning_.without_zone.push_back(event.id);
            }
            return;
        }
        const Judgement judgement =
            schedule->enabled ? judge(tx_, *rule, event) : Judgement{.next = rule->next_of(event)};
        if (!judgement.dropped.empty() && !drop(*rule, event, judgement)) return;
        if (!judgement.next || left_behind(tx_, event, *judgement.next)) return;
        if (skips(*schedule)) record_skips(*rule, event, *judgement.next);
        links_.push_back({&event, *rule, *judgement.next});
        successors_[schedule->event_type].push_back(planned(*rule, *judgement.next));
    }

    Event planned(const ScheduleRule& rule, const RuleOccurrence& next) {
        return plan_occurrence(rule, next, ids_, release_, tx_.now());
    }

    /// Whether all were new.
    bool store(const std::string& type, const std::vector<Event>& events) {
        const std::size_t added = tx_.events().add_new(events);
        planning_.stored[type] += added;
        for (const Event& event : events) {
            planning_.earliest = std::min(planning_.earliest, event.claimable_at);
        }
        return added == events.size();
    }

    /// A known successor exists, or existed and was followed by others. If no live event follows,
    /// it had its event before a move to another zone or date. Then the first occurrence without an
    /// event is next.
    void go_on(const Link& link) {
        std::optional<RuleOccurrence> next = link.next;
        while (!has_successor(tx_, *link.event)) {
            next = link.rule.first_after(next->instant);
            if (!next) return;
            store(link.rule.schedule().event_type, {planned(link.rule, *next)});
        }
    }

    /// False if this instance no longer holds the event: another one decides then.
    bool drop(const ScheduleRule& rule, const Event& event, const Judgement& judgement) {
        const auto live = tx_.events().lock(event.id);
        const bool ours = live && live->version == event.version;
        planning_.dropped.push_back({event.id, ours ? judgement.dropped : ""});
        if (!ours) return false;
        const auto cancelled = is_claimed(*live)
                                   ? sundial::drop(*live, tx_.now(), judgement.dropped)
                                   : cancel(*live, tx_.now(), judgement.dropped);
        base::check(cancelled.has_value());
        tx_.events().finish_dropped(*cancelled);
        record(rule, judgement.dropped, event.due, judgement.last, judgement.count,
               judgement.next ? std::optional{judgement.next->instant} : std::nullopt);
        return true;
    }

    /// Records occurrences that gap, overlap or leap day policies skip between an event and the
    /// next.
    void record_skips(const ScheduleRule& rule, const Event& event, const RuleOccurrence& next) {
        OccurrenceNote reason = OccurrenceNote::none;
        Instant first{}, last{};
        std::uint64_t count = 0;
        const auto record_run = [&] {
            if (count > 0) {
                record(rule, std::string{to_string(reason)}, first, last, count, next.instant);
            }
            count = 0;
        };
        const auto cursor = rule.recurrence().after(event.due, Skipped::listed);
        for (auto one = cursor->next(); one && one->instant < next.instant; one = cursor->next()) {
            if (!is_skip(one->note)) continue;
            if (one->note != reason) record_run();
            if (count == 0) first = one->instant;
            reason = one->note;
            last = one->instant;
            ++count;
        }
        record_run();
    }

    void record(const ScheduleRule& rule, std::string reason, Instant first, Instant last,
                std::uint64_t count, std::optional<Instant> next) {
        tx_.skips().add({.id = ids_.fresh(),
                         .schedule = rule.schedule().id,
                         .user = rule.user() ? std::optional{rule.user()->id} : std::nullopt,
                         .reason = std::move(reason),
                         .first = first,
                         .last = last,
                         .count = count,
                         .next = next,
                         .recorded_at = tx_.now()});
    }

    Transaction& tx_;
    const TzData& zones_;
    Ids& ids_;
    std::string release_;
    std::vector<const Event*> events_;
    std::unordered_map<UserId, User> users_;
    std::unordered_map<ScheduleId, Schedule> schedules_;
    std::vector<Link> links_;
    std::map<std::string, std::vector<Event>> successors_;  // by type
    Planning planning_;
};

}  // namespace

void add_planning(Planning& all, Planning&& part) {
    std::ranges::move(part.schedules, std::back_inserter(all.schedules));
    std::ranges::move(part.without_zone, std::back_inserter(all.without_zone));
    std::ranges::move(part.unplanned, std::back_inserter(all.unplanned));
    std::ranges::move(part.dropped, std::back_inserter(all.dropped));
    for (const auto& [type, count] : part.stored) all.stored[type] += count;
    all.earliest = std::min(all.earliest, part.earliest);
}

Planning PlanSuccessors::run(std::span<const SharedEvent> claimed) {
    const auto recurs = [](const Event& event) { return event.occurrence.has_value(); };
    if (std::ranges::none_of(claimed, recurs)) return {};
    const bool can_isolate = store_.parts() > 1 && claimed.size() > 1 && !store_.open_here();
    if (!can_isolate) return plan(claimed);
    try {
        return plan(claimed);
    } catch (const Unavailable&) {
        // Throws if the whole storage is away.
        (void)in_read(store_, [](Transaction& tx) { return tx.now(); });
        return plan_each(claimed);
    }
}

Planning PlanSuccessors::plan_each(std::span<const SharedEvent> claimed) {
    // Oldest first, as a batch.
    std::vector<SharedEvent> events{claimed.begin(), claimed.end()};
    std::ranges::sort(events, {},
                      [](const Event& event) { return std::pair{event.due, event.id}; });
    Planning all;
    std::exception_ptr last;
    for (const SharedEvent& event : events) {
        if (!event->occurrence) continue;
        try {
            add_planning(all, plan({&event, 1}));
        } catch (const Unavailable&) {
            last = std::current_exception();
            all.unplanned.push_back(event->id);
        }
    }
    // Others, also those that do not recur, must not wait for them.
    if (all.unplanned.size() == claimed.size()) std::rethrow_exception(last);
    return all;
}

Planning PlanSuccessors::plan(std::span<const SharedEvent> claimed) {
    Planning planning;
    store_.transact([&](Transaction& tx) {
        const auto zones = zones_.current();
        planning = Planner{tx, *zones, ids_, claimed}.run();
        CRASH_POINT("plan: before commit");
        return true;
    });
    CRASH_POINT("plan: after commit");
    return planning;
}

}  // namespace sundial
