#include <cstdio>
#include <sundial/engine.hpp>

/// Nothing listens on that port: the engine opens, and its locks are not available.
int main() {
    auto engine = sundial::Engine::open({.lock_server = "redis://127.0.0.1:1"});
    if (!engine) {
        std::puts(engine.error().detail.c_str());
        return 1;
    }
    const auto lock = engine->acquire_lock("job");
    return !lock && lock.error().code == "STORAGE_UNAVAILABLE" ? 0 : 1;
}
