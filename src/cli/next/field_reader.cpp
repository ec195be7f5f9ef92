#include "cli/next/field_reader.hpp"

#include "domain/time/local_request.hpp"
#include "domain/time/quoted.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {
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
