#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "adapters/webhook/request.hpp"
#include "support/builders.hpp"

namespace sundial::webhook {
namespace {

using testing::Contains;
using testing::Key;
using testing::MatchesRegex;
using testing::Not;
using testing::Pair;

const std::vector<OpenKey> keys{{SignatureScheme::v1, std::string(32, 'k')}};

DeliveryRequest request_of(BodyFormat format, std::uint32_t attempt = 1) {
    Event event = an_event().with_key("renewal-7").of_type("REMINDER").due(noon);
    event.id = EventId{uuid_of(7)};
    event.attempt = Attempt{attempt};
    return {event, std::make_shared<const Endpoint>(an_endpoint().with_format(format).build()),
            "2027-01-05T13:00:00+01:00[Europe/Paris]", noon + std::chrono::seconds(attempt)};
}

std::map<std::string, std::string> headers_of(const DeliveryRequest& request) {
    const Credentials credentials{.keys = keys, .headers = {{"X-Team", "crm"}}};
    const auto headers = request_headers(
        request, request_body(request.event, request.endpoint->format), credentials, "sundial/1");
    std::map<std::string, std::string> named(headers.begin(), headers.end());
    EXPECT_EQ(named.size(), headers.size()) << "a header stands there twice";
    return named;
}

TEST(RequestHeaders, AreThoseOfTheSpecification) {
    const auto headers = headers_of(request_of(BodyFormat::raw, 3));
    for (const auto& [name, value] : std::map<std::string, std::string>{
             {"Content-Type", "application/json"},
             {"Content-Length", "16"},
             {"User-Agent", "sundial/1"},
             {"webhook-id", "renewal-7"},
             {"X-Idempotency-Key", "renewal-7"},
             {"Idempotency-Key", "\"renewal-7\""},
             {"webhook-timestamp", "1799150403"},
             {"Sundial-Event-Id", to_string(uuid_of(7))},
             {"Sundial-Event-Type", "REMINDER"},
             {"Sundial-Attempt", "3"},
             {"Sundial-Target-Time", "2027-01-05T13:00:00+01:00[Europe/Paris]"},
             {"ce-specversion", "1.0"},
             {"ce-id", "renewal-7"},
             {"ce-source", "/v1/events"},
             {"ce-type", "REMINDER"},
             {"ce-time", "2027-01-05T12:00:00.000Z"},
             {"X-Team", "crm"}}) {
        EXPECT_THAT(headers, Contains(Pair(name, value)));
    }
    EXPECT_THAT(headers,
                Contains(Pair("webhook-signature", MatchesRegex("v1,[A-Za-z0-9+/]{43}="))));
    EXPECT_THAT(headers,
                Contains(Pair("traceparent", MatchesRegex("00-[0-9a-f]{32}-[0-9a-f]{16}-01"))));
    EXPECT_EQ(headers.size(), 19U);
}

TEST(RequestHeaders, OfTheNextAttemptDifferInNothingButNumberTimestampSignatureAndParent) {
    const auto first = headers_of(request_of(BodyFormat::raw, 1));
    const auto second = headers_of(request_of(BodyFormat::raw, 2));
    std::set<std::string> differ;
    for (const auto& [name, value] : first) {
        if (second.at(name) != value) differ.insert(name);
    }
    EXPECT_EQ(differ, (std::set<std::string>{"Sundial-Attempt", "webhook-timestamp",
                                             "webhook-signature", "traceparent"}));
}

TEST(RequestHeaders, SayCloudEventsBinaryModeOfRawBodiesOnly) {
    EXPECT_THAT(headers_of(request_of(BodyFormat::envelope)), Not(Contains(Key("ce-id"))));
    const auto structured = headers_of(request_of(BodyFormat::cloudevents));
    EXPECT_THAT(structured, Not(Contains(Key("ce-id"))));
    EXPECT_THAT(structured,
                Contains(Pair("Content-Type", "application/cloudevents+json; charset=UTF-8")));
}

TEST(RequestHeaders, WithoutKeysNothingIsSigned) {
    const auto request = request_of(BodyFormat::raw);
    EXPECT_THAT(request_headers(request, request.event->payload, {}, "sundial/1"),
                Not(Contains(Key("webhook-signature"))));
}

TEST(RequestBody, IsThePayloadOrStandsAroundIt) {
    Event event = an_event().with_key("renewal-7").of_type("REMINDER").due(noon);
    event.payload = R"({ "text": "as it came" })";
    EXPECT_EQ(request_body(event, BodyFormat::raw), event.payload);
    EXPECT_EQ(request_body(event, BodyFormat::envelope),
              R"({"type":"REMINDER","timestamp":"2027-01-05T12:00:00.000Z",)"
              R"("data":{ "text": "as it came" }})");
    event.occurrence =
        Occurrence{ScheduleId{uuid_of(9)}, Version{1}, Nominal{std::chrono::year{2027} / 1 / 5}};
    EXPECT_EQ(request_body(event, BodyFormat::cloudevents),
              R"({"specversion":"1.0","id":"renewal-7","source":"/v1/schedules/)" +
                  to_string(uuid_of(9)) +
                  R"(","type":"REMINDER","time":"2027-01-05T12:00:00.000Z",)"
                  R"("datacontenttype":"application/json","data":{ "text": "as it came" }})");
}

TEST(RequestBody, NeverChangesFromAttemptToAttempt) {
    Event event = an_event().due(noon);
    for (const BodyFormat format :
         {BodyFormat::raw, BodyFormat::envelope, BodyFormat::cloudevents}) {
        event.attempt = Attempt{1};
        const std::string first = request_body(event, format);
        event.attempt = Attempt{7};
        event.version = base::next(event.version);
        event.updated_at = noon + 24h;
        EXPECT_EQ(request_body(event, format), first);
    }
}

TEST(RequestHeaders, NameTheTraceOfTheRequestThatCreatedTheEvent) {
    DeliveryRequest request = request_of(BodyFormat::raw);
    Event traced = request.event;
    traced.trace = TraceContext{.trace_id = "0af7651916cd43dd8448eb211c80319c",
                                .span_id = "b7ad6b7169203331",
                                .sampled = false};
    request.event = std::move(traced);
    EXPECT_THAT(headers_of(request),
                Contains(Pair("traceparent", MatchesRegex("00-0af7651916cd43dd8448eb211c80319c-"
                                                          "[0-9a-f]{16}-00"))));
    EXPECT_THAT(headers_of(request), Not(Contains(Key("tracestate"))));
    request.trace = TraceContext{.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736",
                                 .span_id = "00f067aa0ba902b7",
                                 .sampled = true};
    EXPECT_EQ(headers_of(request).at("traceparent"),
              "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    request.trace->state = "rojo=1,congo=2";
    EXPECT_EQ(headers_of(request).at("tracestate"), "rojo=1,congo=2");
    EXPECT_EQ(headers_of(request).at("traceparent"),
              "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
}

}  // namespace
}  // namespace sundial::webhook
