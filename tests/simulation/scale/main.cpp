// Predicts throughput and lateness of many instances on many nodes from the cost of single
// statements. Prints one JSON object per run. bench/scale.py runs it for the figures of
// docs/scale.md.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "simulation/scale/scale.hpp"

namespace {

using namespace sundial::simulation;

constexpr std::string_view usage =
    "usage: simulation_scale [NAME=NUMBER …]\n"
    "  INSTANCES=1 NODES=1 NODE_CORES=2 SHARDS=16 SLOTS=64 EVENTS=100000\n"
    "  SESSIONS=4         connections over which an instance divides a settlement on several "
    "nodes\n"
    "  ONE_MACHINE=0      1: instances work on the CPUs of the first node, too\n"
    "  SPREAD=0           events are due at even distances within so many seconds\n"
    "microseconds of CPU for a call and for a row:\n"
    "  LOOK_CALL LOOK_ROW CLAIM_CALL CLAIM_ROW SETTLE_CALL SETTLE_ROW\n"
    "  EVENT              of an instance, for an event\n"
    "microseconds of waiting:\n"
    "  COMMIT NETWORK ANSWER\n";

using Take = std::function<bool(ScaleSettings&, double)>;

template <class Member>
Take count(Member member) {
    return [member](ScaleSettings& settings, double value) {
        settings.*member = static_cast<std::size_t>(value);
        return value >= 1 && value <= 1e9 && value == static_cast<double>(settings.*member);
    };
}
Take cost(std::function<Cost&(ScaleSettings&)> which) {
    return [which = std::move(which)](ScaleSettings& settings, double value) {
        which(settings) = Cost{value};
        return value >= 0 && value <= 1e12;
    };
}

const std::map<std::string_view, Take> options{
    {"INSTANCES", count(&ScaleSettings::instances)},
    {"NODES", count(&ScaleSettings::nodes)},
    {"NODE_CORES", count(&ScaleSettings::node_cores)},
    {"SHARDS", count(&ScaleSettings::shards)},
    {"SLOTS", count(&ScaleSettings::slots)},
    {"SESSIONS", count(&ScaleSettings::sessions)},
    {"EVENTS", count(&ScaleSettings::events)},
    {"ONE_MACHINE",
     [](auto& s, double value) { return s.one_machine = value == 1, value == 0 || value == 1; }},
    {"SPREAD",
     [](auto& s, double value) { return s.spread = Cost{value * 1e6}, value >= 0 && value < 1e6; }},
    {"LOOK_CALL", cost([](auto& s) -> Cost& { return s.costs.peek.call; })},
    {"LOOK_ROW", cost([](auto& s) -> Cost& { return s.costs.peek.row; })},
    {"CLAIM_CALL", cost([](auto& s) -> Cost& { return s.costs.claim.call; })},
    {"CLAIM_ROW", cost([](auto& s) -> Cost& { return s.costs.claim.row; })},
    {"SETTLE_CALL", cost([](auto& s) -> Cost& { return s.costs.settle.call; })},
    {"SETTLE_ROW", cost([](auto& s) -> Cost& { return s.costs.settle.row; })},
    {"EVENT", cost([](auto& s) -> Cost& { return s.costs.event; })},
    {"COMMIT", cost([](auto& s) -> Cost& { return s.costs.commit; })},
    {"NETWORK", cost([](auto& s) -> Cost& { return s.costs.network; })},
    {"ANSWER", cost([](auto& s) -> Cost& { return s.costs.answer; })},
};

bool read_argument(std::string_view argument, ScaleSettings& settings) {
    const auto equals = argument.find('=');
    if (equals == std::string_view::npos) return false;
    const auto option = options.find(argument.substr(0, equals));
    const std::string_view text = argument.substr(equals + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    return option != options.end() && is_number && option->second(settings, value);
}

}  // namespace

int main(int argc, char** argv) {
    ScaleSettings settings;
    for (int i = 1; i < argc; ++i) {
        if (read_argument(argv[i], settings)) continue;
        std::cerr << "cannot read '" << argv[i] << "'\n" << usage;
        return 2;
    }
    if (settings.shards % settings.nodes != 0) {
        std::cerr << "SHARDS must be a multiple of NODES: each node has as many\n";
        return 2;
    }
    const Scaled scaled = simulate_scale(settings);
    std::printf(
        R"({"instances":%zu,"nodes":%zu,"eventsPerSecond":%.0f,"p50Ms":%.2f,"p99Ms":%.2f,"maxMs":%.2f,)"
        R"("nodesBusy":%.3f,"eventsPerClaim":%.1f})"
        "\n",
        settings.instances, settings.nodes, scaled.events_per_second, scaled.p50_ms, scaled.p99_ms,
        scaled.max_ms, scaled.nodes_busy, scaled.events_per_claim);
    return 0;
}
