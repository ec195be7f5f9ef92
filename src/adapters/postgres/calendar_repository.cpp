#include "application/ports/calendar_repository.hpp"

#include <memory>

#include "adapters/postgres/calendar_sql.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "base/check.hpp"

namespace sundial::postgres {
namespace {

std::vector<Calendar> calendars_in(const Answer& rows) {
    return each_row(rows, [](const Row& row) {
        return Calendar{.id = row.get<CalendarId>("id"),
                        .name = row.get<std::string>("name"),
                        .schedule = row.get<std::optional<ScheduleId>>("schedule_id"),
                        .user = row.get<std::optional<UserId>>("user_id"),
                        .token_hash = row.get<Bytes>("token_hash").value,
                        .expires_at = row.get<std::optional<Instant>>("expires_at"),
                        .version = row.get<Version>("version"),
                        .created_at = row.get<Instant>("created_at")};
    });
}

class PostgresCalendarRepository final : public CalendarRepository {
public:
    explicit PostgresCalendarRepository(Session& session) : session_{session} {}

    void add(const Calendar& calendar) override {
        const auto added = session_.run(
            sql::add_calendar, calendar.id, calendar.name, calendar.schedule, calendar.user,
            Bytes{calendar.token_hash}, calendar.expires_at, calendar.version, calendar.created_at);
        base::check(added.changed() == 1);
    }
    std::optional<Calendar> lock(CalendarId id) override {
        return first_of(calendars_in(session_.run(sql::lock_calendar, id)));
    }
    std::optional<Calendar> with_token(const std::string& token_hash) override {
        return first_of(calendars_in(session_.run(sql::calendar_with_token, Bytes{token_hash})));
    }
    void remove(CalendarId id) override {
        base::check(session_.run(sql::remove_calendar, id).changed() == 1);
    }
    void remove_of_schedule(ScheduleId id) override {
        session_.run(sql::remove_calendars_of_schedule, id);
    }
    void remove_of_user(UserId id) override { session_.run(sql::remove_calendars_of_user, id); }

    Page<Calendar> list(const CalendarQuery& query) override {
        const Statement& statement =
            query.page.descending ? sql::calendars_by_creation_down : sql::calendars_by_creation;
        return page_in(
            calendars_in(session_.run(statement, query.schedule, query.user, last_id(query.page),
                                      last_instant(query.page), rows_for(query.page))),
            query.page);
    }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<CalendarRepository> make_calendar_repository(Session& session) {
    return std::make_unique<PostgresCalendarRepository>(session);
}

}  // namespace sundial::postgres
