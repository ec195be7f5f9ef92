#include "server/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <sstream>

namespace sundial::server {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using Buckets = Histogram::BucketBoundaries;

const std::string all_others = "other";

const Buckets lateness_buckets{.001, .002, .005, .01, .02, .05, .1,   .25,  .5,
                               1,    2.5,  5,    15,  60,  300, 3600, 86400};
// 0.1, 0.2 and 1 s are thresholds for alerts (docs/operating.md).
const Buckets duration_buckets{.001, .002, .005, .01, .02, .05, .1, .2, .25, .5, 1, 2.5, 5, 10, 30};
const Buckets batch_buckets{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

template <class Duration>
double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

std::string status_class(const Outcome& outcome) {
    return outcome.status_code ? std::to_string(*outcome.status_code / 100) + "xx" : "none";
}

std::string_view name_of(http::Shortage shortage) {
    switch (shortage) {
        case http::Shortage::handlers:
            return "handlers";
        case http::Shortage::heavy_seats:
            return "heavy_seats";
        case http::Shortage::unsent_bytes:
            return "unsent_bytes";
        case http::Shortage::slow_reader:
            break;
    }
    return "slow_reader";
}

std::string_view outcome_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::accepted:
            return to_string(AttemptOutcome::succeeded);
        case Verdict::retryable:
            return to_string(AttemptOutcome::retryable);
        case Verdict::permanent:
            break;
    }
    return to_string(AttemptOutcome::permanent);
}

/// A counter that another object keeps.
void set_count(Counter& counter, std::uint64_t count) {
    counter.Increment(static_cast<double>(count) - counter.Value());
}

/// Pull workers may claim through one instance and respond through another, or never, so no
/// instance knows the number in flight.
bool left_to_workers(const Endpoint* endpoint) {
    return endpoint != nullptr && is_pulled(*endpoint);
}

/// Lets only the first values of each label through. Thread-safe.
class FewLabels {
public:
    /// Replaces each value beyond the first `max_label_values` by `other`.
    prometheus::Labels operator()(prometheus::Labels labels) {
        const std::lock_guard lock(mutex_);
        for (auto& [name, value] : labels) {
            auto& seen = seen_[name];
            if (seen.contains(value)) continue;
            if (seen.size() < max_label_values) {
                seen.insert(value);
            } else {
                value = all_others;
            }
        }
        return labels;
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::set<std::string>> seen_;
};

}  // namespace

struct Metrics::Families {
    prometheus::Registry registry;

    Family<Counter>& counter(const char* name, const char* help) {
        return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
    }
    Family<Gauge>& gauge(const char* name, const char* help) {
        return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
    }
    Family<Histogram>& histogram(const char* name, const char* help) {
        return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
    }

