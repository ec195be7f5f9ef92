// A program with Sundial embedded: no server, no network. It runs through a year in a moment, on a
// clock that it moves itself. Remove `test_clock`, name a file, and call start() instead of
// advance(): the same program then waits for real birthdays.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <sundial/engine.hpp>

using namespace std::chrono_literals;

namespace {

int report(const sundial::Error& error) {
    std::cerr << error.code << ": " << error.detail << '\n';
    return EXIT_FAILURE;
}

}  // namespace

int main() {
    auto engine = sundial::Engine::open({.storage = "memory:", .test_clock = true});
    if (!engine) return report(engine.error());

    std::atomic<int> birthdays = 0, reminders = 0;
    engine->on("BIRTHDAY", [&](const sundial::Event& event) {
        ++birthdays;
        std::cout << event.payload << '\n';
        return sundial::Handled::done();
    });
    engine->on("REMINDER", [&](const sundial::Event& event) {
        // The first attempt fails; the retry follows a second later.
        if (event.attempt == 1) return sundial::Handled::retry("the line was busy");
        ++reminders;
        return sundial::Handled::done();
    });

    const auto ada = engine->create_user({"Ada", "Li", "1992-02-29", "Europe/Paris"});
    if (!ada) return report(ada.error());
    const auto now = engine->now();
    if (!now) return report(now.error());
    const auto reminder = engine->schedule({.type = "REMINDER",
                                            .at = *now + 24h,
                                            .payload = R"({"text":"Renew"})",
                                            .user_id = ada->id});
    if (!reminder) return report(reminder.error());

    const auto done = engine->advance(367 * 24h);
    if (!done) return report(done.error());
    const auto later = engine->find_event(reminder->id);
    if (!later) return report(later.error());
    std::cout << *done << " events done; the reminder is " << later->status << " after "
              << later->attempt << " tries\n";
    if (birthdays < 1) return report({"EXAMPLE", "a year without a birthday"});
    if (reminders != 1 || later->status != "COMPLETED") {
        return report({"EXAMPLE", "the failed event was not tried again"});
    }
}
