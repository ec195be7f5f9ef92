#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/events/schedule_event.hpp"
#include "application/intake/intake_signal.hpp"
#include "application/intake/written_requests.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/outbox.hpp"
#include "application/ports/outbox_progress.hpp"
#include "application/ports/store.hpp"
#include "application/schedules/create_schedule.hpp"
#include "application/users/create_user.hpp"
#include "base/log.hpp"

namespace sundial {

/// Schedules the rows of an application's outbox, each exactly once (ADR 0041): a row is carried
/// out in the transaction that records its id. Rows commit in any order, so each read covers all
/// ids that are not recorded: always the newest 500 gaps and the ids after them, and older gaps in
/// turn. Thread-safe.
class FollowOutbox {
public:
    struct Ports {
        Store& store;
        const WrittenRequests& requests;
        ScheduleEvent& schedule_event;
        CreateSchedule& create_schedule;
        PutSchedule& put_schedule;
        CreateUser& create_user;
        PutUser& put_user;
        const MonotonicClock& monotonic;
        base::Log& log;
    };
    struct Source {
        std::string name;   // [a-z0-9-]{1,40}
        std::string place;  // without credentials
        std::unique_ptr<Outbox> outbox;
    };
    /// `alone`: no other instance uses the storage, so none has to share the work.
    FollowOutbox(Source source, InstanceId instance, bool alone, const Ports& ports);

    /// Takes one batch of rows. True if more may wait. Does nothing if another instance follows the
    /// outbox. Throws Unavailable if the outbox or the storage does not answer; then it has
    /// recorded the failure, if it could.
    bool look();
    /// Reads the outbox at each tick and at each signal, until the signal is stopped; less often
    /// while the outbox cannot be read. Never throws.
    void watch(IntakeSignal& signal, std::chrono::microseconds tick);
    /// Lets another instance follow at once. Never throws.
    void hand_over();

private:
    /// Ranges of one part of the record, and the ids between them that were not taken.
    struct Window {
        std::vector<IdInterval> gaps;
        bool whole;  // the record has no other part
    };
    /// The rows that one transaction takes.
    struct Taken {
        std::vector<std::int64_t> ids;
        std::vector<RefusedRow> refused;
    };

    [[nodiscard]] bool leads();
    [[nodiscard]] bool look_in_turn();
    [[nodiscard]] Window newest_gaps();
    /// The gaps of another part of the record, and the last id of that part.
    [[nodiscard]] std::pair<std::vector<IdInterval>, std::int64_t> older_gaps();
    [[nodiscard]] OutboxPage read(std::span<const IdInterval> gaps);
    [[nodiscard]] std::vector<bool> has_rows(std::span<const IdInterval> ranges);
    void check_sequence(const OutboxPage& page);
    /// Takes the rows in as many transactions as necessary.
    void take(std::span<const OutboxRow> rows);
    void take_together(std::span<const OutboxRow> rows);
    void refuse_alone(const OutboxRow& row);
    [[nodiscard]] Taken carry_out(Transaction& tx, std::span<const OutboxRow> rows);
    void schedule_events(std::span<const OutboxRow> rows, Instant now, Taken& taken);
    [[nodiscard]] std::optional<Refusal> put(const OutboxRow& row);
    [[nodiscard]] std::optional<Refusal> put_schedule(const ScheduleFields& fields,
                                                      const Caller& caller);
    [[nodiscard]] std::optional<Refusal> put_user(const UserFields& fields, const Caller& caller);
    [[nodiscard]] std::string name_of(const OutboxRow& row) const;
    void record(Transaction& tx, OutboxState state, const Taken& taken);
    void report(const Taken& taken);
    void note_health(const std::string& failure);
    /// Removes the record of rows that the application has deleted.
    void tidy();
    [[nodiscard]] bool tidy_taken();
    /// Forgets these ranges, except those that have changed.
    void forget_taken(std::span<const TakenRange> gone);
    [[nodiscard]] bool tidy_refused();
    void log(base::LogLevel level, std::string message, std::string_view reason = {});

    Source source_;
    const InstanceId instance_;
    const bool alone_;
    Ports ports_;
    std::mutex looking_;
    Mono leads_until_{Mono::min()};
    std::string health_;  // as recorded: a failure, or empty
    std::optional<std::int64_t> greatest_taken_;
    std::size_t rows_at_once_;
    std::optional<std::int64_t> swept_;  // older gaps were read up to this id
    // Rows up to these ids were compared with the application's table.
    std::optional<std::int64_t> tidied_;
    std::optional<std::int64_t> tidied_refused_;
    Mono tidy_at_{Mono::min()};
};

}  // namespace sundial
