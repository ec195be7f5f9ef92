#include "adapters/otlp/span_json.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

namespace sundial::otlp {
namespace {

namespace json = boost::json;

const Resource known_resource{.service = "sundial", .version = "1.2.3", .instance = "i-1"};
const TraceContext known_context{
    .trace_id = "0af7651916cd43dd8448eb211c80319c", .span_id = "b7ad6b7169203331", .sampled = true};

json::value body_of(const std::vector<Span>& spans) {
    return json::parse(request_body(known_resource, spans));
}

TEST(SpanJson, IsAnExportRequestOfTheProtocol) {
    Span span{.name = "deliver \"X\"",
              .kind = Span::Kind::client,
              .context = known_context,
              .parent_id = "00f067aa0ba902b7",
              .start = std::chrono::nanoseconds{1'799'150'400'000'000'001},
              .end = std::chrono::nanoseconds{1'799'150'400'500'000'000},
              .attributes = {{"sundial.event.type", std::string("X")},
                             {"http.response.status_code", std::int64_t{204}}}};
    span.links.push_back(known_context);
    span.failed = true;
    span.failure = "HTTP_STATUS";
    EXPECT_EQ(body_of({span}), json::parse(R"({"resourceSpans":[{
        "resource":{"attributes":[
            {"key":"service.name","value":{"stringValue":"sundial"}},
            {"key":"service.version","value":{"stringValue":"1.2.3"}},
            {"key":"telemetry.sdk.name","value":{"stringValue":"sundial"}},
            {"key":"telemetry.sdk.language","value":{"stringValue":"cpp"}},
            {"key":"telemetry.sdk.version","value":{"stringValue":"1.2.3"}},
            {"key":"sundial.instance.id","value":{"stringValue":"i-1"}}]},
        "scopeSpans":[{
            "scope":{"name":"sundial","version":"1.2.3"},
            "spans":[{
                "traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","flags":1,
                "parentSpanId":"00f067aa0ba902b7","name":"deliver \"X\"","kind":3,
                "startTimeUnixNano":"1799150400000000001","endTimeUnixNano":"1799150400500000000",
                "attributes":[
                    {"key":"sundial.event.type","value":{"stringValue":"X"}},
                    {"key":"http.response.status_code","value":{"intValue":"204"}}],
                "links":[{"traceId":"0af7651916cd43dd8448eb211c80319c",
                          "spanId":"b7ad6b7169203331","flags":1}],
                "status":{"message":"HTTP_STATUS","code":2}}]}]}]})"));
}

TEST(SpanJson, LeavesOutWhatASpanDoesNotHave) {
    const auto body = body_of({Span{.name = "claim", .context = known_context}});
    const json::object& span = body.at_pointer("/resourceSpans/0/scopeSpans/0/spans/0").as_object();
    EXPECT_FALSE(span.contains("parentSpanId"));
    EXPECT_FALSE(span.contains("links"));
    EXPECT_FALSE(span.contains("traceState"));
    EXPECT_FALSE(span.contains("status"));
    EXPECT_EQ(span.at("kind"), 1);
}

TEST(SpanJson, HasTheStateOfTheTrace) {
    Span span{.name = "deliver", .context = known_context, .links = {known_context}};
    span.context.state = "rojo=1,congo=2";
    const auto body = body_of({span});
    EXPECT_EQ(body.at_pointer("/resourceSpans/0/scopeSpans/0/spans/0/traceState"),
              "rojo=1,congo=2");
    EXPECT_FALSE(body.at_pointer("/resourceSpans/0/scopeSpans/0/spans/0/links/0")
                     .as_object()
                     .contains("traceState"));
}

}  // namespace
}  // namespace sundial::otlp
