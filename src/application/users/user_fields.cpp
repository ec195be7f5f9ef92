#include "application/users/user_fields.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "domain/names.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

/// Replaces a date that cannot be read, so that the other fields are still validated.
constexpr Date some_date = std::chrono::year{2000} / 1 / 1;

Date read_date(std::string pointer, const std::string& text, std::vector<FieldError>& defects) {
    const auto date = parse_date(text);
    if (date) return *date;
    const TimeError& error = date.error();
    defects.push_back({std::move(pointer), std::string{to_string(error.code)}, error.message});
    return some_date;
}

/// For an unknown zone: the latest date of any zone, so that only the zone is refused.
Date today_in(const Zone* zone, Instant now) {
    constexpr std::chrono::hours furthest_east{14};
    const WallTime wall =
        zone ? wall_time_at(*zone, now) : WallTime{now.time_since_epoch() + furthest_east};
    return Date{std::chrono::floor<std::chrono::days>(wall)};
}

}  // namespace

UserFields fields_of(const User& user) {
    UserFields fields{.external_id = user.external_id,
                      .first_name = user.first_name,
                      .last_name = user.last_name,
                      .date_of_birth = format_date(user.date_of_birth),
                      .timezone = user.timezone,
                      .dates = {},
                      .metadata = user.metadata};
    for (const auto& [name, date] : user.dates) fields.dates.emplace(name, format_date(date));
    return fields;
}

UserFields edited(UserFields fields, const UserEdit& edit) {
    if (edit.external_id) fields.external_id = *edit.external_id;
    if (edit.first_name) fields.first_name = *edit.first_name;
    if (edit.last_name) fields.last_name = *edit.last_name;
    if (edit.date_of_birth) fields.date_of_birth = *edit.date_of_birth;
    if (edit.timezone) fields.timezone = *edit.timezone;
    fields.dates = edited(std::move(fields.dates), edit.dates);
    fields.metadata = edited(std::move(fields.metadata), edit.metadata);
    return fields;
}

Result<User> read_user(User user, const UserFields& fields, const TzData& zones, Instant now) {
    std::vector<FieldError> found;
    user.external_id = fields.external_id;
    user.first_name = fields.first_name;
    user.last_name = fields.last_name;
    user.date_of_birth = read_date("/dateOfBirth", fields.date_of_birth, found);
    user.timezone = fields.timezone;
    user.dates.clear();
    for (const auto& [name, text] : fields.dates) {
        user.dates.emplace(name, read_date(json_pointer("/dates", name), text, found));
    }
    user.metadata = fields.metadata;

    const auto zone = zones.find(fields.timezone);
    if (!zone) {
        found.push_back(
            {"/timezone", std::string{to_string(zone.error().code)}, zone.error().message});
    }
    auto others = defects(user, today_in(zone ? zone->get() : nullptr, now));
    std::move(others.begin(), others.end(), std::back_inserter(found));
    if (!found.empty()) return ValidationFailed{std::move(found)};
    return user;
}

}  // namespace sundial
