// A lock in PostgreSQL over two processes. One of them is killed while it holds the lock: the other
// gets it when the lease has ended, with a greater fencing token.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <iostream>
#include <string>
#include <sundial/engine.hpp>
#include <sundial/locks.hpp>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;

/// Holds the lock until it is killed, and tells its token.
[[noreturn]] void hold(const std::string& storage, int tell) {
    auto engine = sundial::Engine::open({.storage = storage});
    if (!engine) _exit(1);
    const std::string name = "nightly-report";
    sundial::LockOptions options;
    options.ttl = 2s;  // renewed as long as the process lives
    const auto lock = engine->acquire_lock(name, options);
    if (!lock) _exit(1);
    const std::uint64_t token = lock->fencing_token();
    if (write(tell, &token, sizeof token) != sizeof token) _exit(1);
    for (;;) pause();
}

}  // namespace

int main(int argc, char** argv) {
    require(argc > 1, "usage: lock_of_two_processes postgresql://…");
    int channel[2];
    require(pipe(channel) == 0, "there is a pipe");
    const pid_t other = fork();  // before this process has an engine
    require(other >= 0, "there is a second process");
    if (other == 0) hold(argv[1], channel[1]);
    close(channel[1]);
    std::uint64_t its_token = 0;
    require(read(channel[0], &its_token, sizeof its_token) == sizeof its_token,
            "the other process has the lock");

    auto engine = sundial::Engine::open({.storage = argv[1]});
    bool was_held = false;
    if (engine) {
        const auto refused = engine->acquire_lock("nightly-report");
        was_held = !refused && refused.error().code == "LOCK_HELD";
    }
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
    require(bool{engine}, "the engine opens");
    require(was_held, "as long as its holder lives, no other process gets the lock");

    sundial::LockOptions patient;
    patient.wait = 60s;
    const auto lock = engine->acquire_lock("nightly-report", patient);
    require(bool{lock}, "the lease of a dead holder ends");
    require(lock->fencing_token() > its_token, "a later holder has a greater token");
    std::cout << "token " << its_token << " of the dead process, then " << lock->fencing_token()
              << '\n';
}
