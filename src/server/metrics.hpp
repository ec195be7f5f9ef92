#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/observer.hpp"
#include "application/observation/observer.hpp"
#include "application/ports/event_queue.hpp"
#include "application/requests/queries.hpp"
#include "domain/operation.hpp"
#include "server/database.hpp"

namespace sundial::server {

/// Values of one label, such as types of events. The 201st and later ones count together as
/// `other`: a scrape stays small, whatever callers choose for names.
inline constexpr std::size_t max_label_values = 200;

/// The metrics of the process, as Prometheus text. Base units; no user, event or URL in a label; an
/// endpoint is named by its external id or id. Every label has `max_label_values` at most.
/// Thread-safe.
class Metrics final : public EngineObserver, public StorageObserver, public http::RequestObserver {
public:
    Metrics(std::string_view version, std::string_view commit, std::string_view tz_release);
    ~Metrics() override;

    void claimed(std::size_t events, std::size_t lost_attempts,
                 std::chrono::microseconds duration) override;
    void transition(std::string_view event_type, EventStatus status, std::size_t count) override;
    void started(const AttemptStarted& attempt_started) override;
    void delivered(const AttemptEnded& attempt_ended) override;
    void settled_late(const Event& event) override;
    void lease_lost(const Event& event) override;
    void appended(std::string_view aggregate_type, std::size_t count) override;
    void queried(std::string_view operation, std::chrono::microseconds duration) override;
    void outcome_unknown(std::string_view operation) override;
    void answered(const http::AnsweredRequest& request) override;

    /// A request's wait for a lock has ended: "granted" or "held".
    void lock_waited(std::string_view outcome);
    /// A snapshot was not stored, and why: it is "older" than the stored one.
    void snapshot_ignored(std::string_view reason);
    /// Time until the next API key expires; empty if no key expires.
    void next_key_expiry(std::optional<std::chrono::microseconds> left);
    /// Another tz database has taken effect.
    void tz_release(std::string_view release);

    /// All metrics, including the given current values: the queue, the RUNNING operations, the
    /// connections, the circuits, the feed and the locks (empty: unknown).
    [[nodiscard]] std::string render(const QueueDepth& depth,
                                     const std::map<OperationKind, std::size_t>& operations,
                                     const std::optional<PoolUse>& connections,
                                     const std::vector<NamedCircuit>& circuits,
                                     const FeedProgress& feed,
                                     std::optional<std::size_t> locks_held);

private:
    struct Families;
    std::unique_ptr<Families> families_;
};

}  // namespace sundial::server
