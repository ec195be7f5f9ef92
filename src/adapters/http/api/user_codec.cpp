#include "adapters/http/api/user_codec.hpp"

#include "adapters/http/api/json_members.hpp"
#include "base/json_writer.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

void write_reschedule(base::JsonWriter& json, const Reschedule& reschedule) {
    json.key("reschedule").begin_object();
    json.member("rescheduledCount", reschedule.rescheduled)
        .member("skippedCount", reschedule.skipped.size());
    json.member("totalPendingCount", reschedule.total_pending).key("skippedEventIds").begin_array();
    for (const EventId& id : reschedule.skipped) json.value(to_string(id));
    json.end_array().end_object();
}

}  // namespace

UserFields user_fields(const JsonBody& body) {
    const Members members(body);
    return {.external_id = members.text("externalId"),
            .first_name = members.text("firstName").value_or(""),
            .last_name = members.text("lastName").value_or(""),
            .date_of_birth = members.text("dateOfBirth").value_or(""),
            .timezone = members.text("timezone").value_or(""),
            .dates = members.texts("dates"),
            .metadata = members.texts("metadata")};
}

UserEdit user_edit(const JsonBody& body) {
    const Members members(body);
    return {.external_id = members.edit("externalId"),
            .first_name = members.text("firstName"),
            .last_name = members.text("lastName"),
            .date_of_birth = members.text("dateOfBirth"),
            .timezone = members.text("timezone"),
            .dates = members.texts_edit("dates"),
            .metadata = members.texts_edit("metadata")};
}

std::string user_json(const User& user, const std::optional<Reschedule>& reschedule) {
    base::JsonWriter json;
    json.begin_object().member("id", to_string(user.id)).member("externalId", user.external_id);
    json.member("firstName", user.first_name).member("lastName", user.last_name);
    json.member("dateOfBirth", format_date(user.date_of_birth)).member("timezone", user.timezone);
    json.key("dates").begin_object();
    for (const auto& [name, date] : user.dates) json.member(name, format_date(date));
    json.end_object().key("metadata").begin_object();
    for (const auto& [name, text] : user.metadata) json.member(name, text);
    json.end_object().member("version", user.version.value);
    json.member("createdAt", format_instant_millis(user.created_at));
    json.member("updatedAt", format_instant_millis(user.updated_at));
    if (reschedule) write_reschedule(json, *reschedule);
    return std::move(json.end_object()).text();
}

}  // namespace sundial::http
