// A schedule is looked at before it is stored: the preview names the times that it will have, in
// its zone. Then it is stored, and they come.
#include <iostream>
#include <string>
#include <sundial/engine.hpp>
#include <vector>

#include "support.hpp"

int main() {
    using namespace std::chrono_literals;
    auto engine = sundial::Engine::open({.storage = "memory:", .test_clock = true});
    require(bool{engine}, "the engine opens");
    std::vector<sundial::Instant> came;
    engine->on("REPORT", [&](const sundial::Event& event) {
        came.push_back(event.due);
        return sundial::Handled::done();
    });

    sundial::NewSchedule weekdays;
    weekdays.name = "morning-report";
    weekdays.event_type = "REPORT";
    weekdays.rule = sundial::Cron{"0 7 * * 1-5"};
    weekdays.timezone = "Asia/Tokyo";
    const auto preview = engine->preview(weekdays, 3);
    require(preview && preview->occurrences.size() == 3, "the preview has three times");
    std::cout << preview->description << '\n';
    for (const sundial::Occurrence& occurrence : preview->occurrences) {
        std::cout << "  " << occurrence.local << '\n';
        require(occurrence.local.find("T07:00:00") != std::string::npos &&
                    occurrence.local.ends_with("+09:00"),
                "it is seven in the morning in Tokyo");
    }

    const auto stored = engine->put_schedule(weekdays);
    require(bool{stored}, "the schedule is stored");
    const auto now = engine->now();
    require(bool{now}, "the storage has a clock");
    require(bool{engine->advance(*preview->occurrences.back().at - *now + 1s)},
            "the clock advances");
    require(came.size() == 3, "each previewed time has come");
    for (std::size_t i = 0; i < came.size(); ++i) {
        require(came[i] == preview->occurrences[i].at, "it came at its time");
    }
}
