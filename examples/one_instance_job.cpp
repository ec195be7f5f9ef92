// A job that must not run twice at a time: two instances try, and each gets its turn. The report
// that they write refuses an older token than the newest it has seen.
#include <chrono>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <string>
#include <sundial/engine.hpp>
#include <sundial/locks.hpp>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

/// Stands for the resource that the job writes; in a table this would be
/// UPDATE report SET text = ?, token = ? WHERE token <= ?
class Report {
public:
    bool write(const std::string& text, std::uint64_t token) {
        const std::lock_guard lock{mutex_};
        if (token < greatest_seen_) return false;
        greatest_seen_ = token;
        lines_.push_back(text);
        return true;
    }
    [[nodiscard]] std::size_t lines() const { return lines_.size(); }

private:
    std::mutex mutex_;
    std::uint64_t greatest_seen_ = 0;
    std::vector<std::string> lines_;
};

/// The work of one instance; in production each is a process of its own on one PostgreSQL.
bool run_job(sundial::Engine& engine, const std::string& instance, Report& report,
             std::uint64_t& token) {
    sundial::LockOptions options;
    options.wait = 60s;
    options.holder = instance;
    const auto lock = engine.acquire_lock("nightly-report", options);
    if (!lock) {
        std::cerr << instance << ": " << lock.error().code << ' ' << lock.error().detail << '\n';
        return false;
    }
    if (lock->lost().stop_requested()) return false;  // long work checks this repeatedly
    token = lock->fencing_token();
    return report.write("written by " + instance, token);
}

}  // namespace

int main() {
    auto engine = sundial::Engine::open({.storage = "memory:"});
    if (!engine) {
        std::cerr << engine.error().detail << '\n';
        return 1;
    }
    Report report;
    std::uint64_t tokens[2] = {};
    bool done[2] = {};
    std::thread first{[&] { done[0] = run_job(*engine, "first", report, tokens[0]); }};
    std::thread second{[&] { done[1] = run_job(*engine, "second", report, tokens[1]); }};
    first.join();
    second.join();
    if (!done[0] || !done[1] || report.lines() != 2 || tokens[0] == tokens[1]) return 1;

    // An instance that was frozen since before the other's turn, and now continues.
    const std::uint64_t older = tokens[0] < tokens[1] ? tokens[0] : tokens[1];
    if (report.write("too late", older)) return 1;
    std::cout << "two turns, tokens " << tokens[0] << " and " << tokens[1]
              << "; the late write was refused\n";
    return 0;
}
