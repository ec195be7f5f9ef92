#include <sundial/calendar.hpp>

int main() {
    const auto calendar = sundial::Calendar::open();
    if (!calendar) return 1;
    // 02:30 does not exist on that day, and the default is the end of the gap.
    const sundial::embedding::Instant before{std::chrono::sys_days{std::chrono::March / 27 / 2027} +
                                             std::chrono::hours{12}};
    const auto next =
        calendar->next(sundial::Cron{"30 2 * * *"}, {.timezone = "Europe/Paris"}, before, 1);
    return next && next->at(0).local == "2027-03-28T03:00:00.000+02:00" &&
                   next->at(0).note == "gap_boundary"
               ? 0
               : 1;
}
