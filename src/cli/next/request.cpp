#include "cli/next/request.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {
namespace {

enum class FieldType : std::uint8_t { id, text, texts, number, request };
enum class Presence : bool { optional, required };

struct Field {
    std::string_view name;
    Presence presence = Presence::optional;
    FieldType type = FieldType::text;
    bool of_lines = false;  // only requests on their own lines have it
};

constexpr Field must(std::string_view name) { return {name, Presence::required}; }
constexpr Field may(std::string_view name, FieldType type = FieldType::text) {
    return {name, Presence::optional, type};
}
constexpr Field of_lines(Field field) {
    field.of_lines = true;
    return field;
}

constexpr Field id_field = of_lines(may("id", FieldType::id));
constexpr Field kind_field = must("kind");
constexpr Field count_field = of_lines(may("count", FieldType::number));

constexpr std::array tzdb_fields{id_field, kind_field};
constexpr std::array instant_fields{id_field, kind_field, must("instant")};
constexpr std::array local_fields{id_field,    kind_field, must("local"),
                                  may("zone"), may("gap"), may("overlap")};
constexpr std::array yearly_fields{id_field,    kind_field,     must("date"),
                                   may("time"), must("zone"),   may("leap"),
                                   may("gap"),  may("overlap"), of_lines(must("after")),
                                   count_field};
constexpr std::array cron_fields{id_field,
                                 kind_field,
                                 must("expr"),
                                 must("zone"),
                                 may("gap"),
                                 may("overlap"),
                                 of_lines(must("after")),
                                 count_field};
constexpr std::array rrule_fields{id_field,
                                  kind_field,
                                  may("dtstart"),
                                  may("zone"),
                                  may("rrule"),
                                  may("rdate", FieldType::texts),
                                  may("exdate", FieldType::texts),
                                  may("ical"),
                                  may("gap"),
                                  may("overlap"),
                                  of_lines(may("after")),
                                  count_field};
constexpr std::array interval_fields{
    id_field, kind_field, must("start"), must("every"), of_lines(may("after")), count_field};
constexpr std::array misfire_fields{
    id_field,      kind_field,   Field{"schedule", Presence::required, FieldType::request},
    must("last"),  must("now"),  may("policy"),
    may("window"), may("grace"), may("limit", FieldType::number)};

struct KindFields {
    RequestKind kind;
    std::string_view name;
    std::span<const Field> fields;
    bool schedule = true;  // whether misfire accepts it
};
constexpr std::array kinds{
    KindFields{RequestKind::tzdb, "tzdb", tzdb_fields, false},
    KindFields{RequestKind::instant, "instant", instant_fields},
    KindFields{RequestKind::local, "local", local_fields},
    KindFields{RequestKind::yearly, "yearly", yearly_fields},
    KindFields{RequestKind::cron, "cron", cron_fields},
    KindFields{RequestKind::rrule, "rrule", rrule_fields},
    KindFields{RequestKind::interval, "interval", interval_fields},
    KindFields{RequestKind::misfire, "misfire", misfire_fields, false},
};

constexpr std::int64_t max = 10'000;

TimeError bad_request(std::string message) {
    return {TimeErrorCode::bad_request, std::move(message)};
}

bool belongs(const KindFields& to, RequestPlace place) {
    return place == RequestPlace::line || to.schedule;
}
bool belongs(const Field& field, RequestPlace place) {
    return place == RequestPlace::line || !field.of_lines;
}

std::vector<std::string_view> names_of(const auto& entries, RequestPlace place) {
    std::vector<std::string_view> names;
    for (const auto& entry : entries) {
        if (belongs(entry, place)) names.push_back(entry.name);
    }
    return names;
}

TimeResult<const KindFields*> find_kind(const JsonValue::Object& members, RequestPlace place) {
    const auto names = [place] { return names_of(kinds, place); };
    const auto one_of = [&] { return "it is one of " + listed(names()); };
    const JsonValue* given = find_member(members, "kind");
    if (given == nullptr) return bad_request("kind is missing; " + one_of());
    const auto* name = std::get_if<std::string>(&given->value);
    if (name == nullptr) return bad_request("kind must be a string; " + one_of());
    const auto found = std::ranges::find(kinds, *name, &KindFields::name);
    if (found == kinds.end() || !belongs(*found, place))
        return bad_request("kind " + quoted(*name) + " is not known here" +
                           did_you_mean(*name, names()) + "; " + one_of());
    return &*found;
}

std::optional<std::string> defect_in_number(const JsonValue& value) {
    const auto* small = std::get_if<std::int64_t>(&value.value);
    if (small != nullptr && *small >= 1 && *small <= max) return std::nullopt;
    return "must be an integer from 1 to " + std::to_string(max);
}

/// Describes the expected type if `value` has another one.
std::optional<std::string> defect(FieldType type, const JsonValue& value) {
    const auto is_text = [](const JsonValue& each) {
        return std::holds_alternative<std::string>(each.value);
    };
    switch (type) {
        case FieldType::id:
            if (is_text(value) || std::holds_alternative<std::int64_t>(value.value) ||
                std::holds_alternative<std::uint64_t>(value.value))
                return std::nullopt;
            return "must be a string or an integer of 64 bits";
        case FieldType::text:
            if (is_text(value)) return std::nullopt;
            return "must be a string";
        case FieldType::texts: {
            const auto* list = std::get_if<JsonValue::List>(&value.value);
            if (list != nullptr && std::ranges::all_of(*list, is_text)) return std::nullopt;
            return "must be a list of strings";
        }
        case FieldType::number:
            return defect_in_number(value);
        case FieldType::request:
            if (std::holds_alternative<JsonValue::Object>(value.value)) return std::nullopt;
            return "must be an object, a request of its own without id, after and count";
    }
    base::check(false);
    return {};
}

std::optional<TimeError> defect_in_fields(const KindFields& expected,
                                          const JsonValue::Object& members, RequestPlace place) {
    const auto names = [&] { return names_of(expected.fields, place); };
    const auto takes = [&] {
        return "kind '" + std::string(expected.name) + "' takes " + listed(names());
    };
    for (const auto& [name, value] : members) {
        const auto field = std::ranges::find(expected.fields, name, &Field::name);
        if (field == expected.fields.end() || !belongs(*field, place))
            return bad_request("the field " + quoted(name) + " is not known here" +
                               did_you_mean(name, names()) + "; " + takes());
        if (const auto wrong = defect(field->type, value))
            return bad_request(std::string(field->name) + " " + *wrong);
    }
    for (const Field& field : expected.fields) {
        if (field.presence == Presence::required && belongs(field, place) &&
            find_member(members, field.name) == nullptr)
            return bad_request(std::string(field.name) + " is missing; " + takes());
    }
    return std::nullopt;
}

}  // namespace

