#include "adapters/otlp/exporter.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "domain/trace_context.hpp"
#include "support/fake_ids.hpp"
#include "support/recorded_log.hpp"

namespace sundial::otlp {
namespace {

using namespace std::chrono_literals;
using Result = Receipt::Result;

/// Records each batch, and answers in the order of `answers`; then it accepts.
class FakeCollector {
public:
    Receipt take(const std::string& body, const std::atomic<bool>& stopping) {
        std::unique_lock lock(mutex_);
        bodies_.push_back(body);
        changed_.notify_all();
        // Polled: an abort is a flag, as for libcurl.
        while (hangs && !stopping) changed_.wait_for(lock, 1ms);
        if (hangs) return {.reason = "aborted"};
        if (answers.empty()) return {.result = Result::accepted};
        const Receipt answer = answers.front();
        answers.pop_front();
        return answer;
    }
    void wait_for(std::size_t batches) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return bodies_.size() >= batches; });
    }
    std::vector<std::string> bodies() {
        const std::lock_guard lock(mutex_);
        return bodies_;
    }
    std::deque<Receipt> answers;
    std::atomic<bool> hangs{false};

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::string> bodies_;
};

class ExporterTest : public testing::Test {
protected:
    void start(ExporterSettings settings) {
        settings.resource = {.service = "sundial", .version = "1", .instance = "i"};
        settings.delay = 1ms;
        settings.first_pause = 1ms;
        exporter = std::make_unique<Exporter>(
            settings,
            Exporter::World{.now = [] { return std::chrono::nanoseconds{1}; },
                            .ids = ids,
                            .random = random,
                            .log = log,
                            .send =
                                [this](const std::string& body, const std::atomic<bool>& stopping) {
                                    return collector.take(body, stopping);
                                }});
    }
    void record(const std::string& name, bool sampled = true) {
        TraceContext context = new_context(ids.fresh(), std::nullopt, 1);
        context.sampled = sampled;
        exporter->end(Span{.name = name, .context = context});
    }
    /// Ends the exporter; what it had is sent or counted then.
    ExportCounts final_counts() {
        const ExportCounts before = exporter->counts();
        exporter.reset();
        return before;
    }

    FakeIds ids;
    FakeRandom random;
    RecordedLog log;
    FakeCollector collector;
    std::unique_ptr<Exporter> exporter;
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST_F(ExporterTest, SendsSampledSpansOnly) {
    start({});
    record("unseen", false);
    record("seen");
    collector.wait_for(1);
    exporter.reset();
    ASSERT_EQ(collector.bodies().size(), 1U);
    EXPECT_TRUE(contains(collector.bodies()[0], R"("name":"seen")"));
    EXPECT_FALSE(contains(collector.bodies()[0], "unseen"));
}

TEST_F(ExporterTest, RepeatsABatchAsItWasUntilItIsAccepted) {
    collector.answers = {{.reason = "refused connection"}, {.after = 1ms, .reason = "503"}};
    start({});
    record("one");
    collector.wait_for(3);
    exporter.reset();
    const auto bodies = collector.bodies();
    ASSERT_EQ(bodies.size(), 3U);
    EXPECT_EQ(bodies[0], bodies[1]);
    EXPECT_EQ(bodies[0], bodies[2]);
    EXPECT_TRUE(log.lines().empty());
}

TEST_F(ExporterTest, DropsABatchThatNoAttemptDeliversAndSaysSoOnce) {
    collector.answers = {6, Receipt{.reason = "connection refused"}};
    start({.batch = 1, .tries = 3});
    record("one");
    collector.wait_for(3);
    record("two");
    collector.wait_for(6);
    record("three");
    collector.wait_for(7);
    record("four");
    collector.wait_for(8);  // so the third one is counted
    const ExportCounts counts = final_counts();
    EXPECT_EQ(counts.unreachable, 2U);
    EXPECT_GE(counts.exported, 1U);
    ASSERT_EQ(log.lines().size(), 1U);
    EXPECT_EQ(log.lines()[0].event_name, "traces.lost");
}

TEST_F(ExporterTest, RepeatsNoBatchThatTheCollectorRefuses) {
    collector.answers = {{.result = Result::refused, .reason = "HTTP status 400"},
                         {.result = Result::accepted, .rejected = 1}};
    start({.batch = 1});
    record("one");
    collector.wait_for(1);
    record("two");
    collector.wait_for(2);
    record("three");
    collector.wait_for(3);
    const ExportCounts counts = final_counts();
    EXPECT_EQ(counts.refused, 2U);
    EXPECT_EQ(collector.bodies().size(), 3U);
}

TEST_F(ExporterTest, CountsSpansThatFindTheQueueFullAndNeverWaits) {
    collector.hangs = true;
    start({.queue = 3, .batch = 1, .flush_within = 1ms});
    record("first");
    collector.wait_for(1);  // the thread is busy with it
    for (int i = 0; i < 10; ++i) record("more");
    EXPECT_EQ(exporter->counts().queue_full, 7U);
    exporter.reset();  // although the collector hangs
}

TEST_F(ExporterTest, SendsWhatWaitsWhenItEnds) {
    start({.batch = 2});
    for (int i = 0; i < 5; ++i) record("span");
    exporter.reset();
    std::size_t spans = 0;
    for (const std::string& body : collector.bodies()) {
        for (auto at = body.find("\"spanId\""); at != std::string::npos;
             at = body.find("\"spanId\"", at + 1)) {
            ++spans;
        }
    }
    EXPECT_EQ(spans, 5U);
}

TEST_F(ExporterTest, BeginsTracesAtItsShareAndFollowsCallers) {
    start({.share = 0});
    EXPECT_FALSE(exporter->begin(std::nullopt)->sampled);
    const auto caller =
        parse_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    const auto span = exporter->begin(caller);
    EXPECT_TRUE(span->sampled);
    EXPECT_EQ(span->trace_id, caller->trace_id);
    EXPECT_NE(exporter->begin(caller)->span_id, span->span_id);
}

}  // namespace
}  // namespace sundial::otlp
