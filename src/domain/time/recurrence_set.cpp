#include "domain/time/recurrence_set.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/rrule_in_zone.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using std::chrono::seconds;

/// An optional rule and single occurrences, without the excluded instants.
class SetInZones final : public Recurrence {
public:
    /// `extra` ascends by instant.
    SetInZones(std::unique_ptr<const RruleInZone> rule, std::vector<RuleOccurrence> extra,
               std::vector<Instant> excluded)
        : rule_(std::move(rule)), extra_(std::move(extra)), excluded_(std::move(excluded)) {
        std::ranges::sort(excluded_);
        excluded_.erase(std::ranges::unique(excluded_).begin(), excluded_.end());
        std::vector<Instant> added;
        for (const RuleOccurrence& occurrence : extra_) {
            if (!is_skip(occurrence.note) && !excludes(occurrence.instant))
                added.push_back(occurrence.instant);
        }
        added.erase(std::ranges::unique(added).begin(), added.end());
        if (!rule_) {
            added_ = std::move(added);
            return;
        }
        taken_ = rule_->hits(excluded_);
        std::ranges::set_difference(added, rule_->hits(added), std::back_inserter(added_));
    }

    [[nodiscard]] std::unique_ptr<OccurrenceCursor> after(Instant after,
                                                          Skipped skipped) const override {
        return std::make_unique<Cursor>(*this, after, skipped);
    }

    [[nodiscard]] std::uint64_t count(Instant after, Instant until) const override {
        if (until <= after) return 0;
        const auto between = [&](const std::vector<Instant>& instants) {
            return static_cast<std::uint64_t>(std::ranges::upper_bound(instants, until) -
                                              std::ranges::upper_bound(instants, after));
        };
        return (rule_ ? rule_->count(after, until) : 0) + between(added_) - between(taken_);
    }

private:
    class Cursor final : public OccurrenceCursor {
    public:
        Cursor(const SetInZones& set, Instant after, Skipped skipped)
            : set_(set), skipped_(skipped), seen_(after) {
            extra_ = std::ranges::upper_bound(set.extra_, after, {}, &RuleOccurrence::instant);
            if (!set.rule_) return;
            rule_ = set.rule_->after(after, skipped);
            of_rule_ = rule_->next();
        }

        std::optional<RuleOccurrence> next() override {
            while (auto found = first_of_both()) {
                const bool skip = is_skip(found->note);
                if (skip && skipped_ == Skipped::left_out) continue;
                if (!skip && (found->instant <= seen_ || set_.excludes(found->instant))) continue;
                if (!skip) seen_ = found->instant;
                return found;
            }
            return std::nullopt;
        }

    private:
        std::optional<RuleOccurrence> first_of_both() {
            const bool has_extra = extra_ != set_.extra_.end();
            if (of_rule_ && (!has_extra || of_rule_->instant <= extra_->instant))
                return std::exchange(of_rule_, rule_->next());
            if (!has_extra) return std::nullopt;
            return *extra_++;
        }

        const SetInZones& set_;
        Skipped skipped_;
        Instant seen_;  // everything up to here has been returned
        std::vector<RuleOccurrence>::const_iterator extra_;
        std::unique_ptr<OccurrenceCursor> rule_;
        std::optional<RuleOccurrence> of_rule_;
    };

    [[nodiscard]] bool excludes(Instant instant) const {
        return std::ranges::binary_search(excluded_, instant);
    }

    std::unique_ptr<const RruleInZone> rule_;
    std::vector<RuleOccurrence> extra_;
    std::vector<Instant> excluded_;
    // For counting: the instants that `extra_` adds to the rule, and those that `excluded_`
    // removes.
    std::vector<Instant> added_, taken_;
};

/// The zones of a set and its policies.
struct Setting {
    std::vector<std::shared_ptr<const Zone>> zones;
    GapPolicy gap;
    OverlapPolicy overlap;
};

/// A time that must have its instant treats policies that would skip it as `compatible`.
GapPolicy never_skipping(GapPolicy gap) {
    return gap == GapPolicy::skip ? GapPolicy::compatible : gap;
}
OverlapPolicy never_skipping(OverlapPolicy overlap) {
    return overlap == OverlapPolicy::skip ? OverlapPolicy::compatible : overlap;
}

TimeError outside(std::string_view name, std::chrono::local_seconds wall) {
    return {TimeErrorCode::out_of_range,
            std::string(name) + " " + format_wall(wall) +
                " lies outside 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z in its zone"};
}

