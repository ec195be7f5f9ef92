// The time rules: how long the next occurrence takes, for every public vector that has one
// (tests/vectors), and for the slowest legal rules we know.
//
//     ./sundial-dev bench time               the medians of each kind, and a table of the slowest
//     ./sundial-dev bench time --benchmark_filter=slow --benchmark_min_time=0.2
//
// `next` is one occurrence of a rule that stands in its zone already; `made` includes reading the
// rule's text and placing it there, which is what a request of the batch format costs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/zones/cctz_time_zones.hpp"
#include "base/check.hpp"
#include "cli/next/request.hpp"
#include "domain/time/text.hpp"

namespace {

using namespace sundial;
using cli::JsonValue;

const TimeZones& tz() {
    static const zones::CctzTimeZones loaded;
    return loaded;
}

/// A request that names a rule, and the instant after which its next occurrence is wanted.
struct Asked {
    std::string name;
    JsonValue::Object members;
    Instant after = Instant::min();
};

TimeResult<cli::RequestedRule> read(const Asked& asked) {
    const auto request = cli::Request::read(asked.members, cli::RequestPlace::line);
    if (!request) return request.error();
    return cli::read_rule(*request, tz());
}

Asked asked(std::string name, JsonValue::Object members) {
    Asked found{std::move(name), std::move(members)};
    if (const JsonValue* after = cli::find_member(found.members, "after"))
        found.after = parse_instant(std::get<std::string>(after->value))->instant;
    return found;
}

std::string text(const JsonValue::Object& members, std::string_view field) {
    const JsonValue* value = cli::find_member(members, field);
    const auto* found = value == nullptr ? nullptr : std::get_if<std::string>(&value->value);
    return found == nullptr ? "" : *found;
}

/// Of the kinds that recur, and without those that are refused.
std::vector<Asked> public_vectors() {
    std::vector<Asked> found;
    std::ifstream file(SUNDIAL_VECTORS "/time-sample.jsonl");
    for (std::string line; std::getline(file, line);) {
        const auto vector = cli::parse_json(line);
        base::check(vector.has_value());
        const auto& members = std::get<JsonValue::Object>(vector->value);
        const JsonValue* request = cli::find_member(members, "req");
        if (request == nullptr) continue;
        const auto& fields = std::get<JsonValue::Object>(request->value);
        const std::string kind = text(fields, "kind");
        if (kind != "cron" && kind != "yearly" && kind != "rrule") continue;
        Asked each = asked(kind + "/" + text(fields, "id"), fields);
        if (read(each)) found.push_back(std::move(each));
    }
    base::check(!found.empty());
    return found;
}

/// Sparse, dense, long and distant rules: each was slow once, or could be.
constexpr std::string_view slow_rules[] = {
    R"({"kind":"yearly","date":"--02-29","leap":"skip","zone":"America/New_York","after":"2096-03-01T00:00:00Z"})",
    R"({"kind":"cron","expr":"0 0 29 2 *","zone":"UTC","after":"2096-03-01T00:00:00Z"})",
    R"({"kind":"cron","expr":"59 59 23 29W 2 *","zone":"Africa/Casablanca","after":"2096-03-01T00:00:00Z"})",
    R"({"kind":"cron","expr":"30 2 8-14 3 *","gap":"skip","zone":"America/New_York","after":"2026-03-31T00:00:00Z"})",
    R"({"kind":"cron","expr":"0 0 1 1 *","zone":"Africa/Casablanca","after":"9998-01-01T00:00:00Z"})",
    R"({"kind":"rrule","dtstart":"00010101T000000Z","rrule":"FREQ=SECONDLY","after":"9999-12-30T00:00:00Z"})",
    R"({"kind":"rrule","dtstart":"00010101T000000Z","rrule":"FREQ=SECONDLY;COUNT=300000000000","after":"9000-01-01T00:00:00Z"})",
    R"({"kind":"rrule","dtstart":"00010101T000001Z","rrule":"FREQ=SECONDLY;INTERVAL=86399;BYMONTH=2;BYMONTHDAY=29;BYHOUR=4;BYMINUTE=5;BYSECOND=6"})",
    R"({"kind":"rrule","dtstart":"00010101T000000","zone":"America/New_York","rrule":"FREQ=SECONDLY;INTERVAL=7;BYDAY=FR;BYMONTHDAY=13;COUNT=1000000","after":"5000-01-01T00:00:00Z"})",
    R"({"kind":"rrule","dtstart":"00010101T000000","zone":"America/New_York","rrule":"FREQ=MINUTELY;INTERVAL=1439;BYSECOND=0,59;COUNT=1000000","after":"5000-01-01T00:00:00Z"})",
    R"({"kind":"rrule","dtstart":"00010101T000000","zone":"America/New_York","rrule":"FREQ=HOURLY;INTERVAL=9999;BYHOUR=3;BYMONTH=2;BYMONTHDAY=29"})",
    R"({"kind":"rrule","dtstart":"00010101T023000","zone":"America/New_York","gap":"skip","rrule":"FREQ=DAILY;COUNT=3000000","after":"9000-01-01T00:00:00Z"})",
    R"({"kind":"rrule","dtstart":"00010101T000000","zone":"America/New_York","rrule":"FREQ=DAILY;INTERVAL=1461;BYMONTH=2;BYMONTHDAY=29"})",
    R"({"kind":"rrule","dtstart":"00010101T000000","zone":"America/New_York","rrule":"FREQ=WEEKLY;INTERVAL=521;BYMONTH=2;BYDAY=TU;COUNT=400","after":"9000-01-01T00:00:00Z"})",
    R"({"kind":"rrule","dtstart":"00040229T000000Z","rrule":"FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO"})",
    R"({"kind":"rrule","dtstart":"00040229T000000Z","rrule":"FREQ=YEARLY;INTERVAL=100;BYMONTH=2;BYMONTHDAY=29"})",
    R"({"kind":"rrule","dtstart":"00010101T000000","zone":"America/New_York","rrule":"FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU;BYHOUR=1,2,3;BYSETPOS=-1","after":"9000-01-01T00:00:00Z"})",
    R"({"kind":"rrule","dtstart":"00010101T000000","zone":"America/New_York","rrule":"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23;BYMINUTE=0,10,20,30,40,50;BYSECOND=0,30;BYSETPOS=-1,366;COUNT=100000","after":"5000-01-01T00:00:00Z"})",
};

std::vector<Asked> slowest() {
    std::vector<Asked> found;
    for (const std::string_view line : slow_rules) {
        const auto value = cli::parse_json(line);
        base::check(value.has_value());
        const auto& fields = std::get<JsonValue::Object>(value->value);
        std::string what = text(fields, "kind");
        for (const char* field : {"expr", "date", "dtstart", "rrule", "zone", "after"}) {
            if (const std::string value_text = text(fields, field); !value_text.empty())
                what += " " + value_text;
        }
        found.push_back(asked("slow/" + what, fields));
        const auto rule = read(found.back());
        base::check(rule || rule.error().code == TimeErrorCode::never_fires);
    }
    return found;
}

void measure_next(benchmark::State& state, const Asked& asked) {
    const auto rule = read(asked);
    for ([[maybe_unused]] auto once : state)
        benchmark::DoNotOptimize(next_after(*rule->recurrence, asked.after));
}

void measure_made(benchmark::State& state, const Asked& asked) {
    for ([[maybe_unused]] auto once : state) {
        const auto rule = read(asked);
        // A rule that never fires is refused, and that takes its time too.
        if (rule) benchmark::DoNotOptimize(next_after(*rule->recurrence, asked.after));
    }
}

/// Shows each run, and at the end the median of each group and the slowest rules.
class Summary final : public benchmark::ConsoleReporter {
public:
    Summary() : ConsoleReporter(OO_None) {}

    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            const std::string name = run.benchmark_name();
            const double micros = run.GetAdjustedCPUTime();
            if (name.starts_with("slow/"))
                slow_.emplace_back(micros, name.substr(5));
            else
                groups_[name.substr(0, name.rfind('/'))].push_back(micros);
        }
        ConsoleReporter::ReportRuns(runs);
    }

    void Finalize() override {
        if (!groups_.empty()) std::printf("\n%-14s %10s %10s   over\n", "", "median µs", "most µs");
        for (auto& [name, times] : groups_) {
            std::ranges::sort(times);
            std::printf("%-14s %10.2f %10.2f   %zu public vectors\n", name.c_str(),
                        times[times.size() / 2], times.back(), times.size());
        }
        std::ranges::sort(slow_, std::ranges::greater{});
        if (!slow_.empty()) std::printf("\nslowest legal rules, text to first occurrence, ms\n");
        for (const auto& [micros, name] : slow_)
            std::printf("%8.3f  %s\n", micros / 1000, name.c_str());
    }

private:
    std::map<std::string, std::vector<double>> groups_;
    std::vector<std::pair<double, std::string>> slow_;
};

int run(int argc, char** argv) {
    const std::vector<Asked> vectors = public_vectors();
    const std::vector<Asked> slow = slowest();
    const auto add = [](const std::string& name, auto measure, const Asked& each) {
        benchmark::RegisterBenchmark(name.c_str(), [measure, &each](benchmark::State& state) {
            measure(state, each);
        })->Unit(benchmark::kMicrosecond);
    };
    for (const Asked& each : vectors) {
        add("next/" + each.name, measure_next, each);
        add("made/" + each.name, measure_made, each);
    }
    for (const Asked& each : slow) add(each.name, measure_made, each);

    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    Summary summary;
    benchmark::RunSpecifiedBenchmarks(&summary);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_time_rules: %s\n", error.what());
        return 1;
    }
}