    Family<Counter>& transitions =
        counter("sundial_event_transitions_total", "Transitions into each status");
    Family<Histogram>& lateness =
        histogram("sundial_event_lateness_seconds", "Start of the first attempt minus due");
    Family<Counter>& late =
        counter("sundial_late_executions_total", "Events that started more than a second late");
    Family<Gauge>& stored = gauge("sundial_events_stored", "Events by status");
    Family<Gauge>& waiting = gauge("sundial_events_waiting", "Events that wait, by reason");
    Gauge& due = gauge("sundial_events_due", "Events that are claimable now").Add({});
    Gauge& oldest =
        gauge("sundial_events_oldest_due_age_seconds", "Age of the oldest due event").Add({});
    Family<Counter>& attempts =
        counter("sundial_delivery_attempts_total", "Attempts by endpoint and outcome");
    Family<Histogram>& delivery =
        histogram("sundial_delivery_duration_seconds", "Duration of attempts");
    Family<Gauge>& in_flight = gauge("sundial_delivery_in_flight", "Attempts under way");
    Family<Gauge>& circuit =
        gauge("sundial_circuit_state", "Circuits of endpoints: 0 closed, 1 half-open, 2 open");
    Histogram& claim_duration =
        histogram("sundial_claim_duration_seconds", "Duration of claims that returned events")
            .Add({}, duration_buckets);
    Histogram& claim_batch =
        histogram("sundial_claim_batch_events", "Events of one claim").Add({}, batch_buckets);
    Family<Counter>& conflicts = counter("sundial_optimistic_lock_conflicts_total",
                                         "Writes refused because the version had moved");
    Counter& lease_expirations =
        counter("sundial_lease_expirations_total", "Leases found expired by a claim").Add({});
    Counter& late_settles =
        counter("sundial_late_settles_total", "Results that arrived after another claim").Add({});
    Family<Histogram>& queries =
        histogram("sundial_db_transaction_duration_seconds", "Storage calls, each one transaction");
    Family<Gauge>& connections =
        gauge("sundial_db_pool_connections", "Connections to the database");
    Family<Counter>& unknown_outcomes =
        counter("sundial_commit_outcome_unknown_total", "Commits with an unknown outcome");
    Gauge& dead_letters =
        gauge("sundial_dead_letters", "FAILED events that have not been dismissed").Add({});
    Family<Gauge>& operations = gauge("sundial_operations_running", "RUNNING operations, by kind");
    Gauge& locks_held = gauge("sundial_locks_held", "Held locks, counted up to 1000").Add({});
    Family<Counter>& lock_waits =
        counter("sundial_lock_waits_total", "Requests that waited for a lock, by outcome");
    Gauge& feed_position =
        gauge("sundial_feed_position", "Position of the newest recorded event").Add({});
    Family<Gauge>& subscription_lag =
        gauge("sundial_subscription_lag_events",
              "Positions between checkpoint and end of the feed, by subscription");
    Family<Counter>& recorded = counter("sundial_streams_appended_events_total",
                                        "Events appended to streams, by type of the aggregate");
    Family<Counter>& skipped =
        counter("sundial_occurrences_skipped_total", "Occurrences that did not fire, by reason");
    Family<Counter>& snapshots_ignored =
        counter("sundial_snapshots_ignored_total", "Snapshots that were ignored, by reason");
    Family<Counter>& requests = counter("sundial_http_requests_total", "Requests answered");
    Family<Counter>& shortages =
        counter("sundial_http_shortages_total",
                "Requests refused and clients cut off because something ran short");
    Family<Histogram>& request_duration =
        histogram("sundial_http_request_duration_seconds",
                  "From the end of the request's head to the response");
    Gauge& live_clients = gauge("sundial_live_clients", "Clients of /v1/live").Add({});
    Family<Counter>& spans =
        counter("sundial_trace_spans_total", "Spans of traces: exported, or why they were dropped");
    Family<Counter>& pings =
        counter("sundial_pings_total", "Pings of schedules and of the engine, by outcome");
    Family<Gauge>& key_expiry =
        gauge("sundial_api_key_expiry_seconds",
              "Time until the next API key expires; absent if no key expires");
    Family<Gauge>& claim_loop =
        gauge("sundial_claim_loop_running",
              "1 if the claim loop has made progress within two ticks; absent without one");
    Family<Gauge>& claim_loop_age =
        gauge("sundial_claim_loop_age_seconds",
              "Time since the claim loop made progress; absent without one");
    Family<Gauge>& instances =
        gauge("sundial_instances", "Running processes on this database, by role");
    Family<Gauge>& clock_skew =
        gauge("sundial_clock_skew_seconds",
              "Clock of this machine minus the clock of the database, which decides");
    Family<Gauge>& storage_free =
        gauge("sundial_storage_free_bytes", "Free space beside the SQLite file");
    Family<Gauge>& oldest_transaction =
        gauge("sundial_db_oldest_transaction_seconds",
              "Age of the oldest transaction in the database that Sundial's role can see");
    Family<Gauge>& hidden_sessions =
        gauge("sundial_db_hidden_sessions",
              "Sessions of other roles in the database whose transactions it cannot see");
    Family<Gauge>& certificate_expiry =
        gauge("sundial_tls_certificate_expiry_seconds",
              "Time until the certificate of http.tls_cert expires; negative after it");
    Family<Gauge>& tzdb = gauge("sundial_tzdb_info", "Release of the tz database in use");
    Family<Gauge>& build = gauge("sundial_build_info", "This program");

