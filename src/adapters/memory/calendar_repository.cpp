#include "application/ports/calendar_repository.hpp"

#include <memory>
#include <vector>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/table.hpp"

namespace sundial::memory {
namespace {

class MemoryCalendarRepository final : public CalendarRepository {
public:
    explicit MemoryCalendarRepository(State& state) : calendars_{state.calendars} {}
    void add(const Calendar& calendar) override { calendars_.insert(calendar.id, calendar); }

    /// Transactions run one at a time.
    std::optional<Calendar> lock(CalendarId id) override {
        const Calendar* const found = calendars_.find(id);
        return found ? std::optional{*found} : std::nullopt;
    }

    std::optional<Calendar> with_token(const std::string& token_hash) override {
        for (const auto& [id, calendar] : calendars_.rows()) {
            if (calendar.token_hash == token_hash) return calendar;
        }
        return std::nullopt;
    }

    void remove(CalendarId id) override { calendars_.erase(id); }
    void remove_of_schedule(ScheduleId id) override {
        remove_if([id](const Calendar& calendar) { return calendar.schedule == id; });
    }
    void remove_of_user(UserId id) override {
        remove_if([id](const Calendar& calendar) { return calendar.user == id; });
    }

    Page<Calendar> list(const CalendarQuery& query) override {
        std::vector<Calendar> found;
        for (const auto& [id, calendar] : calendars_.rows()) {
            if (query.schedule && calendar.schedule != query.schedule) continue;
            if (query.user && calendar.user != query.user) continue;
            found.push_back(calendar);
        }
        return page_of<std::int64_t>(std::move(found), query.page, [](const Calendar& calendar) {
            return microseconds_of(calendar.created_at);
        });
    }

private:
    template <class Condition>
    void remove_if(Condition condition) {
        std::vector<CalendarId> gone;
        for (const auto& [id, calendar] : calendars_.rows()) {
            if (condition(calendar)) gone.push_back(id);
        }
        for (const CalendarId& id : gone) calendars_.erase(id);
    }

    Table<CalendarId, Calendar>& calendars_;
};

}  // namespace

std::unique_ptr<CalendarRepository> make_calendar_repository(Session& session) {
    return std::make_unique<MemoryCalendarRepository>(session.state);
}

}  // namespace sundial::memory
