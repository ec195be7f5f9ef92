#include "server/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "support/builders.hpp"

namespace sundial::server {
namespace {

using testing::Contains;
using testing::Each;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t many = 3 * max_label_values;

/// The labels in a scrape: {metric: {label: values}}.
using LabelValues = std::map<std::string, std::map<std::string, std::set<std::string>>>;

LabelValues label_values(const std::string& scrape) {
    LabelValues found;
    std::istringstream lines{scrape};
    // No regular expressions: for the twenty thousand lines here they took three seconds.
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == '#') continue;
        std::string metric = line.substr(0, line.find_first_of("{ "));
        for (const std::string_view suffix : {"_bucket", "_sum", "_count"}) {
            if (!metric.ends_with(suffix)) continue;
            metric.resize(metric.size() - suffix.size());
            break;
        }
        auto& labels = found[metric];
        for (auto before = line.find('{'), equals = line.find("=\"", before);
             before != std::string::npos && equals != std::string::npos;
             equals = line.find("=\"", before)) {
            const std::string label = line.substr(before + 1, equals - before - 1);
            const auto quote = line.find('"', equals + 2);
            if (label != "le") labels[label].insert(line.substr(equals + 2, quote - equals - 2));
            before = quote + 1;
        }
    }
    return found;
}

/// The labels in the document: {metric: labels}.
std::map<std::string, std::set<std::string>> documented() {
    std::map<std::string, std::set<std::string>> found;
    std::ifstream document{SUNDIAL_METRICS};
    const std::regex metric{R"(^\| `(\w+)(?:\{([\w,]+)\})?`)"}, label{R"(\w+)"};
    for (std::string line; std::getline(document, line);) {
        std::smatch match;
        if (!std::regex_search(line, match, metric)) continue;
        auto& labels = found[match[1]];
        const std::string list = match[2];
        for (std::sregex_iterator next{list.begin(), list.end(), label}, end; next != end; ++next) {
            labels.insert(next->str());
        }
    }
    return found;
}

/// Reports to every metric, with a different text in every label.
class ManyValues : public testing::Test {
protected:
    ManyValues() {
        metrics.at_scrape([this] {
            metrics.events({});
            metrics.operations({{OperationKind::plan_schedule, 1}});
            metrics.connections(PoolUse{});
            metrics.circuits(circuits);
            metrics.feed(feed);
            metrics.locks_held(1);
            metrics.traces({.exported = 1});
            metrics.pings({.engine_failed = 1});
            metrics.instances({{"worker"}});
            metrics.process({.claims = true,
                             .claim_loop_age = std::chrono::seconds{1},
                             .clock_ahead = std::chrono::seconds{1},
                             .storage_free = 1,
                             .transactions = OpenTransactions{.oldest = 1s},
                             .certificate_left = std::chrono::days{1}});
            metrics.next_key_expiry(
                {.as_of = noon,
                 .keys = {{an_id<ApiKeyId>(), Role::read, noon + std::chrono::hours{24}}}});
        });
    }
    void report(std::size_t i) {
        const std::string text = "text-" + std::to_string(i);
        Event event = an_event();
        event.type = text;
        Endpoint endpoint = an_endpoint();
        endpoint.external_id = text;
        const Outcome outcome{};
        metrics.claimed(1, 0, noon, 1ms);
        metrics.transition(text, EventStatus::pending, 1);
        metrics.started({event, &endpoint, noon, true, 2s});
        metrics.delivered({event, &endpoint, outcome, noon, 2s});
        metrics.settled_late(event);
        metrics.conflicted(text, 1);
        metrics.appended(text, 1);
        metrics.skipped(text, 1);
        metrics.queried(text, 1ms);
        metrics.outcome_unknown(text);
        metrics.note_shortage(http::Shortage::heavy_seats);
        metrics.answered(
            {.method = text, .route = text, .status = static_cast<int>(i), .duration = 1ms});
        metrics.lock_waited(text);
        metrics.snapshot_ignored(text);
        metrics.tz_release(text);
        circuits.push_back({endpoint, CircuitState::open});
        feed.followers.push_back({text, 1});
    }

