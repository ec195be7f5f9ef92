#include <cstdio>
#include <sundial/engine.hpp>

/// Without a storage of its own it has memory, and says how to get the others and a lock server.
int main() {
    if (!sundial::Engine::open({.storage = "memory:"})) return 1;
    const auto none = sundial::Engine::open({.storage = "sqlite:never.db"});
    if (none) return 1;
    const auto no_locks = sundial::Engine::open({.lock_server = "redis://127.0.0.1:1"});
    if (no_locks) return 1;
    std::puts(none.error().detail.c_str());
    std::puts(no_locks.error().detail.c_str());
    return none.error().code == "CANNOT_START" && no_locks.error().code == "CANNOT_START" &&
                   none.error().detail.find("Sundial::sqlite") != std::string::npos &&
                   no_locks.error().detail.find("Sundial::redis") != std::string::npos
               ? 0
               : 1;
}
