#include "base/crash_point.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/check.hpp"

namespace sundial::base {
namespace {

std::string armed_name;  // set before any other thread runs
std::atomic<int> passes_left{0};

}  // namespace

void arm_crash_point(const std::string& name_and_count) {
    const auto colon = name_and_count.rfind(':');
    check(colon != std::string::npos);
    armed_name = name_and_count.substr(0, colon);
    passes_left = std::atoi(name_and_count.c_str() + colon + 1);
}

void reach_crash_point(std::string_view name) {
    if (name != armed_name || --passes_left != 0) return;
    std::fprintf(stderr, "crash point: %s\n", armed_name.c_str());
    std::raise(SIGKILL);
}

}  // namespace sundial::base
