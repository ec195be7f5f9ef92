#include "application/ports/event_repository.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

namespace sundial {

std::vector<Result<Attempt, DuplicateIdempotencyKey>> EventRepository::add_each(
    std::span<const Event> events) {
    std::vector<Result<Attempt, DuplicateIdempotencyKey>> answers;
    answers.reserve(events.size());
    for (const Event& event : events) answers.push_back(add(event));
    return answers;
}

std::size_t EventRepository::add_new(std::span<const Event> events) {
    return static_cast<std::size_t>(std::ranges::count_if(
        events, [this](const Event& event) { return add(event).has_value(); }));
}

void DeadLetterCounters::add(const std::string& reason, std::optional<EndpointId> endpoint,
                             Instant failed_at, EventId id) {
    if (letters_.counted == max_dead_letters) {
        letters_.complete = false;
        return;
    }
    ++letters_.counted;
    const Key key =
        by_ == DeadLettersBy::reason ? Key{reason, std::nullopt} : Key{std::string{}, endpoint};
    DeadLetterGroup& group = groups_[key];
    if (group.count == 0) {
        group.reason = key.first;
        group.endpoint = key.second;
        group.newest = failed_at;
    }
    ++group.count;
    group.oldest = failed_at;
    if (group.samples.size() < max_dead_letter_samples) group.samples.push_back(id);
}

DeadLetters DeadLetterCounters::result() && {
    for (auto& [key, group] : groups_) letters_.groups.push_back(std::move(group));
    const auto before = [](const DeadLetterGroup& a, const DeadLetterGroup& b) {
        return std::tie(a.count, a.newest, a.samples.front()) >
               std::tie(b.count, b.newest, b.samples.front());
    };
    std::ranges::sort(letters_.groups, before);
    if (letters_.groups.size() > max_dead_letter_groups) {
        letters_.groups.resize(max_dead_letter_groups);
    }
    return std::move(letters_);
}

void PlannedCounter::add(const Planned& event) {
    if (read_ == query_.most) {
        counts_.end = last_;
        return;
    }
    ++read_;
    last_ = event.due;
    if (event.paused) return;
    if (event.of_rule) counts_.of_rules.push_back(event.id);
    PlannedCount counted{.slot = query_.slot_of(event.target)};
    if (query_.by == PlannedBy::zone) counted.zone = event.zone;
    if (query_.by == PlannedBy::endpoint) counted.endpoint = event.endpoint;
    const auto [place, fresh] =
        places_.try_emplace({counted.slot, counted.zone, counted.endpoint}, counts_.counts.size());
    if (fresh) counts_.counts.push_back(std::move(counted));
    ++counts_.counts[place->second].count;
}

namespace {

using std::chrono::microseconds;

constexpr microseconds first_stretch{std::chrono::seconds{1}};
constexpr microseconds longest_stretch{std::chrono::days{40'000}};
constexpr int stretch_factor = 8;
constexpr microseconds shortest_stretch{1};
/// Attempts of one microsecond are read together, however many there are: a batch settles them in
/// one transaction, and no shorter stretch could be read instead.
constexpr std::size_t all_of_an_instant = 1'000'000'000;
/// Before any attempt.
constexpr Instant beginning = std::chrono::sys_days{std::chrono::year{1970} / 1 / 1};

Instant instant_of(const PageKey& place) { return Instant{microseconds{std::stoll(place.value)}}; }

}  // namespace

Page<EndedAttempt> latest_attempts(const AttemptQuery& query, Instant now,
                                   const ReadStretch& read) {
    Page<EndedAttempt> page;
    const Instant from = std::max(query.from.value_or(beginning), beginning);
    Instant to = std::min(query.to.value_or(never), now + microseconds{1});
    if (const auto& after = query.page.after) {
        // A place without an event is the beginning of a stretch that was read whole.
        const bool within = after->id != Uuid{};
        to = std::min(to, instant_of(*after) + microseconds{within ? 1 : 0});
    }
    std::size_t passed = 0;
    microseconds stretch = first_stretch;
    while (to > from) {
        const Instant begin = to - from > stretch ? to - stretch : from;
        const std::size_t most =
            to - begin > shortest_stretch ? query.max_passed : all_of_an_instant;
        AttemptStretch found = read(begin, to, most);
        if (found.passed > most) {
            stretch = std::max((to - begin) / stretch_factor, shortest_stretch);
            continue;
        }
        std::ranges::move(found.matches, std::back_inserter(page.items));
        if (page.items.size() > query.page.limit) {
            page.items.erase(page.items.begin() + static_cast<std::ptrdiff_t>(query.page.limit),
                             page.items.end());
            page.has_more = true;
            return page;
        }
        to = begin;
        passed += found.passed;
        // The next stretch would be longer, and may have to be read again in parts.
        if (passed >= query.max_passed / 2 && to > from) {
            page.has_more = true;
            page.passed = PageKey{std::to_string(to.time_since_epoch().count()), {}};
            return page;
        }
        stretch = std::min(stretch * stretch_factor, longest_stretch);
    }
    return page;
}

}  // namespace sundial
