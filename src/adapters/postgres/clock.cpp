#include "adapters/postgres/clock.hpp"

#include "adapters/postgres/statements.hpp"

namespace sundial::postgres {

Instant PostgresClock::now() { return database_.run("clock", Database::Effect::none, {}).now; }

Result<void> PostgresClock::set(Instant now) {
    if (!is_test_) return ClockNotTest{};
    const Call set{sql::set_clock, now};
    const auto done = database_.run("set clock", Database::Effect::repeatable, {&set, 1});
    if (done.answers.front().changed() == 1) return {};
    return invalid("/now", "out_of_range", "the clock never moves backward");
}

}  // namespace sundial::postgres
