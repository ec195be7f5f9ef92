// Two instances of a program. One of them is the leader, and does the work that must not be done
// twice; both call a service that takes three callers at a time.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <string>
#include <sundial/coordination.hpp>
#include <vector>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;

/// Counts the threads that are inside at once.
class Room {
public:
    void enter() {
        const std::lock_guard lock{mutex_};
        most_ = std::max(most_, ++inside_);
    }
    void leave() {
        const std::lock_guard lock{mutex_};
        --inside_;
    }
    [[nodiscard]] int most() const { return most_; }

private:
    std::mutex mutex_;
    int inside_ = 0, most_ = 0;
};

}  // namespace

int main() {
    // In production each instance is a process, and all use one PostgreSQL.
    auto engine = sundial::Engine::open({.storage = "memory:"});
    require(bool{engine}, "the engine opens");

    Room leading;
    Crossing turn{2};
    std::atomic<int> turns = 0;
    std::uint64_t terms[2] = {};
    in_parallel(2, [&](int number) {
        const std::string task = "price-feed";
        const auto led = sundial::lead(*engine, task, [&](std::stop_token, std::uint64_t term) {
            terms[number] = term;
            leading.enter();
            turn.wait(500ms);  // the work; a real leader looks at its stop token again and again
            leading.leave();
        });
        if (led) ++turns;
    });
    require(leading.most() == 1, "one leader at a time");
    require(turns == 2 && terms[0] != terms[1], "the other takes over, with a term of its own");

    Room calling;
    std::atomic<int> calls = 0;
    Crossing call{8};
    in_parallel(8, [&](int) {
        const std::size_t permits = 3;
        const sundial::Semaphore service{*engine, "service", permits};
        const auto permit = service.acquire({.wait = 60s});
        if (!permit) return;
        calling.enter();
        call.wait(200ms);
        calling.leave();
        ++calls;
    });
    require(calling.most() <= 3, "at most three callers at a time");
    require(calls == 8, "every caller has its turn");
    std::cout << "terms " << terms[0] << " and " << terms[1] << "; " << calls << " calls, "
              << calling.most() << " at once\n";
}
