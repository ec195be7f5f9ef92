#include "application/backfill_schedule.hpp"

#include <chrono>
#include <functional>
#include <utility>

#include "application/moment.hpp"
#include "application/plan_occurrence.hpp"
#include "application/reference.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

constexpr std::size_t most_samples = 5;
constexpr std::uint64_t most_occurrences = 100'000;
/// Users, or occurrences, of one transaction.
constexpr std::size_t batch_size = 200;

/// [from, to).
struct Range {
    Instant from, to;
    [[nodiscard]] Instant before() const { return from - microseconds{1}; }
    [[nodiscard]] Instant last() const { return to - microseconds{1}; }
};

Result<Range> read_range(const BackfillWish& wish, Instant now) {
    std::vector<FieldError> defects;
    const auto read = [&](const char* pointer, const std::string& text) {
        const auto moment = parse_moment(text, now);
        if (!moment) {
            defects.push_back(
                {pointer, std::string{to_string(moment.error().code)}, moment.error().message});
        }
        return moment ? *moment : now;
    };
    const Range range{read("/from", wish.from), read("/to", wish.to)};
    if (defects.empty() && range.to > now) {
        defects.push_back({"/to", "out_of_range", "must not be later than now"});
    }
    if (defects.empty() && range.from >= range.to) {
        defects.push_back({"/from", "out_of_range", "must be before 'to'"});
    }
    if (!defects.empty()) return ValidationFailed{std::move(defects)};
    return range;
}

/// A schedule and whom it runs for, as far as this transaction goes: at most `batch_size` users
/// after `after`, or nobody.
struct Part {
    Schedule schedule;
    std::vector<User> users;
    bool last = true;
};
std::optional<Part> read_part(Transaction& tx, ScheduleId id, std::optional<UserId> after) {
    const auto found = tx.schedules().find(id);
    if (!found) return std::nullopt;
    Part part{*found, {}};
    if (found->per_user) {
        part.users = tx.users().share_after(after, batch_size);
        part.last = part.users.size() < batch_size;
    }
    return part;
}

/// Calls `work` for everybody whom the schedule runs for and who has a rule.
void for_each_rule(const Part& part, const TzData& zones,
                   const std::function<void(const ScheduleRule&)>& work) {
    const auto run = [&](const User* user) {
        if (const auto rule = rule_of_schedule(part.schedule, user, zones)) work(*rule);
    };
    if (!part.schedule.per_user) return run(nullptr);
    for (const User& user : part.users) run(&user);
}

/// Calls `visit` for every part, outside of the transaction that read it.
template <class Visit>
void walk(Store& store, ScheduleId id, Visit visit) {
    std::optional<UserId> after;
    for (bool more = true; more;) {
        const auto part = in_read(store, [&](Transaction& tx) { return read_part(tx, id, after); });
        if (!part) return;
        visit(*part);
        more = !part->last;
        if (more) after = part->users.back().id;
    }
}

void count(const ScheduleRule& rule, const Range& range, Backfill& found) {
    found.occurrences += rule.recurrence().count(range.before(), range.last());
    const auto cursor = rule.recurrence().after(range.before());
    while (found.samples.size() < most_samples) {
        const auto next = cursor->next();
        if (!next || next->instant > range.last()) return;
        found.samples.push_back({next->instant, std::string{rule.zone().name()},
                                 rule.user() ? std::optional{rule.user()->id} : std::nullopt});
    }
}

}  // namespace

Result<Backfill> BackfillSchedule::run(std::string_view reference, const BackfillWish& wish) {
    struct Start {
        ScheduleId id;
        Range range;
    };
    const auto start = in_read(store_, [&](Transaction& tx) -> Result<Start> {
        const auto id = schedule_id(tx, reference);
        if (!id) return id.error();
        if (!tx.schedules().find(*id)) return NotFound{Noun::schedule, std::string{reference}};
        const auto range = read_range(wish, tx.now());
        if (!range) return range.error();
        return Start{*id, *range};
    });
    if (!start) return start.error();
    const ScheduleId id = start->id;
    const Range range = start->range;

    Backfill found;
    walk(store_, id, [&](const Part& part) {
        for_each_rule(part, *zones_.current(),
                      [&](const auto& rule) { count(rule, range, found); });
    });
    if (found.occurrences > most_occurrences) {
        return invalid("/from", "out_of_range",
                       "the range holds " + std::to_string(found.occurrences) +
                           " occurrences; ask for at most " + std::to_string(most_occurrences));
    }
    if (wish.dry_run) return found;
    found.created = create(id, range.before(), range.last());
    return found;
}

std::uint64_t BackfillSchedule::create(ScheduleId id, Instant before, Instant last) {
    std::uint64_t created = 0;
    walk(store_, id, [&](const Part& part) {
        for_each_rule(part, *zones_.current(), [&](const ScheduleRule& rule) {
            if (rule.recurrence().count(before, last) == 0) return;
            const auto user = rule.user() ? std::optional{rule.user()->id} : std::nullopt;
            created += create_for(id, user, before, last);
        });
    });
    return created;
}

std::uint64_t BackfillSchedule::create_for(ScheduleId id, std::optional<UserId> user,
                                           Instant before, Instant last) {
    std::uint64_t created = 0;
    for (std::optional<Instant> after = before; after;) {
        std::vector<Event> events;
        std::size_t added = 0;
        store_.transact([&](Transaction& tx) {
            events.clear();
            // Shares the user, then the schedule, as planning does.
            const auto users = user ? tx.users().share(std::vector{*user}) : std::vector<User>{};
            const auto schedules = tx.schedules().share(std::vector{id});
            if (schedules.empty() || (user && users.empty())) return false;
            const auto zones = zones_.current();
            const auto rule =
                rule_of_schedule(schedules.front(), user ? &users.front() : nullptr, *zones);
            if (!rule) return false;
            for (const auto& one : list_after(rule->recurrence(), *after, batch_size)) {
                if (one.instant > last) break;
                Event event = plan_occurrence(*rule, one, ids_, zones->release(), tx.now());
                event.occurrence->origin = Origin::backfill;
                event.jitter = microseconds{0};
                event.claimable_at = event.due;
                events.push_back(std::move(event));
            }
            added = tx.events().add_new(events);
            return true;
        });
        created += added;
        if (!events.empty()) wakeups_.due_at(events.front().claimable_at);
        after = events.size() == batch_size ? std::optional{events.back().due} : std::nullopt;
    }
    return created;
}

}  // namespace sundial
