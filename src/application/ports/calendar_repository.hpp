#pragma once

#include <optional>
#include <string>

#include "application/ports/paging.hpp"
#include "domain/calendar.hpp"

namespace sundial {

struct CalendarQuery {
    std::optional<ScheduleId> schedule{};
    std::optional<UserId> user{};
    PageRequest page{};  // by createdAt
};

/// Calendars that may be read, inside one transaction.
class CalendarRepository {
public:
    virtual ~CalendarRepository() = default;
    virtual void add(const Calendar& calendar) = 0;
    /// The calendar, locked until this transaction ends; empty if there is none.
    virtual std::optional<Calendar> lock(CalendarId id) = 0;
    virtual std::optional<Calendar> with_token(const std::string& token_hash) = 0;
    /// Removes a locked calendar.
    virtual void remove(CalendarId id) = 0;
    /// Removes those of a schedule or a user that is deleted.
    virtual void remove_of_schedule(ScheduleId id) = 0;
    virtual void remove_of_user(UserId id) = 0;
    virtual Page<Calendar> list(const CalendarQuery& query) = 0;
};

}  // namespace sundial
