#include "sundial/calendar.hpp"

#include <exception>
#include <string_view>
#include <utility>
#include <variant>

#include "adapters/zones/cctz_time_zones.hpp"
#include "domain/time/cron.hpp"
#include "domain/time/effort.hpp"
#include "domain/time/interval.hpp"
#include "domain/time/recurrence_set.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/text.hpp"
#include "domain/time/yearly.hpp"

namespace sundial {

struct Calendar::Parts {
    explicit Parts(const std::string& directory) : zones(directory) {}
    zones::CctzTimeZones zones;
};

namespace {

constexpr std::size_t most_occurrences = 1'000;

embedding::Error refusal(const char* field, const char* code, std::string message) {
    std::string detail = field + (": " + message);
    return {"VALIDATION_FAILED", std::move(detail),
            embedding::InvalidFields{{field, code, std::move(message)}}};
}
embedding::Error refusal(const char* field, const TimeError& error) {
    return refusal(field, std::string{to_string(error.code)}.c_str(), error.message);
}

static_assert(static_cast<int>(Gap::skip) == static_cast<int>(GapPolicy::skip) &&
              static_cast<int>(Overlap::skip) == static_cast<int>(OverlapPolicy::skip) &&
              static_cast<int>(Leap::skip) == static_cast<int>(LeapPolicy::skip));
/// Public policies have the numbers of the internal ones (above).
template <class Domain, class Public>
Domain policy_or(const std::optional<Public>& policy, Domain otherwise) {
    return policy ? static_cast<Domain>(*policy) : otherwise;
}

/// A date that may lack its year: "02-29" as schedules have it.
TimeResult<YearlyRule> yearly_of(const Yearly& rule, const InZone& in) {
    constexpr std::size_t without_year = 5;
    const auto day = parse_yearly_date(rule.on.size() == without_year ? "--" + rule.on : rule.on);
    if (!day) return day.error();
    const auto at = parse_time_of_day(rule.at);
    if (!at) return at.error();
    YearlyRule yearly;
    yearly.day = day->day;
    yearly.from = day->from;
    yearly.at = *at;
    yearly.leap = policy_or(in.leap, yearly.leap);
    yearly.gap = policy_or(in.gap, yearly.gap);
    yearly.overlap = policy_or(in.overlap, yearly.overlap);
    return yearly;
}

TimeResult<std::chrono::seconds> interval_of(const Every& rule) {
    return parse_interval("PT" + std::to_string(rule.interval.count()) + "S");
}

TimeResult<RecurrenceSet> set_of(const Rrule& rule, const std::string& timezone) {
    return read_recurrence({.dtstart = rule.dtstart,
                            .zone = timezone,
                            .rrule = rule.rrule,
                            .rdates = {},
                            .exdates = {}});
}

using OwnedRule = TimeResult<std::unique_ptr<Recurrence>>;

/// The rule in a zone.
struct ToRecurrence {
    const InZone& in;
    const TzData& zones;
    std::shared_ptr<const Zone> zone;