    std::string scrape() { return metrics.render(); }

    Metrics metrics{"1", "abc", "2025b"};
    std::vector<NamedCircuit> circuits;
    FeedProgress feed{.position = 2};
};

/// Issue 19, item 6: a scrape stays small, whatever is reported.
TEST_F(ManyValues, BecomeFewLabels) {
    for (std::size_t i = 0; i < many; ++i) report(i);
    for (const auto& [metric, labels] : label_values(scrape())) {
        for (const auto& [label, values] : labels) {
            EXPECT_LE(values.size(), max_label_values + 1) << metric << " " << label;
        }
    }
}

TEST_F(ManyValues, AreCountedTogetherWhereTheyAreTooMany) {
    for (std::size_t i = 0; i < many; ++i) report(i);
    const LabelValues found = label_values(scrape());
    for (const auto& [metric, label] : std::vector<std::pair<std::string, std::string>>{
             {"sundial_event_transitions_total", "event_type"},
             {"sundial_event_lateness_seconds", "event_type"},
             {"sundial_late_executions_total", "event_type"},
             {"sundial_delivery_attempts_total", "endpoint"},
             {"sundial_delivery_duration_seconds", "endpoint"},
             {"sundial_delivery_in_flight", "endpoint"},
             {"sundial_streams_appended_events_total", "aggregate_type"},
             {"sundial_http_requests_total", "route"}}) {
        EXPECT_THAT(found.at(metric).at(label), SizeIs(max_label_values + 1)) << metric;
        EXPECT_THAT(found.at(metric).at(label), Contains("other")) << metric;
        EXPECT_THAT(found.at(metric).at(label), Contains("text-0")) << metric;
    }
    const std::string others =
        "sundial_event_transitions_total{event_type=\"other\","
        "status=\"PENDING\"} " +
        std::to_string(many - max_label_values);
    EXPECT_THAT(scrape(), testing::HasSubstr(others));
}

/// Of gauges that are set one after the other the last would stand for all.
TEST_F(ManyValues, OfGaugesAreLeftOutWhereTheyAreTooMany) {
    for (std::size_t i = 0; i < many; ++i) report(i);
    const LabelValues found = label_values(scrape());
    for (const auto& [metric, label] : std::vector<std::pair<std::string, std::string>>{
             {"sundial_circuit_state", "endpoint"}, {"sundial_subscription_lag_events", "name"}}) {
        EXPECT_THAT(found.at(metric).at(label), SizeIs(max_label_values)) << metric;
        EXPECT_THAT(found.at(metric).at(label), Each(testing::Ne("other"))) << metric;
    }
}

/// The process that made the attempt was killed and could not count it.
TEST(MetricsTest, CountALostFirstAttemptAsItBegan) {
    Metrics metrics{"1", "abc", "2025b"};
    Event event = an_event();
    event.type = "REMINDER";
    event.first_attempt_at = target_of(event) + 66ms;
    metrics.first_attempt_lost(event);
    const std::string scrape = metrics.render();
    EXPECT_THAT(scrape, testing::HasSubstr(
                            "sundial_event_lateness_seconds_sum{event_type=\"REMINDER\"} 0.066"));
    EXPECT_THAT(scrape, testing::Not(testing::HasSubstr("sundial_late_executions_total{")));
}

/// Issue 19, item 17: alerts on a quantile need a bucket that ends at the threshold (seed 000).
TEST(MetricsTest, HaveABucketAtEveryThreshold) {
    Metrics metrics{"1", "abc", "2025b"};
    metrics.claimed(1, 0, noon, 150ms);
    metrics.queried("transact", 700ms);
    const std::string scrape = metrics.render();
    for (const char* line :
         {"sundial_claim_duration_seconds_bucket{le=\"0.1\"} 0",
          "sundial_claim_duration_seconds_bucket{le=\"0.2\"} 1",
          "sundial_db_transaction_duration_seconds_bucket{operation=\"transact\","
          "le=\"0.2\"} 0",
          "sundial_db_transaction_duration_seconds_bucket{operation=\"transact\","
          "le=\"1\"} 1"}) {
        EXPECT_THAT(scrape, testing::HasSubstr(line));
    }
}