    FewLabels few;

    prometheus::Labels of_endpoint(const Endpoint* endpoint) {
        if (endpoint == nullptr) return few({{"endpoint", "handler"}});
        return few({{"endpoint", endpoint->external_id.value_or(to_string(endpoint->id))}});
    }
    /// Sets a gauge whose labels name one object. If the label stands for several objects, leaves
    /// it out, because the value of the last one would say nothing about the others.
    static void set_unless_other(Family<Gauge>& family, const prometheus::Labels& labels,
                                 double value) {
        const auto is_other = [](const auto& label) { return label.second == all_others; };
        if (std::ranges::none_of(labels, is_other)) family.Add(labels).Set(value);
    }

    /// Of the first attempt of an event, once for each event.
    void count_lateness(const Event& event, std::chrono::microseconds by) {
        const auto type = few({{"event_type", event.type}});
        lateness.Add(type, lateness_buckets).Observe(seconds(by));
        if (by > late_after) late.Add(type).Increment();
    }

    void set_tz_release(std::string_view release) {
        const std::lock_guard lock(mutex_);
        if (tz_release_ != nullptr) tzdb.Remove(tz_release_);
        tz_release_ = &tzdb.Add(few({{"version", std::string(release)}}));
        tz_release_->Set(1);
    }

    /// Without a value, the metric is absent.
    void set_or_remove(Family<Gauge>& family, std::optional<double> value) {
        const std::lock_guard lock(mutex_);
        Gauge*& current = optional_gauges_[&family];
        if (current != nullptr) family.Remove(current);
        current = value ? &family.Add({}) : nullptr;
        if (value) current->Set(*value);
    }

private:
    std::mutex mutex_;
    Gauge* tz_release_ = nullptr;
    std::map<Family<Gauge>*, Gauge*> optional_gauges_;  // null: absent
};

Metrics::Metrics(std::string_view version, std::string_view commit, std::string_view tz_release)
    : families_(std::make_unique<Families>()) {
    families_->build
        .Add(families_->few({{"version", std::string(version)}, {"commit", std::string(commit)}}))
        .Set(1);
    this->tz_release(tz_release);
}

Metrics::~Metrics() = default;

void Metrics::tz_release(std::string_view release) { families_->set_tz_release(release); }

void Metrics::claimed(std::size_t events, std::size_t lost_attempts, Instant /*at*/,
                      std::chrono::microseconds duration) {
    families_->claim_duration.Observe(seconds(duration));
    families_->claim_batch.Observe(static_cast<double>(events));
    families_->lease_expirations.Increment(static_cast<double>(lost_attempts));
}

void Metrics::transition(std::string_view event_type, EventStatus status, std::size_t count) {
    families_->transitions
        .Add(families_->few(
            {{"event_type", std::string(event_type)}, {"status", std::string(to_string(status))}}))
        .Increment(static_cast<double>(count));
}

void Metrics::started(const AttemptStarted& attempt_started) {
    if (!left_to_workers(attempt_started.endpoint)) {
        families_->in_flight.Add(families_->of_endpoint(attempt_started.endpoint)).Increment();
    }
    if (attempt_started.first)
        families_->count_lateness(attempt_started.event, attempt_started.lateness);
}

void Metrics::first_attempt_lost(const Event& event) {
    if (const auto late = lateness(event)) families_->count_lateness(event, *late);
}

void Metrics::delivered(const AttemptEnded& attempt_ended) {
    auto endpoint = families_->of_endpoint(attempt_ended.endpoint);
    if (!left_to_workers(attempt_ended.endpoint)) {
        families_->in_flight.Add(endpoint).Decrement();
    }
    families_->delivery.Add(endpoint, duration_buckets)
        .Observe(seconds(attempt_ended.outcome.duration));
    endpoint.merge(
        families_->few({{"outcome", std::string(outcome_name(attempt_ended.outcome.verdict))},
                        {"status_class", status_class(attempt_ended.outcome)}}));
    families_->attempts.Add(endpoint).Increment();
}

