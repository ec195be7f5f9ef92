#include "domain/trace_context.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/builders.hpp"

namespace sundial {
namespace {

const std::string known_traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(Traceparent, IsReadAndWritten) {
    const auto context = parse_traceparent(known_traceparent);
    ASSERT_TRUE(context);
    EXPECT_EQ(context->trace_id, "0af7651916cd43dd8448eb211c80319c");
    EXPECT_EQ(context->span_id, "b7ad6b7169203331");
    EXPECT_TRUE(context->sampled);
    EXPECT_EQ(traceparent(*context), known_traceparent);
    EXPECT_FALSE(parse_traceparent(known_traceparent.substr(0, 53) + "00")->sampled);
}

TEST(Traceparent, OfALaterVersionIsReadAsFarAsItIsKnown) {
    const auto later = parse_traceparent("01" + known_traceparent.substr(2) + "-and-more");
    ASSERT_TRUE(later);
    EXPECT_EQ(traceparent(*later), known_traceparent);
    EXPECT_EQ(traceparent(*parse_traceparent("cc" + known_traceparent.substr(2))),
              known_traceparent);
    // Of its flags only the first bit is known.
    EXPECT_EQ(traceparent(*parse_traceparent(known_traceparent.substr(0, 53) + "ff")),
              known_traceparent);
}

TEST(Traceparent, ThatBreaksARuleIsNone) {
    const std::string ids = known_traceparent.substr(3, 49);
    for (const std::string& text : std::vector<std::string>{
             "",
             known_traceparent.substr(0, 54),                            // too short
             known_traceparent + "0",                                    // too long
             known_traceparent + "-x",                                   // not of version 00
             "01" + known_traceparent.substr(2) + "x",                   // no dash
             "ff" + known_traceparent.substr(2),                         // reserved version
             "0x" + known_traceparent.substr(2),                         // not hex
             "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",  // upper case
             "00-00000000000000000000000000000000-b7ad6b7169203331-01",  // no trace
             "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",  // no span
             "00_" + ids + "-01",
             "00-" + ids + "_01",
             "00-" + ids + "-0g",
             "00-0af7651916cd43dd8448eb211c80319cab7ad6b7169203331-01",
         }) {
        EXPECT_FALSE(parse_traceparent(text)) << text;
    }
}

std::string members(int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += (i > 0 ? ",k" : "k") + std::to_string(i) + "=v";
    return list;
}

TEST(Tracestate, IsHandedOnWithoutBlanks) {
    const std::vector<std::pair<std::string, std::string>> table{
        {"", ""},
        {"rojo=00f067aa0ba902b7", "rojo=00f067aa0ba902b7"},
        {" rojo=1\t, congo=t6 ,, 0a@b=x y,", "rojo=1,congo=t6,0a@b=x y"},
        {"a_-*/9= spaced ~!", "a_-*/9= spaced ~!"},
        {members(32), members(32)},
        {std::string(256, 'k') + '=' + std::string(255, 'v'),
         std::string(256, 'k') + '=' + std::string(255, 'v')},
    };
    for (const auto& [given, kept] : table) EXPECT_EQ(parse_tracestate(given), kept) << given;
}

TEST(Tracestate, ThatBreaksARuleIsNone) {
    for (const std::string& text : std::vector<std::string>{
             "rojo",
             "=1",
             "rojo=",
             "Rojo=1",
             "rojo =1",
             "@a=1",
             "ro;jo=1",
             "rojo=1=2",
             "rojo=1\x7f",
             "rojo=\xc3\xbc",
             "rojo=1\r\nX: y",
             "rojo=1,congo=2,rojo=3",
             "congo=2,rojo",
             members(33),
             std::string(257, 'k') + "=v",
             "k=" + std::string(257, 'v'),
         }) {
        EXPECT_EQ(parse_tracestate(text), "") << text;
    }
}

TEST(Tracestate, LosesWholeMembersBeyond512CharactersTheLongOnesFirst) {
    const std::string of_100(98, 'v'), of_200(198, 'v');
    const std::string four = "a=" + of_100 + ",b=" + of_100 + ",c=" + of_100 + ",d=" + of_100;
    const std::string of_512 = four + ",e=" + of_100 + ",f=1,g=2";
    EXPECT_EQ(parse_tracestate(of_512), of_512);
    EXPECT_EQ(parse_tracestate(of_512 + "2"), four + ",e=" + of_100 + ",f=1");
    EXPECT_EQ(parse_tracestate("z=" + of_200 + ',' + four), four);
    EXPECT_EQ(parse_tracestate("y=" + of_200 + ",z=" + of_200 + ",a=" + of_100 + ",b=" + of_100),
              "y=" + of_200 + ",a=" + of_100 + ",b=" + of_100);
}

TEST(StoredTrace, HasTheStateBehindATraceparentThatOthersRead) {
    auto context = parse_traceparent(known_traceparent).value();
    EXPECT_EQ(stored_form(context), known_traceparent);
    EXPECT_EQ(parse_stored_trace(known_traceparent), context);
    context.state = "rojo=1,congo=t-6";
    const std::string stored = "01" + known_traceparent.substr(2) + "-rojo=1,congo=t-6";
    EXPECT_EQ(stored_form(context), stored);
    EXPECT_EQ(parse_stored_trace(stored), context);
    // A program that does not know the form, and every place that shows a traceparent.
    EXPECT_EQ(traceparent(parse_traceparent(stored).value()), known_traceparent);
    EXPECT_EQ(traceparent(context), known_traceparent);
    EXPECT_FALSE(parse_stored_trace("rojo=1"));
}

TEST(AttemptContext, IsOneTraceForEachEventAndOneSpanForEachAttempt) {
    Event event = an_event().with_id(EventId{uuid_of(1)});
    event.attempt = Attempt{1};
    const TraceContext first = attempt_context(event, 1);
    EXPECT_EQ(attempt_context(event, 1), first);
    EXPECT_EQ(parse_traceparent(traceparent(first)), first);
    event.attempt = Attempt{2};
    const TraceContext second = attempt_context(event, 1);
    EXPECT_EQ(second.trace_id, first.trace_id);
    EXPECT_NE(second.span_id, first.span_id);
    Event other = an_event().with_id(EventId{uuid_of(2)});
    other.attempt = Attempt{1};
    EXPECT_NE(attempt_context(other, 1).trace_id, first.trace_id);
    EXPECT_NE(attempt_context(other, 1).span_id, first.span_id);
}

TEST(AttemptContext, StaysInTheTraceOfTheRequestAndFollowsItsDecision) {
    Event event = an_event();
    event.trace = parse_traceparent(known_traceparent);
    EXPECT_EQ(attempt_context(event, 0).trace_id, event.trace->trace_id);
    EXPECT_NE(attempt_context(event, 0).span_id, event.trace->span_id);
    EXPECT_TRUE(attempt_context(event, 0).sampled);
    event.trace->sampled = false;
    event.trace->state = "rojo=1";
    EXPECT_FALSE(attempt_context(event, 1).sampled);
    EXPECT_EQ(attempt_context(event, 1).state, "rojo=1");
}

TEST(NewContext, IsBelowItsParentOrTheFirstOfATrace) {
    const auto parent = parse_traceparent(known_traceparent);
    const TraceContext below = new_context(uuid_of(1), parent, 0);
    EXPECT_EQ(below.trace_id, parent->trace_id);
    EXPECT_NE(below.span_id, parent->span_id);
    EXPECT_TRUE(below.sampled);
    const TraceContext first = new_context(uuid_of(1), std::nullopt, 0);
    EXPECT_NE(first.trace_id, parent->trace_id);
    EXPECT_FALSE(first.sampled);
    EXPECT_TRUE(new_context(uuid_of(1), std::nullopt, 1).sampled);
}

TEST(Sampling, TakesItsShareOfTracesAndEachTraceEverywhere) {
    constexpr int traces = 20'000;
    for (const double share : {0.0, 0.1, 0.5, 1.0}) {
        int sampled = 0;
        std::set<std::string> ids;
        for (std::uint64_t i = 0; i < traces; ++i) {
            Event event = an_event().with_id(EventId{uuid_of(i)});
            const TraceContext context = attempt_context(event, share);
            ids.insert(context.trace_id);
            if (context.sampled) ++sampled;
            EXPECT_EQ(is_sampled(context.trace_id, share), context.sampled);
        }
        EXPECT_EQ(ids.size(), std::size_t{traces});
        const double deviation = 5 * std::sqrt(traces * share * (1 - share));
        EXPECT_NEAR(sampled, traces * share, deviation + 0.5) << share;
    }
}

TEST(ClaimContext, IsTheSameForAllEventsOfAClaim) {
    EXPECT_EQ(claim_context(instance_a, noon, 1), claim_context(instance_a, noon, 1));
    EXPECT_NE(claim_context(instance_a, noon, 1), claim_context(instance_b, noon, 1));
    EXPECT_NE(claim_context(instance_a, noon, 1), claim_context(instance_a, noon + 1us, 1));
}

}  // namespace
}  // namespace sundial
