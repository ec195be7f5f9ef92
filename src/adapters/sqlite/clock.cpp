#include "adapters/sqlite/clock.hpp"

#include "adapters/sqlite/statements.hpp"
#include "adapters/sqlite/time.hpp"
#include "adapters/sqlite/writer.hpp"

namespace sundial::sqlite {

Instant SqliteClock::now() { return time_.now(); }

bool SqliteClock::is_test() const { return time_.is_test(); }

Result<void> SqliteClock::set(Instant now) {
    if (!is_test()) return ClockNotTest{};
    bool back = false;
    writer_.run([&](Session& session) {
        back = now < session.now;
        if (back) return false;
        session.connection.execute(sql::set_setting, std::string_view{"time"}, now);
        // Later jobs of the same commit see the new time. If the commit fails, the file is broken
        // anyway.
        time_.move(now);
        return true;
    });
    if (back) return invalid("/now", "out_of_range", "the clock never moves backward");
    return {};
}

}  // namespace sundial::sqlite