void Metrics::settled_late(const Event& /*event*/) { families_->late_settles.Increment(); }

void Metrics::conflicted(std::string_view operation, std::size_t count) {
    families_->conflicts.Add(families_->few({{"operation", std::string(operation)}}))
        .Increment(static_cast<double>(count));
}

void Metrics::queried(std::string_view operation, std::chrono::microseconds duration) {
    families_->queries
        .Add(families_->few({{"operation", std::string(operation)}}), duration_buckets)
        .Observe(seconds(duration));
}

void Metrics::appended(std::string_view aggregate_type, std::size_t count) {
    families_->recorded.Add(families_->few({{"aggregate_type", std::string(aggregate_type)}}))
        .Increment(static_cast<double>(count));
}

void Metrics::skipped(std::string_view reason, std::uint64_t count) {
    families_->skipped.Add(families_->few({{"reason", std::string(reason)}}))
        .Increment(static_cast<double>(count));
}

void Metrics::outcome_unknown(std::string_view operation) {
    families_->unknown_outcomes.Add(families_->few({{"operation", std::string(operation)}}))
        .Increment();
}

void Metrics::lock_waited(std::string_view outcome) {
    families_->lock_waits.Add(families_->few({{"outcome", std::string(outcome)}})).Increment();
}

void Metrics::snapshot_ignored(std::string_view reason) {
    families_->snapshots_ignored.Add(families_->few({{"reason", std::string(reason)}})).Increment();
}

void Metrics::answered(const http::AnsweredRequest& request) {
    auto labels = families_->few(
        {{"method", std::string(request.method)}, {"route", std::string(request.route)}});
    families_->request_duration.Add(labels, duration_buckets).Observe(seconds(request.duration));
    labels.merge(families_->few({{"status", std::to_string(request.status)}}));
    families_->requests.Add(labels).Increment();
}

void Metrics::note_shortage(http::Shortage of) {
    families_->shortages.Add({{"of", std::string(name_of(of))}}).Increment();
}

void Metrics::next_key_expiry(const ExpiringKeys& expiring) {
    std::optional<double> left;
    if (!expiring.keys.empty()) left = seconds(expiring.keys.front().at - expiring.as_of);
    families_->set_or_remove(families_->key_expiry, left);
}

void Metrics::traces(const otlp::ExportCounts& counts) {
    const auto set = [this](const char* outcome, std::uint64_t count) {
        set_count(families_->spans.Add({{"outcome", outcome}}), count);
    };
    set("exported", counts.exported);
    set("queue_full", counts.queue_full);
    set("unreachable", counts.unreachable);
    set("refused", counts.refused);
}

void Metrics::live_clients(std::size_t clients) {
    families_->live_clients.Set(static_cast<double>(clients));
}

void Metrics::pings(const PingCounts& counts) {
    const auto set = [this](const char* of, const char* outcome, std::uint64_t count) {
        set_count(families_->pings.Add({{"of", of}, {"outcome", outcome}}), count);
    };
    set("schedule", "accepted", counts.schedules_accepted);
    set("schedule", "failed", counts.schedules_failed);
    set("engine", "accepted", counts.engine_accepted);
    set("engine", "failed", counts.engine_failed);
}

