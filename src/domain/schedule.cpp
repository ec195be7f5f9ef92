#include "domain/schedule.hpp"

#include <algorithm>

#include "domain/enum_names.hpp"
#include "domain/schedule_rule.hpp"
#include "domain/time/cron.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

constexpr EnumNames<2> concurrencies{"allow", "forbid"};

/// `02-29`; empty if `text` is not a date, or a day that no year has.
std::optional<std::chrono::month_day> parse_month_day(std::string_view text) {
    const auto digit = [&](std::size_t i) { return static_cast<unsigned>(text[i] - '0'); };
    const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
    if (text.size() != 5 || text[2] != '-' || std::ranges::count_if(text, is_digit) != 4) {
        return std::nullopt;
    }
    const std::chrono::month_day day{std::chrono::month{10 * digit(0) + digit(1)},
                                     std::chrono::day{10 * digit(3) + digit(4)}};
    return day.ok() ? std::optional{day} : std::nullopt;
}

/// The date that `on` names; only a user's date has a first year.
struct NamedDay {
    std::chrono::month_day day;
    std::optional<std::chrono::year> from;
};
std::optional<NamedDay> find_day(const std::string& on, const User* user) {
    const auto of_date = [](Date date) { return NamedDay{date.month() / date.day(), date.year()}; };
    if (const auto day = parse_month_day(on)) return NamedDay{*day, std::nullopt};
    if (!user) return std::nullopt;
    if (on == "dateOfBirth") return of_date(user->date_of_birth);
    const auto named = user->dates.find(on);
    return named == user->dates.end() ? std::nullopt : std::optional{of_date(named->second)};
}

}  // namespace

std::string_view to_string(Concurrency concurrency) { return name_in(concurrencies, concurrency); }

std::optional<Concurrency> parse_concurrency(std::string_view name) {
    return find_in<Concurrency>(concurrencies, name);
}

std::string describe(const Schedule& schedule) {
    const std::string where =
        schedule.per_user ? " in each user's zone" : ", " + schedule.timezone.value_or("UTC");
    struct Words {
        const std::string& where;
        std::string operator()(const YearlyTrigger& yearly) const {
            return "every year on " + yearly.on + " at " + format_time_of_day(yearly.at) + where;
        }
        std::string operator()(const CronTrigger& cron) const {
            const auto rule = parse_cron(cron.text);
            return (rule ? sundial::describe(*rule) : cron.text) + where;
        }
        std::string operator()(const RruleTrigger& rule) const {
            const auto set = read_rrule(rule);
            return (set ? sundial::describe(*set) : rule.rrule.value_or(rule.ical)) + where;
        }
        std::string operator()(const EveryTrigger& every) const {
            return "every " + format_duration(every.every);
        }
    };
    return std::visit(Words{where}, schedule.trigger);
}

std::optional<YearlyRule> rule_for(const Schedule& schedule, const User* user) {
    const auto* yearly = std::get_if<YearlyTrigger>(&schedule.trigger);
    if (!yearly) return std::nullopt;
    const auto day = find_day(yearly->on, user);
    if (!day) return std::nullopt;
    return YearlyRule{.day = day->day,
                      .from = day->from,
                      .at = yearly->at,
                      .leap = schedule.leap,
                      .gap = schedule.gap,
                      .overlap = schedule.overlap};
}

}  // namespace sundial