/// Appends the times of an RDATE or EXDATE. An occurrence is identified by the clock of DTSTART's
/// zone, in which the rule runs, whatever zone its text names.
std::optional<TimeError> add_times(std::string_view name, const std::vector<SetTime>& times,
                                   const Setting& in, std::vector<RuleOccurrence>& found) {
    for (const SetTime& time : times) {
        const NominalOccurrences meant = occurrences_at(
            time.wall, *in.zones.at(time.zone), never_skipping(in.gap), never_skipping(in.overlap));
        if (!meant.first) return outside(name, time.wall);
        for (auto occurrence : {meant.first, meant.second}) {
            if (!occurrence) continue;
            if (time.zone != 0) {
                const Zone& zone = *in.zones.front();
                occurrence->nominal = wall_time_at(zone, occurrence->instant);
                const LocalLookup there =
                    zone.lookup(std::chrono::floor<seconds>(occurrence->nominal));
                occurrence->second_pass =
                    there.kind == LocalLookup::Kind::overlap && occurrence->instant == there.later;
            }
            found.push_back(*occurrence);
        }
    }
    return std::nullopt;
}

TimeError never_fires(const RecurrenceSet& set) {
    std::string why = "no occurrence ever: ";
    if (!set.exdates.empty()) {
        why += "EXDATE excludes every occurrence";
    } else if (!set.rule) {
        why += "DTSTART is skipped by its policy";
    } else if (set.rule->until) {
        why += "no date from DTSTART to UNTIL matches all parts of the rule";
    } else {
        why += "no date of the calendar matches all parts of the rule";
    }
    return {TimeErrorCode::never_fires, std::move(why)};
}

}  // namespace

TimeResult<std::unique_ptr<Recurrence>> rrule_recurrence(const RecurrenceSet& set,
                                                         const FindZone& find_zone, GapPolicy gap,
                                                         OverlapPolicy overlap) {
    base::check(gap != GapPolicy::reject && overlap != OverlapPolicy::reject && !set.zones.empty());
    Setting setting{.zones = {}, .gap = gap, .overlap = overlap};
    for (const std::string& name : set.zones) {
        auto zone = find_zone(name);
        if (!zone) return zone.error();
        setting.zones.push_back(*std::move(zone));
    }
    const std::shared_ptr<const Zone>& zone = setting.zones.front();
    const auto never_both = overlap == OverlapPolicy::both ? OverlapPolicy::compatible : overlap;
    const Passes start =
        resolve_recurring(set.dtstart, *zone, never_skipping(gap), never_skipping(never_both));
    if (!start.first) return outside("DTSTART", set.dtstart);

    std::unique_ptr<const RruleInZone> rule;
    std::vector<RuleOccurrence> extra;
    if (set.rule) {
        rule = std::make_unique<RruleInZone>(
            *set.rule, set.dtstart, std::chrono::floor<seconds>(*start.first), zone, gap, overlap);
    } else {
        const NominalOccurrences itself = occurrences_at(set.dtstart, *zone, gap, overlap);
        for (const auto& occurrence : {itself.first, itself.second}) {
            if (occurrence) extra.push_back(*occurrence);
        }
    }
    if (auto defect = add_times("RDATE", set.rdates, setting, extra)) return *std::move(defect);
    std::vector<RuleOccurrence> exclusions;
    if (auto defect = add_times("EXDATE", set.exdates, setting, exclusions))
        return *std::move(defect);
    std::ranges::sort(extra, {}, [](const RuleOccurrence& occurrence) {
        return std::pair(occurrence.instant, occurrence.nominal);
    });
    std::vector<Instant> excluded;
    for (const RuleOccurrence& exclusion : exclusions) excluded.push_back(exclusion.instant);

    auto found =
        std::make_unique<SetInZones>(std::move(rule), std::move(extra), std::move(excluded));
    if (!next_after(*found, Instant::min())) return never_fires(set);
    return std::unique_ptr<Recurrence>(std::move(found));
}

std::string describe(const RecurrenceSet& set) {
    const auto dates = [](std::size_t count, std::string_view which) {
        return std::to_string(count) + std::string(which) + (count == 1 ? " date" : " dates");
    };
    std::string text =
        set.rule ? describe(*set.rule, set.dtstart) : "once, at " + format_wall(set.dtstart);
    if (!set.rdates.empty()) text += "; and " + dates(set.rdates.size(), " more");
    if (!set.exdates.empty()) text += "; but for " + dates(set.exdates.size(), "");
    return text;
}

}  // namespace sundial