void Metrics::process(const ProcessState& state) {
    Families& all = *families_;
    std::optional<double> claims;
    if (state.claims) claims = *state.claims ? 1 : 0;
    all.set_or_remove(all.claim_loop, claims);
    std::optional<double> age;
    if (state.claim_loop_age) age = seconds(*state.claim_loop_age);
    all.set_or_remove(all.claim_loop_age, age);
    std::optional<double> skew;
    if (state.clock_ahead) skew = seconds(*state.clock_ahead);
    all.set_or_remove(all.clock_skew, skew);
    std::optional<double> free;
    if (state.storage_free) free = static_cast<double>(*state.storage_free);
    all.set_or_remove(all.storage_free, free);
    std::optional<double> oldest, hidden;
    if (state.transactions) {
        oldest = seconds(state.transactions->oldest);
        hidden = static_cast<double>(state.transactions->hidden_sessions);
    }
    all.set_or_remove(all.oldest_transaction, oldest);
    all.set_or_remove(all.hidden_sessions, hidden);
    std::optional<double> left;
    if (state.certificate_left) left = seconds(*state.certificate_left);
    all.set_or_remove(all.certificate_expiry, left);
}

void Metrics::instances(const std::vector<std::vector<std::string>>& roles) {
    for (const std::string& role : names_of(Roles{})) {
        const auto having = std::ranges::count_if(roles, [&](const auto& names) {
            return std::ranges::find(names, role) != names.end();
        });
        families_->instances.Add({{"role", role}}).Set(static_cast<double>(having));
    }
}

void Metrics::events(const QueueDepth& depth) {
    for (std::size_t i = 0; i < depth.stored.size(); ++i) {
        const std::string status{to_string(static_cast<EventStatus>(i))};
        families_->stored.Add(families_->few({{"status", status}}))
            .Set(static_cast<double>(depth.stored[i]));
    }
    families_->due.Set(static_cast<double>(depth.due));
    families_->oldest.Set(seconds(depth.oldest_due_age));
    const auto set_waiting = [&](const char* reason, std::uint64_t events) {
        families_->waiting.Add(families_->few({{"reason", reason}}))
            .Set(static_cast<double>(events));
    };
    set_waiting("retry", depth.waiting_for_retry);
    set_waiting("circuit", depth.waiting_for_circuit);
    set_waiting("limit", depth.waiting_for_limit);
    set_waiting("endpoint", depth.waiting_for_endpoint + depth.without_endpoint);
    set_waiting("schedule", depth.waiting_for_schedule);
    families_->dead_letters.Set(static_cast<double>(depth.dead_letters));
}

void Metrics::operations(const std::map<OperationKind, std::size_t>& running) {
    for (const OperationKind kind : operation_kinds) {
        const auto found = running.find(kind);
        families_->operations.Add(families_->few({{"kind", std::string(to_string(kind))}}))
            .Set(found == running.end() ? 0 : static_cast<double>(found->second));
    }
}

void Metrics::connections(const std::optional<PoolUse>& pool) {
    if (!pool) return;
    const auto set_connections = [&](const char* state, std::size_t count) {
        families_->connections.Add(families_->few({{"state", state}}))
            .Set(static_cast<double>(count));
    };
    set_connections("idle", pool->idle);
    set_connections("in_use", pool->in_use);
    set_connections("waiting", pool->waiting);
}

void Metrics::circuits(const std::vector<NamedCircuit>& all) {
    for (const NamedCircuit& one : all) {
        Families::set_unless_other(families_->circuit, families_->of_endpoint(&one.endpoint),
                                   static_cast<double>(one.state));
    }
}

void Metrics::feed(const FeedProgress& progress) {
    families_->feed_position.Set(static_cast<double>(progress.position));
    for (const FeedProgress::Follower& follower : progress.followers) {
        const auto behind = progress.position - std::min(progress.position, follower.position);
        Families::set_unless_other(families_->subscription_lag,
                                   families_->few({{"name", follower.name}}),
                                   static_cast<double>(behind));
    }
}

void Metrics::locks_held(std::size_t count) {
    families_->locks_held.Set(static_cast<double>(count));
}

void Metrics::at_scrape(std::function<void()> report) { reports_.push_back(std::move(report)); }

std::string Metrics::render() {
    for (const auto& report : reports_) report();
    std::ostringstream text;
    prometheus::TextSerializer().Serialize(text, families_->registry.Collect());
    return text.str();
}

}  // namespace sundial::server
