#include "domain/time/recurrence.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace sundial {

std::string_view to_string(OccurrenceNote note) {
    switch (note) {
        case OccurrenceNote::none:
            return "";
        case OccurrenceNote::gap_earlier:
            return "gap_earlier";
        case OccurrenceNote::gap_later:
            return "gap_later";
        case OccurrenceNote::gap_boundary:
            return "gap_boundary";
        case OccurrenceNote::gap_skipped:
            return "gap_skipped";
        case OccurrenceNote::overlap_earlier:
            return "overlap_earlier";
        case OccurrenceNote::overlap_later:
            return "overlap_later";
        case OccurrenceNote::overlap_skipped:
            return "overlap_skipped";
        case OccurrenceNote::leap_moved:
            return "leap_moved";
        case OccurrenceNote::leap_skipped:
            return "leap_skipped";
    }
    base::check(false);
    return {};
}

bool is_skip(OccurrenceNote note) {
    return note == OccurrenceNote::gap_skipped || note == OccurrenceNote::overlap_skipped ||
           note == OccurrenceNote::leap_skipped;
}

std::optional<RuleOccurrence> next_after(const Recurrence& rule, Instant after) {
    return rule.after(after)->next();
}

std::vector<RuleOccurrence> list_after(const Recurrence& rule, Instant after, std::size_t count) {
    std::vector<RuleOccurrence> found;
    const auto cursor = rule.after(after);
    while (found.size() < count) {
        const auto next = cursor->next();
        if (!next) break;
        found.push_back(*next);
    }
    return found;
}

std::vector<RuleOccurrence> newest_until(const Recurrence& rule, Instant after, Instant until,
                                         std::size_t count) {
    until = std::min(until, latest_instant);
    if (count == 0 || until <= after) return {};
    // Finds a start from which there are enough occurrences, and not many more, by doubling and
    // then halving. So a dense rule is not walked from its beginning, and a sparse one is not
    // counted repeatedly.
    const Instant oldest = std::max(after, earliest_instant - std::chrono::seconds{1});
    const auto count_from = [&](std::chrono::microseconds back) {
        return rule.count(std::max(oldest, until - back), until);
    };
    std::chrono::microseconds back = std::chrono::seconds{1};
    std::uint64_t there = count_from(back);
    while (until - oldest > back && there < count) there = count_from(back *= 2);
    if (until - oldest <= back) back = until - oldest;
    std::chrono::microseconds short_of{0};
    while (there / 2 > count && back - short_of > std::chrono::seconds{1}) {
        const auto middle = short_of + (back - short_of) / 2;
        const std::uint64_t from_middle = count_from(middle);
        if (from_middle >= count) {
            back = middle;
            there = from_middle;
        } else {
            short_of = middle;
        }
    }

    std::vector<RuleOccurrence> found;
    const auto cursor = rule.after(until - back);
    for (auto next = cursor->next(); next && next->instant <= until; next = cursor->next())
        found.push_back(*next);
    if (found.size() > count)
        found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(count));
    return found;
}

namespace {

class BoundedCursor final : public OccurrenceCursor {
public:
    BoundedCursor(std::unique_ptr<OccurrenceCursor> rule, Instant until)
        : rule_(std::move(rule)), until_(until) {}

    std::optional<RuleOccurrence> next() override {
        if (!rule_) return std::nullopt;
        auto found = rule_->next();
        if (found && found->instant <= until_) return found;
        rule_.reset();
        return std::nullopt;
    }

private:
    std::unique_ptr<OccurrenceCursor> rule_;  // null once the end is reached
    Instant until_;
};

class Bounded final : public Recurrence {
public:
    Bounded(std::shared_ptr<const Recurrence> rule, Instant before_first, Instant until)
        : rule_(std::move(rule)), before_first_(before_first), until_(until) {}

    [[nodiscard]] std::unique_ptr<OccurrenceCursor> after(Instant after,
                                                          Skipped skipped) const override {
        return std::make_unique<BoundedCursor>(
            rule_->after(std::max(after, before_first_), skipped), until_);
    }
    [[nodiscard]] std::uint64_t count(Instant after, Instant until) const override {
        const Instant from = std::max(after, before_first_);
        const Instant to = std::min(until, until_);
        return from < to ? rule_->count(from, to) : 0;
    }

private:
    std::shared_ptr<const Recurrence> rule_;
    Instant before_first_, until_;
};

class SingleCursor final : public OccurrenceCursor {
public:
    explicit SingleCursor(std::optional<RuleOccurrence> left) : left_(left) {}
    std::optional<RuleOccurrence> next() override { return std::exchange(left_, std::nullopt); }

private:
    std::optional<RuleOccurrence> left_;
};

class Single final : public Recurrence {
public:
    explicit Single(std::optional<RuleOccurrence> occurrence) : occurrence_(occurrence) {}

    [[nodiscard]] std::unique_ptr<OccurrenceCursor> after(Instant after,
                                                          Skipped skipped) const override {
        const bool comes = occurrence_ && occurrence_->instant > after &&
                           (skipped == Skipped::listed || !is_skip(occurrence_->note));
        return std::make_unique<SingleCursor>(comes ? occurrence_ : std::nullopt);
    }
    [[nodiscard]] std::uint64_t count(Instant after, Instant until) const override {
        const auto next = next_after(*this, after);
        return next && next->instant <= until ? 1 : 0;
    }

private:
    std::optional<RuleOccurrence> occurrence_;
};

}  // namespace

std::unique_ptr<Recurrence> bounded(std::shared_ptr<const Recurrence> rule,
                                    std::optional<Instant> from, std::optional<Instant> until) {
    // `after` is exclusive, and a microsecond is the smallest step.
    const Instant before_first =
        from && *from > Instant::min() ? *from - std::chrono::microseconds{1} : Instant::min();
    return std::make_unique<Bounded>(std::move(rule), before_first, until.value_or(never));
}

std::unique_ptr<Recurrence> single_recurrence(std::optional<RuleOccurrence> occurrence) {
    return std::make_unique<Single>(occurrence);
}

std::string_view note_of(const ListedOccurrence& listed) {
    if (listed.occurrence.note != OccurrenceNote::none) return to_string(listed.occurrence.note);
    return listed.offset_changed ? "offset_changed" : "";
}

ListedOccurrences::ListedOccurrences(const Recurrence& rule, const Zone& zone, Instant after)
    : zone_(zone), cursor_(rule.after(after, Skipped::listed)) {
    const auto before = newest_until(rule, Instant::min(), after, 1);
    if (!before.empty()) offset_ = zone.offset_at(before.front().instant);
}

std::optional<ListedOccurrence> ListedOccurrences::next() {
    const auto found = cursor_->next();
    if (!found) return std::nullopt;
    if (is_skip(found->note)) return ListedOccurrence{*found, false};
    const auto offset = zone_.offset_at(found->instant);
    const auto before = std::exchange(offset_, offset);
    return ListedOccurrence{*found, before && *before != offset};
}

}  // namespace sundial
