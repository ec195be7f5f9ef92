#include <cstdio>
#include <filesystem>
#include <sundial/engine.hpp>

/// An event and a row of the program's in one transaction, in a new file of this folder.
int main() {
    std::filesystem::remove("consumer.db");
    auto engine = sundial::Engine::open({.storage = "sqlite:consumer.db", .test_clock = true});
    if (!engine) {
        std::puts(engine.error().detail.c_str());
        return 1;
    }
    int greeted = 0;
    engine->on("GREETING", [&](const sundial::Event&) {
        ++greeted;
        return sundial::Handled::done();
    });
    const auto now = engine->now();
    if (!now) return 1;
    const auto done = engine->transact([&](sundial::Transaction& tx) {
        return tx.sql("CREATE TABLE orders (id INTEGER)").and_then([&](const auto&) {
            return tx.schedule({.type = "GREETING", .at = *now + std::chrono::hours{1}});
        });
    });
    if (!done) {
        std::puts(done.error().detail.c_str());
        return 1;
    }
    return engine->advance(std::chrono::hours{2}) && greeted == 1 ? 0 : 1;
}
