#include <algorithm>
#include <array>
#include <memory>

#include "base/check.hpp"
#include "cli/next/request.hpp"
#include "server/bench/site.hpp"

namespace sundial::bench {
namespace {

/// One rule of each kind, in the spelling of users. `./sundial-dev bench time` measures the public
/// vectors and the slowest legal rules.
constexpr std::array<std::string_view, 7> rules{
    R"({"id":"1","kind":"cron","expr":"0 9 * * *","zone":"America/New_York","after":"2026-01-17T00:00:00Z"})",
    R"({"id":"2","kind":"cron","expr":"*/15 8-18 * * MON-FRI","zone":"Europe/Paris","after":"2026-03-28T23:00:00Z"})",
    R"({"id":"3","kind":"yearly","date":"--02-29","leap":"feb28","zone":"Europe/Berlin","after":"2026-03-01T00:00:00Z"})",
    R"({"id":"4","kind":"yearly","date":"--11-21","zone":"Asia/Kathmandu","after":"2026-11-22T00:00:00Z"})",
    R"({"id":"5","kind":"rrule","dtstart":"20260105T090000","zone":"Asia/Tokyo","rrule":"FREQ=MONTHLY;BYDAY=-1FR","after":"2026-06-01T00:00:00Z"})",
    R"({"id":"6","kind":"rrule","dtstart":"20260105T023000","zone":"America/New_York","rrule":"FREQ=WEEKLY;BYDAY=MO,WE,SU","after":"2026-03-07T00:00:00Z"})",
    R"({"id":"7","kind":"rrule","dtstart":"20260105T090000","zone":"Europe/Paris","rrule":"FREQ=DAILY;INTERVAL=3","after":"2026-10-24T00:00:00Z"})",
};
constexpr std::array afters{2026, 2028, 2031, 2037};

std::shared_ptr<const Recurrence> rule(std::string_view line, const TimeZones& zones) {
    const auto value = cli::parse_json(line);
    base::check(value.has_value());
    const auto request =
        cli::Request::read(std::get<cli::JsonValue::Object>(value->value), cli::RequestPlace::line);
    base::check(request.has_value());
    const auto read = cli::read_rule(*request, zones);
    base::check(read.has_value());
    return read->recurrence;
}

}  // namespace

/// Finds the next occurrence of rules that are compiled already. A duration is the mean of a
/// hundred calls, because one call is shorter than the clock's resolution.
Measured time_rules(const Site& site) {
    constexpr std::size_t at_once = 100;
    std::vector<std::shared_ptr<const Recurrence>> made;
    for (const std::string_view line : rules) made.push_back(rule(line, site.zones));
    std::vector<microseconds> durations;
    std::size_t none = 0;
    const std::size_t batches = std::max<std::size_t>(1, site.options.events / at_once);
    Measured measured = site.measure(batches * at_once, [&] {
        for (std::size_t batch = 0; batch < batches; ++batch) {
            const Recurrence& recurrence = *made[batch % made.size()];
            const Instant after{std::chrono::sys_days{
                std::chrono::year{afters[batch / made.size() % afters.size()]} / 3 / 20}};
            const auto begin = site.clock.now();
            for (std::size_t i = 0; i < at_once; ++i) {
                if (!next_after(recurrence, after + std::chrono::hours(i))) ++none;
            }
            durations.push_back(site.clock.now() - begin);
        }
    });
    if (auto spread = spread_of(std::move(durations))) {
        const auto each = [](double of_batch) { return of_batch / static_cast<double>(at_once); };
        measured.latency = Spread{each(spread->p50_ms), each(spread->p99_ms), each(spread->p999_ms),
                                  each(spread->max_ms)};
    }
    if (none > 0) measured.faults.push_back(std::to_string(none) + " rules had no next occurrence");
    return measured;
}

}  // namespace sundial::bench
