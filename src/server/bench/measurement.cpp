#include "server/bench/measurement.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <sstream>

#include "base/check.hpp"
#include "base/json.hpp"

namespace sundial::bench {
namespace {

double seconds(microseconds duration) { return std::chrono::duration<double>(duration).count(); }
double milliseconds(microseconds duration) { return seconds(duration) * 1e3; }

/// Of process and database together.
double cpu_seconds(const Measured& run) {
    return seconds(run.used.process + run.used.database.value_or(microseconds{0}));
}

double written_per_event(const Measured& run) {
    return run.events == 0
               ? 0
               : static_cast<double>(run.used.written) / static_cast<double>(run.events);
}

std::vector<double> of_each(std::span<const Measured> runs,
                            const std::function<double(const Measured&)>& figure) {
    std::vector<double> all;
    for (const Measured& run : runs) all.push_back(figure(run));
    return all;
}

bool valid(const Measured& run) { return run.faults.empty(); }

void add(base::JsonWriter& json, const Spread& spread) {
    json.member("p50Ms", spread.p50_ms).member("p99Ms", spread.p99_ms);
    json.member("p999Ms", spread.p999_ms).member("maxMs", spread.max_ms);
}

void add(base::JsonWriter& json, const Stretch& stretch) {
    if (stretch.lateness) add(json, *stretch.lateness);
    if (stretch.claims) json.member("claimP99Ms", stretch.claims->p99_ms);
}

void add(base::JsonWriter& json, std::string_view name, const std::optional<Stretch>& stretch) {
    if (!stretch) return;
    json.key(name).begin_object();
    add(json, *stretch);
    json.end_object();
}

void add(base::JsonWriter& json, const std::vector<Window>& windows) {
    if (windows.empty()) return;
    json.key("windows").begin_array();
    for (const Window& window : windows) {
        const auto from = std::chrono::floor<std::chrono::milliseconds>(window.from);
        json.begin_object().member("fromUnixMs", from.time_since_epoch().count());
        add(json, window.stretch);
        json.end_object();
    }
    json.end_array();
}

/// "25,233"
std::string grouped(double number) {
    std::string digits = std::to_string(std::llround(number));
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
    return digits;
}

std::string text_of(const Spread& spread) {
    std::ostringstream text;
    text << std::setprecision(3) << "p50 " << spread.p50_ms << " ms, p99 " << spread.p99_ms
         << " ms, p99.9 " << spread.p999_ms << " ms, max " << spread.max_ms << " ms";
    return text.str();
}

std::string used_text(double process, const std::optional<double>& database, double written) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(2) << "CPU " << process << " s";
    if (database) text << " and " << *database << " s of the database";
    text << ", " << grouped(written) << " bytes of log per event";
    return text.str();
}

}  // namespace

std::optional<Spread> spread_of(std::vector<microseconds> durations) {
    if (durations.empty()) return std::nullopt;
    std::ranges::sort(durations);
    const auto at = [&durations](std::size_t per_mille) {
        return milliseconds(
            durations[std::min(durations.size() - 1, durations.size() * per_mille / 1000)]);
    };
    return Spread{at(500), at(990), at(999), at(1000)};
}

Usage operator-(const Usage& after, const Usage& before) {
    Usage used{.process = after.process - before.process,
               .written = after.written - before.written};
    if (after.database && before.database) used.database = *after.database - *before.database;
    return used;
}

double events_per_second(const Measured& run) {
    return run.took.count() <= 0 ? 0 : static_cast<double>(run.events) / seconds(run.took);
}

