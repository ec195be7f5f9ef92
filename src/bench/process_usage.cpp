#include "bench/process_usage.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace sundial::bench {
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