TimeResult<Request> Request::read(const JsonValue::Object& members, RequestPlace place) {
    const auto kind = find_kind(members, place);
    if (!kind) return kind.error();
    if (auto wrong = defect_in_fields(**kind, members, place)) return std::move(*wrong);
    return Request((*kind)->kind, place, members);
}

bool Request::has(std::string_view field) const { return find_member(*members_, field) != nullptr; }

std::optional<std::string_view> Request::text(std::string_view field) const {
    const JsonValue* value = find_member(*members_, field);
    if (value == nullptr) return std::nullopt;
    return std::get<std::string>(value->value);
}

std::vector<std::string_view> Request::texts(std::string_view field) const {
    std::vector<std::string_view> found;
    if (const JsonValue* value = find_member(*members_, field)) {
        for (const JsonValue& each : std::get<JsonValue::List>(value->value))
            found.emplace_back(std::get<std::string>(each.value));
    }
    return found;
}

std::uint32_t Request::number(std::string_view field, std::uint32_t otherwise) const {
    const JsonValue* value = find_member(*members_, field);
    if (value == nullptr) return otherwise;
    return static_cast<std::uint32_t>(std::get<std::int64_t>(value->value));
}

const JsonValue::Object& Request::object(std::string_view field) const {
    const JsonValue* value = find_member(*members_, field);
    base::check(value != nullptr);
    return std::get<JsonValue::Object>(value->value);
}

std::string did_you_mean(std::string_view wrong, std::span<const std::string_view> names) {
    const std::vector<std::string> candidates(names.begin(), names.end());
    const auto near = base::nearest(wrong, candidates);
    return near ? "; did you mean '" + *near + "'?" : "";
}

std::string listed(std::span<const std::string_view> names) {
    std::string text;
    for (const std::string_view name : names) {
        if (!text.empty()) text += ", ";
        text += name;
    }
    return text;
}

namespace {

/// The field's name on the command line, where it differs.
std::string_view spoken_name(std::string_view field) {
    if (field == "start") return "--dtstart";
    if (field == "time") return "--at";
    return field;
}

}  // namespace

void FieldReader::fail(std::string_view field, const TimeError& error) {
    if (error_) return;
    std::string path = request_.place() == RequestPlace::schedule ? "schedule" : "";
    if (!path.empty() && !field.empty()) path += '.';
    path += request_.place() == RequestPlace::expression ? spoken_name(field) : field;
    error_ = TimeError{error.code, (path.empty() ? "" : path + ": ") + error.message};
}

std::optional<Instant> FieldReader::instant(std::string_view field) {
    const auto text = read(field, parse_instant);
    if (!text) return std::nullopt;
    if (!text->zone) return text->instant;
    const auto zone = zone_named(*text->zone, field);
    if (!zone) return std::nullopt;
    if (const auto defect = offset_defect(*text, *zone)) fail(field, *defect);
    return text->instant;
}

std::shared_ptr<const Zone> FieldReader::zone(std::string_view field) {
    const auto name = request_.text(field);
    return name ? zone_named(*name, field) : nullptr;
}

std::shared_ptr<const Zone> FieldReader::zone_named(std::string_view name, std::string_view field) {
    return taken(field, zones_.find(name)).value_or(nullptr);
}

TimeError FieldReader::unknown_policy(std::string_view name,
                                      std::span<const std::string_view> names) {
    return {TimeErrorCode::bad_request, quoted(name) + " is not a policy here" +
                                            did_you_mean(name, names) + "; it is one of " +
                                            listed(names)};
}

}  // namespace sundial::cli
