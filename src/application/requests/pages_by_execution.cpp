#include "application/requests/pages_by_execution.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/uuid.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

class PageByExecution {
public:
    PageByExecution(const EventQuery& query, Instant now, const EndedEvents& events)
        : query_(query),
          events_(events),
          now_(now),
          from_(query.executed_from.value_or(earliest_instant)),
          to_(query.executed_to.value_or(never)),
          limit_(query.page.limit),
          most_(query.max_passed.value()) {}

    Page<Event> page() {
        if (expects_executed()) {
            begin_after_last_page();
            while (from_ < to_) {
                const Stretch stretch = next_stretch();
                if (stretch.ended > 0) add_executed(stretch);
                if (page_.has_more) return std::move(page_);
                (descending() ? to_ : from_) = descending() ? stretch.from : stretch.to;
                passed_ += stretch.ended;
                if (passed_ >= most_ / 2) return continued_later();
            }
        }
        if (expects_others()) add_others();
        return std::move(page_);
    }

private:
    struct Stretch {
        Instant from, to;
        microseconds length;
        std::size_t ended;  // in it, CANCELLED events too; more than `most_` if too many
    };

    static constexpr microseconds shortest{1};
    /// Reaches the first year from now in ten steps from a second.
    static constexpr int growth = 15;
    static constexpr std::array executed_statuses{EventStatus::completed, EventStatus::failed};
    static constexpr std::array other_statuses{EventStatus::pending, EventStatus::processing,
                                               EventStatus::cancelled};
    static constexpr base::Uuid lowest_id{};

    static base::Uuid highest_id() {
        return base::parse_uuid("ffffffff-ffff-ffff-ffff-ffffffffffff").value();
    }
    static std::string text_of(Instant instant) {
        return std::to_string(instant.time_since_epoch().count());
    }
    static std::optional<Instant> instant_of(const std::string& text) {
        microseconds::rep number = 0;
        const auto end = text.data() + text.size();
        if (text.empty() || std::from_chars(text.data(), end, number).ptr != end) {
            return std::nullopt;
        }
        return Instant{microseconds{number}};
    }

    /// Those of `all` that the list may have.
    [[nodiscard]] std::vector<EventStatus> requested(std::span<const EventStatus> all) const {
        const auto& wanted = query_.statuses;
        std::vector<EventStatus> both;
        std::ranges::copy_if(all, std::back_inserter(both), [&](EventStatus status) {
            return wanted.empty() || std::ranges::find(wanted, status) != wanted.end();
        });
        return both;
    }

    [[nodiscard]] bool descending() const { return query_.page.descending; }
    [[nodiscard]] bool only_others_are_left() const {
        return query_.page.after && query_.page.after->value.empty();
    }
    [[nodiscard]] bool expects_executed() const {
        return !only_others_are_left() && query_.waiting_for.empty() &&
               !requested(executed_statuses).empty();
    }
    [[nodiscard]] bool expects_others() const {
        return !query_.executed_from && !query_.executed_to && !requested(other_statuses).empty();
    }

    /// The place between two stretches has no event: it comes after all ids of the one before.
    [[nodiscard]] base::Uuid last_id() const { return descending() ? lowest_id : highest_id(); }

    void begin_after_last_page() {
        const auto& after = query_.page.after;
        const auto last = after ? instant_of(after->value) : std::nullopt;
        if (!last) return;
        // Other events may have ended in the microsecond of the last item.
        const microseconds rest = after->id == last_id() ? microseconds{0} : shortest;
        if (descending()) {
            to_ = std::min(to_, *last + rest);
        } else {
            from_ = std::max(from_, *last + shortest - rest);
        }
    }

    /// The part of the remainder that comes first in the list. No event ends after now, but clocks
    /// may differ a little.
    [[nodiscard]] Stretch ahead(microseconds length) const {
        Stretch stretch{from_, to_, length, 0};
        if (descending()) {
            stretch.from = std::max(from_, std::min(to_, now_) - length);
        } else if (from_ < now_ - length) {
            stretch.to = std::min(to_, from_ + length);
        }
        stretch.length = std::max(std::min(stretch.to, now_) - stretch.from, shortest);
        stretch.ended = events_.count(stretch.from, stretch.to, most_);
        return stretch;
    }

    /// A stretch with more events than a page, but not with too many. The remainder may have fewer,
    /// and one microsecond may have too many.
    Stretch next_stretch() {
        Stretch few{from_, to_, microseconds{0}, 0};
        std::optional<Stretch> many;
        for (microseconds length = length_;;) {
            const Stretch stretch = ahead(length);
            const bool is_rest = stretch.from == from_ && stretch.to == to_;
            if (stretch.ended > most_) {
                many = stretch;
            } else if (stretch.ended > limit_ || is_rest) {
                const std::size_t fitting = most_ / std::max<std::size_t>(stretch.ended, 1);
                length_ =
                    stretch.length * static_cast<int>(std::clamp<std::size_t>(fitting, 1, growth));
                return stretch;
            } else {
                few = stretch;
            }
            if (many && many->length - few.length <= shortest) {
                length_ = shortest;
                return few.length > microseconds{0} ? few : *many;
            }
            length = many ? few.length + (many->length - few.length) / 2 : length * growth;
        }
    }

    void add_executed(const Stretch& stretch) {
        EventQuery part = query_;
        part.executed_from = stretch.from;
        part.executed_to = stretch.to;
        part.page.limit = limit_ + 1 - page_.items.size();  // finds whether others follow
        add(events_.list(part));
    }

    void add_others() {
        EventQuery others = query_;
        others.sort = EventQuery::Sort::created_at;
        others.statuses = requested(other_statuses);
        if (!only_others_are_left()) others.page.after.reset();
        others.page.limit = limit_ + 1 - page_.items.size();
        Page<Event> found = events_.list(others);
        const std::size_t all = page_.items.size() + found.items.size();
        auto passed = std::move(found.passed);
        add(std::move(found));
        if (page_.items.size() == all) page_.passed = std::move(passed);
    }

    void add(Page<Event> found) {
        page_.has_more = found.has_more;
        for (Event& event : found.items) {
            if (page_.items.size() == limit_ || bytes_ >= max_page_bytes) {
                page_.has_more = true;
                return;
            }
            bytes_ += event.payload.size();
            page_.items.push_back(std::move(event));
        }
    }

    /// The page ends here because it has passed many events.
    Page<Event> continued_later() {
        const bool done = from_ >= to_;
        if (done && !expects_others()) return std::move(page_);
        page_.has_more = true;
        if (done) {
            page_.passed = PageKey{"", descending() ? highest_id() : lowest_id};
        } else {
            page_.passed = PageKey{text_of(descending() ? to_ : from_ - shortest), last_id()};
        }
        return std::move(page_);
    }

    const EventQuery& query_;
    const EndedEvents& events_;
    Instant now_;
    Instant from_, to_;  // the remainder of the list
    std::size_t limit_;
    std::size_t most_;
    microseconds length_{std::chrono::seconds{1}};
    Page<Event> page_{};
    std::size_t bytes_ = 0, passed_ = 0;
};

}  // namespace

Page<Event> page_by_execution(const EventQuery& query, Instant now, const EndedEvents& events) {
    return PageByExecution{query, now, events}.page();
}

}  // namespace sundial