TEST(MetricsTest, CountConflictsByOperation) {
    Metrics metrics{"1", "abc", "2025b"};
    metrics.conflicted("append", 1);
    metrics.conflicted("settle", 2);
    metrics.conflicted("settle", 1);
    metrics.settled_late(an_event());  // the storage has reported its conflict
    const std::string scrape = metrics.render();
    for (const char* line : {"sundial_optimistic_lock_conflicts_total{operation=\"append\"} 1",
                             "sundial_optimistic_lock_conflicts_total{operation=\"settle\"} 3",
                             "sundial_late_settles_total 1"}) {
        EXPECT_THAT(scrape, testing::HasSubstr(line));
    }
}

TEST(MetricsTest, TellTheStateOfTheProcess) {
    Metrics metrics{"1", "abc", "2025b"};
    metrics.process({.claims = true,
                     .claim_loop_age = 250ms,
                     .clock_ahead = -1500ms,
                     .storage_free = 4096,
                     .transactions = OpenTransactions{.oldest = 90s, .hidden_sessions = 3},
                     .certificate_left = std::chrono::hours{-1}});
    const std::string scrape = metrics.render();
    for (const char* line :
         {"sundial_claim_loop_running 1", "sundial_claim_loop_age_seconds 0.25",
          "sundial_clock_skew_seconds -1.5", "sundial_storage_free_bytes 4096",
          "sundial_db_oldest_transaction_seconds 90", "sundial_db_hidden_sessions 3",
          "sundial_tls_certificate_expiry_seconds -3600"}) {
        EXPECT_THAT(scrape, testing::HasSubstr(line));
    }
}

TEST(MetricsTest, CountProcessesByRole) {
    Metrics metrics{"1", "abc", "2025b"};
    metrics.instances({{"api", "ui"}, {"worker"}, {"worker"}});
    metrics.instances({{"api"}, {"worker"}, {"worker"}});
    const std::string scrape = metrics.render();
    for (const char* line :
         {"sundial_instances{role=\"api\"} 1", "sundial_instances{role=\"scheduler\"} 0",
          "sundial_instances{role=\"worker\"} 2", "sundial_instances{role=\"ui\"} 0"}) {
        EXPECT_THAT(scrape, testing::HasSubstr(line));
    }
}

/// An alert on an unknown value must not see the last known one.
TEST(MetricsTest, LeaveOutWhatIsUnknown) {
    Metrics metrics{"1", "abc", "2025b"};
    metrics.process({.claims = true,
                     .claim_loop_age = 1s,
                     .clock_ahead = 1s,
                     .storage_free = 1,
                     .transactions = OpenTransactions{.oldest = 1s},
                     .certificate_left = std::chrono::hours{1}});
    metrics.process({.claims = false});
    const std::string scrape = metrics.render();
    EXPECT_THAT(scrape, testing::HasSubstr("sundial_claim_loop_running 0"));
    for (const char* name :
         {"\nsundial_clock_skew_seconds ", "\nsundial_storage_free_bytes ",
          "\nsundial_db_oldest_transaction_seconds ", "\nsundial_db_hidden_sessions ",
          "\nsundial_tls_certificate_expiry_seconds "}) {
        EXPECT_THAT(scrape, testing::Not(testing::HasSubstr(name)));
    }
    metrics.process({});  // of a process without the role worker
    EXPECT_THAT(metrics.render(), testing::Not(testing::HasSubstr("\nsundial_claim_loop_")));
}

/// So that the tests above go over all of them, and the document does.
TEST_F(ManyValues, ReportEveryMetricOfTheDocument) {
    report(1);
    std::map<std::string, std::set<std::string>> rendered;
    for (const auto& [metric, labels] : label_values(scrape())) {
        auto& names = rendered[metric];
        for (const auto& [label, values] : labels) names.insert(label);
    }
    EXPECT_EQ(rendered, documented());
}

}  // namespace
}  // namespace sundial::server