    OwnedRule operator()(const Cron& rule) const {
        const auto cron = parse_cron(rule.expression);
        if (!cron) return cron.error();
        return cron_recurrence(*cron, zone, policy_or(in.gap, GapPolicy::boundary),
                               policy_or(in.overlap, OverlapPolicy::earlier));
    }
    OwnedRule operator()(const Rrule& rule) const {
        const auto set = set_of(rule, in.timezone);
        if (!set) return set.error();
        const auto find = [this](std::string_view name) { return zones.find(name); };
        return rrule_recurrence(*set, find, policy_or(in.gap, GapPolicy::compatible),
                                policy_or(in.overlap, OverlapPolicy::compatible));
    }
    OwnedRule operator()(const Every& rule) const {
        const auto every = interval_of(rule);
        if (!every) return every.error();
        return interval_recurrence(Instant{}, *every);
    }
    OwnedRule operator()(const Yearly& rule) const {
        const auto yearly = yearly_of(rule, in);
        if (!yearly) return yearly.error();
        return yearly_recurrence(*yearly, zone);
    }
};

struct ToWords {
    TimeResult<std::string> operator()(const Cron& rule) const {
        const auto cron = parse_cron(rule.expression);
        if (!cron) return cron.error();
        return sundial::describe(*cron);
    }
    TimeResult<std::string> operator()(const Rrule& rule) const {
        const auto set = set_of(rule, "UTC");
        if (!set) return set.error();
        return sundial::describe(*set);
    }
    TimeResult<std::string> operator()(const Every& rule) const {
        const auto every = interval_of(rule);
        if (!every) return every.error();
        return describe_interval(*every);
    }
    TimeResult<std::string> operator()(const Yearly& rule) const {
        const auto yearly = yearly_of(rule, {});
        if (!yearly) return yearly.error();
        return sundial::describe(*yearly);
    }
};

embedding::Occurrence shown(const ListedOccurrence& listed, const Zone& zone) {
    const RuleOccurrence& occurrence = listed.occurrence;
    embedding::Occurrence public_one;
    if (!is_skip(occurrence.note)) public_one.at = occurrence.instant;
    public_one.local = format_local_millis(occurrence.instant, zone);
    public_one.note = note_of(listed);
    return public_one;
}

/// The answer of `work`, or the error of a damaged database.
template <class T, class Work>
embedding::Result<T> guarded(const Work& work) {
    try {
        return work();
    } catch (const std::exception& error) {
        return embedding::Error{"CANNOT_START", error.what(), {}};
    }
}

}  // namespace

Calendar::Calendar(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

embedding::Result<Calendar> Calendar::open(const std::string& zoneinfo) {
    return guarded<Calendar>([&]() -> embedding::Result<Calendar> {
        return Calendar{std::make_shared<const Parts>(zoneinfo)};
    });
}

std::string Calendar::release() const { return parts_->zones.current()->release(); }

std::vector<std::string> Calendar::zones() const {
    const auto names = parts_->zones.current()->names();
    return {names.begin(), names.end()};
}

embedding::Result<std::optional<embedding::Instant>> Calendar::instant_of(const std::string& local,
                                                                          const InZone& in) const {
    using Answer = std::optional<embedding::Instant>;
    return guarded<Answer>([&]() -> embedding::Result<Answer> {
        const auto wall = parse_local(local);
        if (!wall) return refusal("local", wall.error());
        if (wall->offset || wall->zone) {
            return refusal("local", "bad_time", "must have no offset and no zone");
        }
        const auto zone = parts_->zones.find(in.timezone);
        if (!zone) return refusal("timezone", zone.error());
        const auto resolved = resolve(wall->wall, **zone, policy_or(in.gap, GapPolicy::compatible),
                                      policy_or(in.overlap, OverlapPolicy::compatible));
        if (!resolved) return refusal("local", resolved.error());
        return Answer{resolved->instant};
    });
}

embedding::Result<std::string> Calendar::local_of(embedding::Instant instant,
                                                  const std::string& timezone) const {
    return guarded<std::string>([&]() -> embedding::Result<std::string> {
        if (!in_range(instant)) {
            return refusal("instant", "out_of_range", "must be in the years 0001 to 9999");
        }
        const auto zone = parts_->zones.find(timezone);
        if (!zone) return refusal("timezone", zone.error());
        return format_local_millis(instant, **zone);
    });
}

embedding::Result<std::vector<embedding::Occurrence>> Calendar::next(const Rule& rule,
                                                                     const InZone& in,
                                                                     embedding::Instant after,
                                                                     std::size_t count) const {
    using Answer = std::vector<embedding::Occurrence>;
    return guarded<Answer>([&]() -> embedding::Result<Answer> {
        if (count < 1 || count > most_occurrences) {
            return refusal("count", "out_of_range", "must be 1 to 1000");
        }
        const auto zones = parts_->zones.current();
        const auto zone = zones->find(in.timezone);
        if (!zone) return refusal("timezone", zone.error());
        const auto recurrence = std::visit(ToRecurrence{in, *zones, *zone}, rule);
        if (!recurrence) return refusal("rule", recurrence.error());
        Answer found;
        const bool in_time = within_effort(max_steps_of_request, [&] {
            ListedOccurrences listed{**recurrence, **zone, after};
            while (found.size() < count) {
                const auto one = listed.next();
                if (!one) break;
                found.push_back(shown(*one, **zone));
            }
        });
        if (!in_time) return refusal("rule", too_expensive());
        return found;
    });
}

embedding::Result<std::string> Calendar::describe(const Rule& rule) const {
    auto words = std::visit(ToWords{}, rule);
    if (!words) return refusal("rule", words.error());
    return *std::move(words);
}

}  // namespace sundial
