#include "adapters/otlp/span_json.hpp"

#include <string_view>
#include <variant>

#include "base/json.hpp"
#include "base/text.hpp"

namespace sundial::otlp {
namespace {

constexpr int error_status = 2;  // STATUS_CODE_ERROR

void write_attribute(base::JsonWriter& json, std::string_view name, const SpanValue& value) {
    json.begin_object().member("key", name).key("value").begin_object();
    if (const auto* text = std::get_if<std::string>(&value)) {
        json.member("stringValue", *text);
    } else {
        json.member("intValue", std::to_string(std::get<std::int64_t>(value)));
    }
    json.end_object().end_object();
}

void write_context(base::JsonWriter& json, const TraceContext& context) {
    json.member("traceId", context.trace_id).member("spanId", context.span_id);
    json.member("flags", context.sampled ? 1 : 0);
    if (!context.state.empty()) json.member("traceState", context.state);
}

void write_span(base::JsonWriter& json, const Span& span) {
    json.begin_object();
    write_context(json, span.context);
    if (!span.parent_id.empty()) json.member("parentSpanId", span.parent_id);
    json.member("name", span.name).member("kind", static_cast<int>(span.kind));
    json.member("startTimeUnixNano", std::to_string(span.start.count()));
    json.member("endTimeUnixNano", std::to_string(span.end.count()));
    json.key("attributes").begin_array();
    for (const auto& [name, value] : span.attributes) write_attribute(json, name, value);
    json.end_array();
    if (!span.links.empty()) {
        json.key("links").begin_array();
        for (const TraceContext& link : span.links) {
            json.begin_object();
            write_context(json, link);
            json.end_object();
        }
        json.end_array();
    }
    if (span.failed) {
        json.key("status").begin_object();
        if (!span.failure.empty()) json.member("message", span.failure);
        json.member("code", error_status).end_object();
    }
    json.end_object();
}

}  // namespace

std::string request_body(const Resource& resource, std::span<const Span> spans) {
    base::JsonWriter json;
    json.begin_object().key("resourceSpans").begin_array().begin_object();
    json.key("resource").begin_object().key("attributes").begin_array();
    write_attribute(json, "service.name", resource.service);
    write_attribute(json, "service.version", resource.version);
    write_attribute(json, "telemetry.sdk.name", std::string("sundial"));
    write_attribute(json, "telemetry.sdk.language", std::string("cpp"));
    write_attribute(json, "telemetry.sdk.version", resource.version);
    write_attribute(json, "sundial.instance.id", resource.instance);
    json.end_array().end_object();
    json.key("scopeSpans").begin_array().begin_object();
    json.key("scope").begin_object().member("name", "sundial").member("version", resource.version);
    json.end_object().key("spans").begin_array();
    for (const Span& span : spans) write_span(json, span);
    json.end_array().end_object().end_array();  // spans, one scope, scopeSpans
    return std::move(json.end_object().end_array().end_object()).text();
}

}  // namespace sundial::otlp
