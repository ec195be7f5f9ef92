#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "cli/imports/imported_file.hpp"

namespace sundial::cli {
namespace {

std::optional<int> quartz_number(std::string_view text) {
    int number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size())
        return std::nullopt;
    return number;
}

/// One day of week: 1 is Sunday there, and 0 here. Names stay.
std::string translate_day(std::string_view day, std::string& error) {
    const auto number = quartz_number(day);
    if (!number) return std::string(day);
    if (*number < 1 || *number > 7) {
        error = "'" + std::string(day) + "' is not a day of the week: they are 1 (Sunday) to 7";
        return "";
    }
    return std::to_string(*number - 1);
}

/// A part of the list in the field day-of-week: `2`, `MON-FRI`, `6L`, `6#3`, `2/2`.
std::string translate_days(std::string_view part, std::string& error) {
    if (part == "L") return "6";  // alone: the last day of the week, Saturday
    std::string suffix;
    if (const auto at = part.find_first_of("/#"); at != std::string_view::npos) {
        suffix = part.substr(at);
        part = part.substr(0, at);
    } else if (part.size() > 1 && base::upper(part.back()) == 'L') {
        suffix = "L";
        part.remove_suffix(1);
    }
    const auto dash = part.find('-');
    if (dash == std::string_view::npos) return translate_day(part, error) + suffix;
    return translate_day(part.substr(0, dash), error) + '-' +
           translate_day(part.substr(dash + 1), error) + suffix;
}

std::string translate_days_of_week(std::string_view field, std::string& error) {
    std::string days;
    for (;;) {
        const auto comma = std::min(field.find(','), field.size());
        days += translate_days(field.substr(0, comma), error);
        if (comma == field.size()) return days;
        days += ',';
        field.remove_prefix(comma + 1);
    }
}

/// A year, or a range of years, as start and end.
void set_years(TranslatedCron& cron, std::string_view field) {
    if (field == "*") return;
    const auto dash = field.find('-');
    const auto first = quartz_number(field.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : quartz_number(field.substr(dash + 1));
    if (!first || !last || *first < 1970 || *last > 2199 || *last < *first) {
        cron.error =
            "the years '" + std::string(field) + "' are not one range: make one schedule for each";
        return;
    }
    cron.starts_at = std::to_string(*first) + "-01-01T00:00:00";
    cron.ends_at = std::to_string(*last) + "-12-31T23:59:59";
}

}  // namespace

TranslatedCron translate_quartz_cron(const std::vector<std::string>& fields) {
    TranslatedCron cron;
    if (fields.size() != 6 && fields.size() != 7) {
        cron.error = "has " + std::to_string(fields.size()) + " fields instead of 6 or 7";
        return cron;
    }
    const bool any_date = fields[3] == "?" || fields[3] == "*";
    const bool any_day = fields[5] == "?" || fields[5] == "*";
    if (!any_date && !any_day) {
        cron.error = "restricts both the day of the month and the day of the week: one must be ?";
        return cron;
    }
    const std::string days = translate_days_of_week(fields[5], cron.error);
    if (!cron.error.empty()) return cron;
    if (fields[0] != "0") cron.rule = fields[0] + ' ';
    cron.rule += fields[1] + ' ' + fields[2] + ' ' + (any_date ? "*" : fields[3]) + ' ' +
                 fields[4] + ' ' + (any_day ? "*" : days);
    if (fields.size() == 7) set_years(cron, fields[6]);
    return cron;
}

}  // namespace sundial::cli
