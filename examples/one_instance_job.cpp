// A job whose runs must not overlap: two instances start it, and each waits for its turn. The
// resource that they write to refuses a token older than the newest that it has seen.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <string>
#include <sundial/engine.hpp>
#include <sundial/locks.hpp>
#include <vector>

#include "support.hpp"

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

    void begin() {
        const std::lock_guard lock{mutex_};
        at_once_ = std::max(at_once_, ++working_);
    }
    void end() {
        const std::lock_guard lock{mutex_};
        --working_;
    }
    /// Most who worked at the same time.
    [[nodiscard]] int at_once() const { return at_once_; }

private:
    std::mutex mutex_;
    int working_ = 0, at_once_ = 0;
    std::uint64_t greatest_seen_ = 0;
    std::vector<std::string> lines_;
};

/// The work of one instance. In production each instance is a process, and all use one PostgreSQL.
bool run_job(sundial::Engine& engine, const std::string& instance, Report& report, Crossing& work,
             std::uint64_t& token) {
    sundial::LockOptions options;
    options.wait = 60s;
    options.holder = instance;
    const auto lock = engine.acquire_lock("nightly-report", options);
    if (!lock) {
        std::cerr << instance << ": " << lock.error().code << ' ' << lock.error().detail << '\n';
        return false;
    }
    token = lock->fencing_token();
    report.begin();
    work.wait(500ms);  // it takes as long as it takes
    report.end();
    if (lock->lost().stop_requested()) return false;  // long work looks again and again
    return report.write("written by " + instance, token);
}

}  // namespace

int main() {
    auto engine = sundial::Engine::open({.storage = "memory:"});
    require(bool{engine}, "the engine opens");
    Report report;
    Crossing work{2};
    std::uint64_t tokens[2] = {};
    std::atomic<int> done = 0;
    in_parallel(2, [&](int number) {
        const std::string instance = number == 0 ? "first" : "second";
        if (run_job(*engine, instance, report, work, tokens[number])) ++done;
    });
    require(report.at_once() == 1, "one instance works at a time");
    require(done == 2 && report.lines() == 2, "each instance has its turn");
    require(tokens[0] != tokens[1], "each turn has a token of its own");

    // An instance that was frozen since before the other's turn, and now continues.
    const std::uint64_t older = tokens[0] < tokens[1] ? tokens[0] : tokens[1];
    require(!report.write("too late", older), "an older token is refused");
    std::cout << "two turns, tokens " << tokens[0] << " and " << tokens[1]
              << "; the late write was refused\n";
}
