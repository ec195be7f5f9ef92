// A lock on a Redis server that two processes share. The first is killed while it holds the lock;
// the second gets it when the lease ends, with a greater token, so that a late write of the first
// can be refused.
//
// usage: redis_lock redis://HOST:PORT
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <sundial/engine.hpp>
#include <sundial/locks.hpp>
#include <utility>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;

/// In production all processes also share one database, which compares their tokens:
/// {.storage = "postgresql://…", .lock_server = url}.
sundial::Engine opened(const std::string& url) {
    auto engine = sundial::Engine::open({.lock_server = url});
    require(bool{engine}, "the engine opens");
    return *std::move(engine);
}

sundial::Result<sundial::Lock> take(sundial::Engine& engine, std::chrono::microseconds wait) {
    return engine.acquire_lock("nightly-report", {.ttl = 1s, .wait = wait});
}

/// The first process: holds the lock until it is killed, or its parent has ended.
[[noreturn]] void hold(const std::string& url, int to_parent, int from_parent) {
    auto engine = opened(url);
    const auto lock = take(engine, 0s);
    require(bool{lock}, "a free lock is granted");
    const std::uint64_t token = lock->fencing_token();
    char byte = 0;
    if (write(to_parent, &token, sizeof token) == sizeof token) (void)!read(from_parent, &byte, 1);
    _exit(EXIT_FAILURE);
}

}  // namespace

int main(int count, char** arguments) {
    require(count == 2, "the argument is the URL of a Redis server");
    const std::string url = arguments[1];
    int up[2]{}, down[2]{};
    require(pipe(up) == 0 && pipe(down) == 0, "the processes can talk");
    const pid_t first = fork();
    require(first >= 0, "there is a second process");
    if (first == 0) {
        close(down[1]);
        hold(url, up[1], down[0]);
    }
    close(up[1]);
    std::uint64_t older = 0;
    require(read(up[0], &older, sizeof older) == sizeof older, "the first process has the lock");

    auto engine = opened(url);
    const auto refused = take(engine, 0s);
    require(!refused && refused.error().code == "LOCK_HELD",
            "the second process does not get a lock that the first holds");
    kill(first, SIGKILL);
    waitpid(first, nullptr, 0);
    const auto lock = take(engine, 60s);
    require(bool{lock}, "the lock of a killed process is free when its lease ends");
    require(lock->fencing_token() > older, "each grant has a greater token");
    std::cout << "token " << older << " died with its process, token " << lock->fencing_token()
              << " went on\n";
}
