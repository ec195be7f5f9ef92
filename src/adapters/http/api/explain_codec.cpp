#include "adapters/http/api/explain_codec.hpp"

#include "base/json_writer.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

struct Write {
    base::JsonWriter& json;
    void operator()(std::nullptr_t) const { json.null(); }
    void operator()(std::int64_t number) const { json.value(number); }
    void operator()(const std::string& text) const { json.value(std::string_view{text}); }
};

}  // namespace

std::string explanation_json(const Explanation& explanation) {
    const Event& event = explanation.event;
    base::JsonWriter json;
    json.begin_object().member("eventId", to_string(event.id));
    json.member("status", to_string(status_of(event))).member("summary", explanation.summary);
    json.key("steps").begin_array();
    for (const ExplainedStep& step : explanation.steps) {
        json.begin_object().member("step", step.step).member("text", step.text);
        for (const auto& [name, value] : step.members) {
            json.key(name);
            std::visit(Write{json}, value);
        }
        json.end_object();
    }
    json.end_array().key("waitsFor");
    if (const auto& wait = explanation.wait) {
        json.begin_object().member("what", wait->what).member("text", wait->text);
        json.member("until", wait->until ? std::optional(format_instant_millis(*wait->until))
                                         : std::nullopt);
        json.end_object();
    } else {
        json.null();
    }
    return std::move(json.end_object()).text();
}

}  // namespace sundial::http