double median(std::vector<double> values) {
    base::check(!values.empty());
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string run_json(const Measured& run, std::size_t number) {
    base::JsonWriter json;
    json.begin_object().member("run", number).member("events", run.events);
    json.member("eventsPerSecond", events_per_second(run)).member("seconds", seconds(run.took));
    if (run.latency) add(json, *run.latency);
    if (run.first_ms) json.member("firstMs", *run.first_ms);
    add(json, "firstTenth", run.first_tenth);
    add(json, "lastTenth", run.last_tenth);
    add(json, run.windows);
    json.member("processCpuSeconds", seconds(run.used.process));
    json.key("databaseCpuSeconds");
    if (run.used.database) {
        json.value(seconds(*run.used.database));
    } else {
        json.null();
    }
    json.member("walBytesPerEvent", written_per_event(run)).member("valid", valid(run));
    json.key("faults").begin_array();
    for (const std::string& fault : run.faults) json.value(fault);
    return std::move(json.end_array().end_object()).text();
}

std::string summary_json(std::string_view work, std::span<const Measured> runs) {
    base::JsonWriter json;
    json.begin_object().member("work", work).member("events", runs.front().events);
    json.member("eventsPerSecond", median(of_each(runs, events_per_second)));
    if (std::ranges::all_of(runs, [](const Measured& run) { return run.latency.has_value(); })) {
        const auto of = [&runs](double Spread::* member) {
            return of_each(runs, [member](const Measured& run) {
                return run.latency.value_or(Spread{}).*member;
            });
        };
        add(json, Spread{median(of(&Spread::p50_ms)), median(of(&Spread::p99_ms)),
                         median(of(&Spread::p999_ms)), std::ranges::max(of(&Spread::max_ms))});
    }
    json.member("cpuSeconds", median(of_each(runs, cpu_seconds)));
    json.member("walBytesPerEvent", median(of_each(runs, written_per_event)));
    json.member("valid", std::ranges::all_of(runs, valid));
    return std::move(json.end_object()).text();
}

std::string run_text(const Measured& run, std::size_t number) {
    std::ostringstream text;
    text << "run " << number << ": " << grouped(events_per_second(run)) << " events/s";
    if (run.first_ms) text << ", the first after " << *run.first_ms << " ms";
    if (run.latency) text << "; " << text_of(*run.latency);
    const auto report = [&text](const std::string& name, const Stretch& stretch) {
        if (stretch.lateness) text << "\n  " << name << ": " << text_of(*stretch.lateness);
        if (stretch.claims) text << "; claims " << text_of(*stretch.claims);
    };
    if (run.first_tenth) report("first tenth", *run.first_tenth);
    if (run.last_tenth) report("last tenth", *run.last_tenth);
    for (const Window& window : run.windows) {
        report("from " + grouped(seconds(window.from - run.windows.front().from)) + " s",
               window.stretch);
    }
    for (const std::string& fault : run.faults) text << "\n  NOT VALID: " << fault;
    return text.str();
}

std::string summary_text(std::string_view work, std::span<const Measured> runs) {
    const std::vector<double> rates = of_each(runs, events_per_second);
    std::ostringstream text;
    text << work << ", " << grouped(static_cast<double>(runs.front().events))
         << " events, median of " << runs.size() << ": " << grouped(median(rates)) << " events/s ("
         << grouped(std::ranges::min(rates)) << " to " << grouped(std::ranges::max(rates)) << ")\n";
    const bool all_known = std::ranges::all_of(
        runs, [](const Measured& run) { return run.used.database.has_value(); });
    std::optional<double> database;
    if (all_known) {
        database = median(of_each(runs, [](const Measured& run) {
            return seconds(run.used.database.value_or(microseconds{0}));
        }));
    }
    const double process =
        median(of_each(runs, [](const Measured& run) { return seconds(run.used.process); }));
    text << used_text(process, database, median(of_each(runs, written_per_event)));
    return text.str();
}

namespace {

/// The contents of /proc/PID/stat (proc(5)).
struct Process {
    std::string name;
    int parent = 0;
    long own = 0;       // clock ticks
    long children = 0;  // of ended children
};

std::optional<Process> process_of(const std::filesystem::path& folder) {
    std::ifstream file(folder / "stat");
    std::string text;
    if (!std::getline(file, text)) return std::nullopt;
    // The name is in brackets and may contain any character.
    const auto open = text.find('('), close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos) return std::nullopt;
    Process process{.name = text.substr(open + 1, close - open - 1)};
    std::istringstream fields(text.substr(close + 1));
    std::string skipped;
    long user = 0, system = 0, children_user = 0, children_system = 0;
    fields >> skipped >> process.parent;
    for (int i = 0; i < 9; ++i) fields >> skipped;  // pgrp to cmajflt
    fields >> user >> system >> children_user >> children_system;
    if (!fields) return std::nullopt;
    process.own = user + system;
    process.children = children_user + children_system;
    return process;
}

std::optional<Process> process_of(int number) {
    return process_of("/proc/" + std::to_string(number));
}

std::chrono::microseconds in_time(long ticks) {
    static const long ticks_per_second = ::sysconf(_SC_CLK_TCK);
    return std::chrono::microseconds(ticks * 1'000'000 / ticks_per_second);
}

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

std::chrono::microseconds own_cpu() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto of = [](const timeval& time) {
        return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
    };
    return of(used.ru_utime) + of(used.ru_stime);
}

std::chrono::microseconds cpu_of(int process) {
    const auto found = process_of(process);
    return found ? in_time(found->own) : std::chrono::microseconds{0};
}

std::uint64_t writes_of(int process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/io");
    std::string name;
    std::uint64_t bytes = 0;
    while (file >> name >> bytes) {
        if (name == "wchar:") return bytes;
    }
    return 0;
}

std::optional<std::chrono::microseconds> server_cpu(int backend) {
    const auto process = process_of(backend);
    if (!process || !process->name.starts_with("postgres")) return std::nullopt;
    const auto postmaster = process_of(process->parent);
    if (!postmaster) return std::nullopt;
    long ticks = postmaster->own + postmaster->children;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        if (!is_number(entry.path().filename())) continue;
        const auto other = process_of(entry.path());
        if (other && other->parent == process->parent) ticks += other->own;
    }
    return in_time(ticks);
}

}  // namespace sundial::bench
