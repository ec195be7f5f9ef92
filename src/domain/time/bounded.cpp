#include "domain/time/bounded.hpp"

#include <algorithm>
#include <utility>

namespace sundial {
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

}  // namespace sundial
