#include "application/requests/schedule_request.hpp"

#include <string_view>
#include <utility>
#include <variant>

#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using base::JsonWriter;

void write(JsonWriter& json, const YearlyTrigger& yearly) {
    json.begin_object().member("on", std::string_view{yearly.on});
    json.member("at", std::string_view{format_time_of_day(yearly.at)}).end_object();
}
void write(JsonWriter& json, const CronTrigger& cron) { json.value(std::string_view{cron.text}); }
void write(JsonWriter& json, const EveryTrigger& every) {
    json.value(std::string_view{format_duration(every.every)});
}

void write_list(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    json.key(name).begin_array();
    for (const std::string& text : texts) json.value(std::string_view{text});
    json.end_array();
}

void write(JsonWriter& json, const RruleTrigger& rule) {
    if (!rule.ical.empty()) {
        json.value(std::string_view{rule.ical});
        return;
    }
    json.begin_object().member("dtstart", std::string_view{rule.dtstart});
    if (rule.rrule) json.member("rrule", std::string_view{*rule.rrule});
    write_list(json, "rdate", rule.rdate);
    write_list(json, "exdate", rule.exdate);
    json.end_object();
}

}  // namespace

std::string trigger_json(const Trigger& trigger) {
    JsonWriter json;
    json.begin_object().key(to_string(kind_of(trigger)));
    std::visit([&](const auto& one) { write(json, one); }, trigger);
    return std::move(json.end_object()).text();
}

}  // namespace sundial
