#include "adapters/webhook/request_body.hpp"

#include "base/json_writer.hpp"
#include "domain/time/text.hpp"

namespace sundial::webhook {
namespace {

std::string envelope(const Event& event) {
    base::JsonWriter json;
    json.begin_object()
        .member("type", event.type)
        .member("timestamp", format_instant_millis(event.due))
        .key("data")
        .raw(event.payload)
        .end_object();
    return std::move(json).text();
}

std::string structured(const CloudEvent& event, std::string_view data) {
    base::JsonWriter json;
    json.begin_object()
        .member("specversion", "1.0")
        .member("id", event.id)
        .member("source", event.source)
        .member("type", event.type)
        .member("time", event.time)
        .member("datacontenttype", "application/json")
        .key("data")
        .raw(data)
        .end_object();
    return std::move(json).text();
}

}  // namespace

CloudEvent cloud_event(const Event& event) {
    const auto& occurrence = event.occurrence;
    return {.id = event.key.value,
            .source = occurrence ? "/v1/schedules/" + to_string(occurrence->schedule)
                                 : std::string("/v1/events"),
            .type = event.type,
            .time = format_instant_millis(event.due)};
}

std::string request_body(const Event& event, BodyFormat format) {
    switch (format) {
        case BodyFormat::raw:
            return event.payload;
        case BodyFormat::envelope:
            return envelope(event);
        case BodyFormat::cloudevents:
            break;
    }
    return structured(cloud_event(event), event.payload);
}

std::string content_type(BodyFormat format) {
    return format == BodyFormat::cloudevents ? "application/cloudevents+json; charset=UTF-8"
                                             : "application/json";
}

}  // namespace sundial::webhook
