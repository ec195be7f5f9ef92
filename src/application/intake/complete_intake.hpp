#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "application/intake/intake_signal.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/intake_repository.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/schedules/create_schedule.hpp"
#include "application/schedules/delete_schedule.hpp"
#include "application/schedules/plan_successors.hpp"
#include "base/log.hpp"

namespace sundial {

/// Completes what other programs have stored in the database: finds the instants of local times,
/// plans the events of users, creates schedules. One transaction completes a request and removes
/// it, so each request takes effect exactly once, even if instances are killed (ADR 0039). Only one
/// instance works on the intake at a time. Thread-safe.
class CompleteIntake {
public:
    struct Ports {
        Store& store;
        const TimeZones& zones;
        Ids& ids;
        Wakeups& wakeups;
        base::Log& log;
        PutSchedule& put_schedule;
        DeleteSchedule& delete_schedule;
    };
    explicit CompleteIntake(const Ports& ports)
        : ports_(ports), plan_(ports.store, ports.zones, ports.ids) {}

    /// Returns when no request waits, or another instance works on them. Throws Unavailable.
    void run();
    /// Runs at each tick and at each signal, until the signal is stopped. Returns at once if only
    /// this program writes into the storage. Never throws.
    void watch(IntakeSignal& signal, std::chrono::microseconds tick);

private:
    enum class Done : std::uint8_t { remove, keep };
    using Outcome = base::Result<Done, Refusal>;
    struct Batch {
        std::size_t taken = 0;
        std::optional<std::int64_t> at{};  // the request under way
    };

    [[nodiscard]] bool has_intake();
    /// Does `limit` requests in one transaction. Returns whether there may be more.
    [[nodiscard]] bool next(std::size_t limit, Batch& batch);
    void refuse(std::int64_t number, const char* why);
    void report(const IntakeRequest& request, const Refusal& why);

    [[nodiscard]] Outcome complete(Transaction& tx, const IntakeRequest& request);
    [[nodiscard]] Outcome resolve(Transaction& tx, EventId event);
    [[nodiscard]] Outcome plan_user(Transaction& tx, const intake::PlanUser& wanted);
    [[nodiscard]] Outcome go_on(Transaction& tx, EventId event);
    [[nodiscard]] Outcome judge(Transaction& tx, EventId event);
    [[nodiscard]] Outcome put(const intake::PutSchedule& wanted, const Caller& caller);
    [[nodiscard]] Outcome remove(const intake::DeleteSchedule& wanted, const Caller& caller);

    Ports ports_;
    PlanSuccessors plan_;
};

}  // namespace sundial
