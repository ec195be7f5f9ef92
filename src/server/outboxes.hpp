#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "adapters/http/api/system_routes.hpp"
#include "adapters/http/api/written_requests.hpp"
#include "application/intake/follow_outbox.hpp"
#include "application/intake/intake_signal.hpp"
#include "application/requests/queries.hpp"
#include "server/settings.hpp"

namespace sundial::server {

/// Refuses outboxes that cannot be followed: an invalid URL, and Sundial's own database file.
/// Throws CannotStart. Accepts a source that does not answer.
void check_intakes(const Settings& settings);

/// Follows the outboxes of `storage.intake`, each on a thread of its own.
class Outboxes {
public:
    /// The ports that all outboxes share.
    struct Ports {
        Store& store;
        ScheduleEvent& schedule_event;
        CreateSchedule& create_schedule;
        PutSchedule& put_schedule;
        CreateUser& create_user;
        PutUser& put_user;
        const MonotonicClock& monotonic;
        base::Log& log;
    };
    /// `alone`: only this process uses the storage, or its clock stands still, so that leases would
    /// never end.
    Outboxes(const Settings& settings, InstanceId instance, bool alone, const Ports& ports);
    ~Outboxes() { stop(); }
    Outboxes(const Outboxes&) = delete;
    Outboxes& operator=(const Outboxes&) = delete;

    /// Takes all rows that wait now. Rows that cannot be read wait. Thread-safe.
    void look();
    void start(std::chrono::microseconds tick);
    /// Ends after the current batches. Then other instances may follow.
    void stop();

private:
    struct Followed {
        std::unique_ptr<FollowOutbox> follower;
        std::unique_ptr<IntakeSignal> signal;
        std::thread thread{};
    };

    std::optional<http::ApiRequests> requests_;  // only with outboxes: it compiles the document
    std::vector<Followed> followed_;
    base::Log& log_;
};

/// Warns while an outbox that the settings name cannot be read. Throws Unavailable.
[[nodiscard]] http::HealthCheck intakes_check(const Settings& settings, Queries& queries);

}  // namespace sundial::server
