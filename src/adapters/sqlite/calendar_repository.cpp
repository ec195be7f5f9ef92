#include "application/ports/calendar_repository.hpp"

#include <memory>

#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/value.hpp"
#include "base/check.hpp"

#define SUNDIAL_CALENDAR \
    "id, name, schedule_id, user_id, token_hash, expires_at, version, created_at"

/// SQL statements for calendars.
namespace sundial::sqlite::sql {

inline constexpr Statement add_calendar{"INSERT INTO calendars (" SUNDIAL_CALENDAR R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8))sql"};
inline constexpr Statement calendar{"SELECT " SUNDIAL_CALENDAR " FROM calendars WHERE id = ?1"};
inline constexpr Statement calendar_with_token{"SELECT " SUNDIAL_CALENDAR
                                               " FROM calendars WHERE token_hash = ?1"};
inline constexpr Statement remove_calendar{"DELETE FROM calendars WHERE id = ?1"};
inline constexpr Statement remove_calendars_of_schedule{
    "DELETE FROM calendars WHERE schedule_id = ?1"};
inline constexpr Statement remove_calendars_of_user{"DELETE FROM calendars WHERE user_id = ?1"};

/// ?1 schedule and ?2 user, or null; ?3 id and ?4 creation time of the previous page's last row, ?5
/// limit.
#define SUNDIAL_LIST_CALENDARS(name, beyond, direction)                                 \
    inline constexpr Statement name{"SELECT " SUNDIAL_CALENDAR                          \
                                    " FROM calendars"                                   \
                                    " WHERE (?1 IS NULL OR schedule_id = ?1)"           \
                                    " AND (?2 IS NULL OR user_id = ?2)"                 \
                                    " AND (?3 IS NULL OR (created_at, id) " beyond      \
                                    " (?4, ?3))"                                        \
                                    " ORDER BY created_at " direction ", id " direction \
                                    " LIMIT ?5"}
SUNDIAL_LIST_CALENDARS(calendars_by_creation, ">", "ASC");
SUNDIAL_LIST_CALENDARS(calendars_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_CALENDARS

}  // namespace sundial::sqlite::sql

namespace sundial::sqlite {
namespace {

Calendar read_calendar(Cursor& row) {
    return {.id = row.take<CalendarId>(),
            .name = row.take<std::string>(),
            .schedule = row.take<std::optional<ScheduleId>>(),
            .user = row.take<std::optional<UserId>>(),
            .token_hash = row.take<Bytes>().value,
            .expires_at = row.take<std::optional<Instant>>(),
            .version = row.take<Version>(),
            .created_at = row.take<Instant>()};
}

/// Only one connection writes, so every row that it reads is already locked.
class SqliteCalendarRepository final : public CalendarRepository {
public:
    explicit SqliteCalendarRepository(Session& session) : connection_{session.connection} {}

    void add(const Calendar& calendar) override {
        const auto rows = connection_.execute(
            sql::add_calendar, calendar.id, calendar.name, calendar.schedule, calendar.user,
            Bytes{calendar.token_hash}, calendar.expires_at, calendar.version, calendar.created_at);
        base::check(rows == 1);
    }
    std::optional<Calendar> lock(CalendarId id) override {
        return first_of(connection_.query(sql::calendar, id), read_calendar);
    }
    std::optional<Calendar> with_token(const std::string& token_hash) override {
        return first_of(connection_.query(sql::calendar_with_token, Bytes{token_hash}),
                        read_calendar);
    }
    void remove(CalendarId id) override {
        base::check(connection_.execute(sql::remove_calendar, id) == 1);
    }
    void remove_of_schedule(ScheduleId id) override {
        connection_.execute(sql::remove_calendars_of_schedule, id);
    }
    void remove_of_user(UserId id) override {
        connection_.execute(sql::remove_calendars_of_user, id);
    }

    Page<Calendar> list(const CalendarQuery& query) override {
        const Statement& statement =
            query.page.descending ? sql::calendars_by_creation_down : sql::calendars_by_creation;
        return page_of(
            all_of(connection_.query(statement, query.schedule, query.user, id_after(query.page),
                                     number_after(query.page), limit_of(query.page)),
                   read_calendar),
            query.page);
    }

private:
    Connection& connection_;
};

}  // namespace

std::unique_ptr<CalendarRepository> make_calendar_repository(Session& session) {
    return std::make_unique<SqliteCalendarRepository>(session);
}

}  // namespace sundial::sqlite
