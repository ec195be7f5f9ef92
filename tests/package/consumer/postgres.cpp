#include <sundial/engine.hpp>
#include <sundial/session_lock.hpp>

/// Nothing listens on that port.
int main() {
    const std::string nobody = "postgresql://127.0.0.1:1/nobody?connect_timeout=5";
    const auto lock = sundial::SessionLock::acquire(nobody, "migrate");
    const auto engine = sundial::Engine::open({.storage = nobody});
    const auto unavailable = [](const auto& answer) {
        return !answer && answer.error().code == "STORAGE_UNAVAILABLE";
    };
    return unavailable(lock) && unavailable(engine) ? 0 : 1;
}
