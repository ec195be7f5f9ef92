#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/server.hpp"
#include "adapters/otlp/exporter.hpp"
#include "application/access/api_keys.hpp"
#include "application/observation/observer.hpp"
#include "application/pings/pings.hpp"
#include "application/ports/event_queue.hpp"
#include "application/requests/queries.hpp"
#include "domain/operation.hpp"
#include "server/database.hpp"

namespace sundial::server {

/// Values of one label, such as types of events. The 201st and later ones count together as
/// `other`: a scrape stays small, whatever callers choose for names.
inline constexpr std::size_t max_label_values = 200;

/// The state of the process and its machine at a scrape.
struct ProcessState {
    /// The claim loop has made progress within two ticks. Empty if it does not run here.
    std::optional<bool> claims{};
    /// Time since its last turn. Empty if it does not run here.
    std::optional<std::chrono::microseconds> claim_loop_age{};
    /// This machine's clock minus the database's. Empty with a test clock.
    std::optional<std::chrono::microseconds> clock_ahead{};
    /// Bytes left beside the SQLite file. Empty on PostgreSQL, or if unknown.
    std::optional<std::uintmax_t> storage_free{};
    /// Empty on SQLite.
    std::optional<OpenTransactions> transactions{};
    /// Until the file of `http.tls_cert` expires. Empty without one, or if it cannot be read.
    std::optional<std::chrono::seconds> certificate_left{};
};

/// The metrics of the process, as Prometheus text. Base units; no user, event or URL in a label; an
/// endpoint is named by its external id or id. Every label has `max_label_values` at most.
/// Thread-safe.
class Metrics final : public EngineObserver, public StorageObserver, public http::RequestObserver {
public:
    Metrics(std::string_view version, std::string_view commit, std::string_view tz_release);
    ~Metrics() override;

    void claimed(std::size_t events, std::size_t lost_attempts, Instant at,
                 std::chrono::microseconds duration) override;
    void transition(std::string_view event_type, EventStatus status, std::size_t count) override;
    void started(const AttemptStarted& attempt_started) override;
    void first_attempt_lost(const Event& event) override;
    void delivered(const AttemptEnded& attempt_ended) override;
    void settled_late(const Event& event) override;
    void appended(std::string_view aggregate_type, std::size_t count) override;
    void skipped(std::string_view reason, std::uint64_t count) override;
    void queried(std::string_view operation, std::chrono::microseconds duration) override;
    void conflicted(std::string_view operation, std::size_t count) override;
    void outcome_unknown(std::string_view operation) override;
    void answered(const http::AnsweredRequest& request) override;
    void note_shortage(http::Shortage of) override;

    /// A request's wait for a lock has ended: "granted" or "held".
    void lock_waited(std::string_view outcome);
    /// A snapshot was not stored, and why: it is "older" than the stored one.
    void snapshot_ignored(std::string_view reason);
    /// Another tz database has taken effect.
    void tz_release(std::string_view release);

    // Current values, which modules report at a scrape.
    void events(const QueueDepth& depth);
    void operations(const std::map<OperationKind, std::size_t>& running);
    void connections(const std::optional<PoolUse>& pool);
    void circuits(const std::vector<NamedCircuit>& all);
    void feed(const FeedProgress& progress);
    void locks_held(std::size_t count);
    void next_key_expiry(const ExpiringKeys& expiring);
    void traces(const otlp::ExportCounts& counts);
    void pings(const PingCounts& counts);
    void live_clients(std::size_t clients);
    void process(const ProcessState& state);
    /// The roles of each running process.
    void instances(const std::vector<std::vector<std::string>>& roles);
    /// Calls `report` at each scrape. Call this before the first one.
    void at_scrape(std::function<void()> report);

    /// All metrics, after every report for a scrape. Throws what a report throws. One at a time.
    [[nodiscard]] std::string render();

private:
    struct Families;
    std::unique_ptr<Families> families_;
    std::vector<std::function<void()>> reports_;
};

}  // namespace sundial::server
