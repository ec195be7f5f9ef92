#include "application/observation/traced_engine.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/builders.hpp"
#include "support/fake_delivery.hpp"
#include "support/recorded_spans.hpp"

namespace sundial {
namespace {

std::map<std::string, SpanValue> attributes_of(const Span& span) {
    return {span.attributes.begin(), span.attributes.end()};
}

class TracedEngineTest : public testing::Test {
protected:
    Event claimed_event() {
        Event event = an_event().of_type("REMINDER");
        event.attempt = Attempt{2};
        event.updated_at = noon;
        event.state = Processing{instance_a};
        return event;
    }
    RecordedSpans spans;
    TracedEngine engine{spans, instance_a, 1};
};

TEST_F(TracedEngineTest, MakesASpanOfAnAttemptBelowTheRequestThatCreatedTheEvent) {
    Event event = claimed_event();
    event.trace = TraceContext{.trace_id = "0af7651916cd43dd8448eb211c80319c",
                               .span_id = "b7ad6b7169203331",
                               .sampled = true};
    Endpoint endpoint = an_endpoint();
    endpoint.url = "https://crm.example:8443/hook?secret=1";
    Outcome outcome = status_outcome(503);
    outcome.duration = 250ms;
    engine.delivered({event, &endpoint, outcome, noon + 10ms, 1500us});
    ASSERT_EQ(spans.spans.size(), 1U);
    const Span& span = spans.spans.front();
    EXPECT_EQ(span.name, "deliver REMINDER");
    EXPECT_EQ(span.kind, Span::Kind::client);
    EXPECT_EQ(span.context, attempt_context(event, 1));
    EXPECT_EQ(span.parent_id, "b7ad6b7169203331");
    EXPECT_EQ(span.start, (noon + 10ms).time_since_epoch());
    EXPECT_EQ(span.end - span.start, 250ms);
    EXPECT_TRUE(span.failed);
    const auto attributes = attributes_of(span);
    EXPECT_EQ(attributes.at("server.address"), SpanValue{"crm.example"});
    EXPECT_EQ(attributes.at("server.port"), SpanValue{std::int64_t{8443}});
    EXPECT_EQ(attributes.at("http.response.status_code"), SpanValue{std::int64_t{503}});
    EXPECT_EQ(attributes.at("error.type"), SpanValue{"503"});
    EXPECT_EQ(attributes.at("sundial.event.attempt"), SpanValue{std::int64_t{2}});
    EXPECT_EQ(attributes.at("sundial.lateness_ms"), SpanValue{std::int64_t{1}});
    for (const auto& [name, value] : attributes) {
        const auto* text = std::get_if<std::string>(&value);
        EXPECT_TRUE(text == nullptr || text->find("secret") == std::string::npos) << name;
    }
}

TEST_F(TracedEngineTest, LinksAnAttemptToItsClaim) {
    engine.claimed(3, 1, noon, 5ms);
    engine.delivered({claimed_event(), nullptr, accepted_outcome(), noon, 0us});
    ASSERT_EQ(spans.spans.size(), 2U);
    const Span& claim = spans.spans[0];
    EXPECT_EQ(claim.name, "claim");
    EXPECT_TRUE(claim.parent_id.empty());
    EXPECT_EQ(claim.end - claim.start, 5ms);
    EXPECT_EQ(attributes_of(claim).at("sundial.claim.events"), SpanValue{std::int64_t{3}});
    EXPECT_EQ(spans.spans[1].links, std::vector{claim.context});
    EXPECT_FALSE(spans.spans[1].failed);
    EXPECT_TRUE(spans.spans[1].parent_id.empty());
}

TEST_F(TracedEngineTest, MakesASpanOfASettlementFromTheEndOfItsAttempt) {
    const Event event = claimed_event();
    engine.settled({event, EventStatus::completed, 250ms, noon + 300ms, noon + 10ms});
    ASSERT_EQ(spans.spans.size(), 1U);
    const Span& span = spans.spans.front();
    EXPECT_EQ(span.name, "settle");
    EXPECT_EQ(span.context.trace_id, attempt_context(event, 1).trace_id);
    EXPECT_EQ(span.parent_id, attempt_context(event, 1).span_id);
    EXPECT_EQ(span.start, (noon + 260ms).time_since_epoch());
    EXPECT_EQ(span.end, (noon + 300ms).time_since_epoch());
    EXPECT_EQ(attributes_of(span).at("sundial.event.status"), SpanValue{"COMPLETED"});
}

TEST_F(TracedEngineTest, MakesTheSpanOfAPullWorkersAttemptWhenItReports) {
    Event event = claimed_event();
    event.state = Processing{Claimant{instance_a, "worker-1"}};
    engine.delivered({event, nullptr, accepted_outcome(), noon, 0us});  // as SettlePulled reports
    engine.settled({event, EventStatus::failed, 1s, noon + 1s, noon});
    ASSERT_EQ(spans.spans.size(), 2U);  // a span id is of one span
    EXPECT_EQ(spans.spans[0].context, attempt_context(event, 1));
    EXPECT_TRUE(spans.spans[0].failed);
    EXPECT_EQ(spans.spans[1].name, "settle");
}

TEST_F(TracedEngineTest, MakesNoSpanOfWhatIsNotSampled) {
    Event event = claimed_event();
    event.trace = TraceContext{.trace_id = "0af7651916cd43dd8448eb211c80319c",
                               .span_id = "b7ad6b7169203331",
                               .sampled = false};
    engine.delivered({event, nullptr, accepted_outcome(), noon, 0us});
    engine.settled({event, EventStatus::completed, 1ms, noon, noon});
    TracedEngine none{spans, instance_a, 0};
    none.claimed(1, 0, noon, 1ms);
    none.delivered({claimed_event(), nullptr, accepted_outcome(), noon, 0us});
    EXPECT_TRUE(spans.spans.empty());
}

TEST(HostOfUrl, IsTakenFromUrlsOfWebhooks) {
    const auto shown = [](std::string_view url) {
        const auto [host, port] = host_of_url(url);
        return host + '|' + port;
    };
    EXPECT_EQ(shown("https://crm.example/hook"), "crm.example|");
    EXPECT_EQ(shown("https://crm.example:8443?x=1"), "crm.example|8443");
    EXPECT_EQ(shown("http://[::1]:8080/a:b"), "::1|8080");
    EXPECT_EQ(shown("http://[::1]/"), "::1|");
    EXPECT_EQ(shown("https://a:b@crm.example/x@y"), "crm.example|");
    EXPECT_EQ(shown(""), "|");
    EXPECT_EQ(shown("ftp://crm.example"), "|");
}

}  // namespace
}  // namespace sundial
