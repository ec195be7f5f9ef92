#include "domain/time/interval.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

RuleOccurrence occurrence_at(Instant instant) {
    return {instant, WallTime{instant.time_since_epoch()}};
}

class IntervalCursor final : public OccurrenceCursor {
public:
    IntervalCursor(Instant next, microseconds every) : next_(next), every_(every) {}

    std::optional<RuleOccurrence> next() override {
        if (next_ > latest_instant) return std::nullopt;
        const Instant found = next_;
        next_ += every_;
        return occurrence_at(found);
    }

private:
    Instant next_;  // at most one step past the range, so it cannot overflow
    microseconds every_;
};

class Interval final : public Recurrence {
public:
    Interval(Instant start, microseconds every) : start_(start), every_(every) {}

    [[nodiscard]] std::unique_ptr<OccurrenceCursor> after(Instant after,
                                                          Skipped /*skipped*/) const override {
        return std::make_unique<IntervalCursor>(start_ + number_until(after) * every_, every_);
    }
    [[nodiscard]] std::uint64_t count(Instant after, Instant until) const override {
        if (until <= after) return 0;
        return static_cast<std::uint64_t>(number_until(until) - number_until(after));
    }

private:
    /// Number of occurrences up to `instant`, inclusive.
    [[nodiscard]] std::int64_t number_until(Instant instant) const {
        if (instant < start_) return 0;
        return (std::min(instant, latest_instant) - start_) / every_ + 1;
    }

    Instant start_;
    microseconds every_;
};

}  // namespace

TimeResult<std::chrono::seconds> parse_interval(std::string_view text) {
    auto every = parse_duration(text);
    if (every && *every < std::chrono::seconds{1}) {
        return TimeError{TimeErrorCode::bad_interval, "an interval is at least PT1S"};
    }
    const bool exact_units = text.starts_with("PT") && text.find('D') == std::string_view::npos;
    if (every || exact_units) return every;
    TimeError error = every.error();
    error.message +=
        "; for each day, week or month of the calendar take a cron expression or an RRULE";
    return error;
}

std::unique_ptr<Recurrence> interval_recurrence(Instant start, std::chrono::seconds every) {
    base::check(in_range(start) && every >= std::chrono::seconds{1});
    return std::make_unique<Interval>(start, every);
}

std::string describe_interval(std::chrono::seconds every) {
    const std::chrono::hh_mm_ss parts{every};
    std::string amounts;
    const auto add = [&amounts](std::int64_t amount, const std::string& unit) {
        if (amount == 0) return;
        if (!amounts.empty()) amounts += " and ";
        amounts += std::to_string(amount) + " " + unit + (amount == 1 ? "" : "s");
    };
    add(parts.hours().count(), "hour");
    add(parts.minutes().count(), "minute");
    add(parts.seconds().count(), "second");
    // "every hour", but "every 2 hours" and "every 1 hour and 30 minutes"
    if (amounts.starts_with("1 ") && amounts.find(" and ") == std::string::npos)
        amounts.erase(0, 2);
    return "every " + amounts + " of real time";
}

}  // namespace sundial
