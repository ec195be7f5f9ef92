#include "cli/imports/person_check.hpp"

#include <boost/json.hpp>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "application/users/edit_user.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

/// Without fields: read_user replaces them all.
User blank_person() {
    return {.id = UserId{Uuid{}},
            .external_id = std::nullopt,
            .first_name = {},
            .last_name = {},
            .date_of_birth = {},
            .timezone = {},
            .dates = {},
            .metadata = {},
            .created_at = {},
            .updated_at = {}};
}

void add_defect(std::string& why, const std::string& defect) {
    why += (why.empty() ? "" : "; ") + defect;
}

void read_person_text(const std::string& pointer, const json::value& value, std::string& text,
                      std::string& why) {
    if (value.is_string()) {
        text = value.get_string();
    } else {
        add_defect(why, pointer + " must be a string");
    }
}

void read_person_texts(const std::string& pointer, const json::value& value,
                       std::map<std::string, std::string>& texts, std::string& why) {
    if (!value.is_object()) return add_defect(why, pointer + " must be an object");
    for (const auto& [name, text] : value.get_object())
        read_person_text(pointer + '/' + std::string(name), text, texts[name], why);
}

void read_person_member(const std::string& name, const json::value& value, UserFields& fields,
                        std::string& why) {
    const std::string pointer = '/' + name;
    if (name == "externalId")
        return read_person_text(pointer, value, fields.external_id.emplace(), why);
    if (name == "firstName") return read_person_text(pointer, value, fields.first_name, why);
    if (name == "lastName") return read_person_text(pointer, value, fields.last_name, why);
    if (name == "dateOfBirth") return read_person_text(pointer, value, fields.date_of_birth, why);
    if (name == "timezone") return read_person_text(pointer, value, fields.timezone, why);
    if (name == "dates") return read_person_texts(pointer, value, fields.dates, why);
    if (name == "metadata") return read_person_texts(pointer, value, fields.metadata, why);
    add_defect(why, pointer + " is not a member here");
}

}  // namespace

std::string refusal_of_person(std::string_view body, const TzData& zones, Instant now) {
    std::string why;
    UserFields fields;
    const json::value person = json::parse(body);
    for (const auto& [name, value] : person.get_object())
        read_person_member(std::string(name), value, fields, why);
    for (const auto& [member, text] : {std::pair{"/firstName", &fields.first_name},
                                       {"/lastName", &fields.last_name},
                                       {"/dateOfBirth", &fields.date_of_birth},
                                       {"/timezone", &fields.timezone}}) {
        if (text->empty()) add_defect(why, std::string(member) + " is required");
    }
    if (!why.empty()) return why;
    const auto user = read_user(blank_person(), fields, zones, now);
    if (user) return why;
    if (const auto* invalid = std::get_if<ValidationFailed>(&user.error())) {
        for (const FieldError& error : invalid->errors)
            add_defect(why, error.pointer + ' ' + error.message);
    }
    return why;
}

}  // namespace sundial::cli
