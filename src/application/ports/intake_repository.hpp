#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "application/requests/refusal.hpp"
#include "application/requests/schedule_request.hpp"
#include "domain/ids.hpp"
#include "domain/user.hpp"

namespace sundial {

/// Requests that other programs have stored in the database, and that need the tz database or the
/// rules of time.
namespace intake {

/// Find the instant of an event's local time.
struct ResolveEvent {
    EventId event;
};
/// Plan the events of a user that was created, or that was `before`.
struct PlanUser {
    UserId user;
    std::optional<User> before;
};
/// Create the schedule `name` as `id`, or replace it.
struct PutSchedule {
    ScheduleId id;
    std::string name;
    ScheduleFields fields;
};
struct DeleteSchedule {
    std::string name;
};
/// Plan the successor of a cancelled occurrence.
struct ContinueChain {
    EventId event;
};
/// Plan the successor of an occurrence that is due for a pull worker, and decide whether it fires.
struct JudgeOccurrence {
    EventId event;
};

using Wanted = std::variant<ResolveEvent, PlanUser, PutSchedule, DeleteSchedule, ContinueChain,
                            JudgeOccurrence>;

}  // namespace intake

struct IntakeRequest {
    std::int64_t number;
    intake::Wanted wanted;
    std::string correlation_id;
    std::string actor;
};

/// The requests that wait, inside one transaction. Requests about the same object have numbers in
/// the order of their commits.
class IntakeRepository {
public:
    virtual ~IntakeRepository() = default;
    [[nodiscard]] virtual bool any_waiting() = 0;
    /// At most `limit` waiting requests, in their order. Empty if another transaction has taken
    /// some and has not ended, so that requests are done in order, and each once.
    [[nodiscard]] virtual std::vector<IntakeRequest> take(std::size_t limit) = 0;
    virtual void remove(std::span<const std::int64_t> numbers) = 0;
    /// Keeps the request, with the reason why it cannot be done.
    virtual void refuse(std::int64_t number, const Refusal& why) = 0;
    /// Keeps the request as done, until another program removes it.
    virtual void keep_as_done(std::int64_t number) = 0;
};

}  // namespace sundial
