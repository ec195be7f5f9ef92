// A handler that charges a card, in a process that may die after the work and before the outcome is
// stored: the event is then handled again. `once` recognises it, and the card is charged once.
#include <iostream>
#include <string>
#include <sundial/engine.hpp>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;

sundial::Handled charge(sundial::Engine& engine, const sundial::Event& event) {
    const auto charged = engine.transact([&](sundial::Transaction& tx) {
        const std::string& key = event.idempotency_key;
        return tx.once(
            key, event.payload, [&](sundial::Transaction& own) -> sundial::Result<std::string> {
                const auto row = own.sql("INSERT INTO charges (cents) VALUES ($1)", event.payload);
                if (!row) return row.error();
                return std::string{"charged"};
            });
    });
    if (!charged) return sundial::Handled::retry(charged.error().detail);
    std::cout << "attempt " << event.attempt << ": " << charged->answer
              << (charged->replayed ? " before\n" : "\n");
    // Stands for a process that dies here: the outcome of the first two attempts is lost.
    if (event.attempt < 3) return sundial::Handled::retry("the outcome was lost");
    return sundial::Handled::done();
}

}  // namespace

int main() {
    const TemporaryFolder folder;
    auto engine =
        sundial::Engine::open({.storage = "sqlite:" + folder.file("shop.db"), .test_clock = true});
    require(bool{engine}, "the engine opens");
    engine->on("CHARGE", [&](const sundial::Event& event) { return charge(*engine, event); });
    const auto created = engine->transact([](sundial::Transaction& tx) {
        return tx.sql("CREATE TABLE charges (cents TEXT NOT NULL)");
    });
    require(bool{created}, "the program has a table of its own");
    const auto now = engine->now();
    require(bool{now}, "the storage has a clock");
    const auto event = engine->schedule({.type = "CHARGE", .at = *now + 1h, .payload = "1250"});
    require(bool{event}, "the event is scheduled");

    require(bool{engine->advance(2h)}, "the clock advances");
    const auto handled = engine->find_event(event->id);
    require(handled && handled->status == "COMPLETED" && handled->attempt == 3,
            "the third attempt completes the event");
    const auto charges = engine->transact(
        [](sundial::Transaction& tx) { return tx.sql("SELECT count(*) FROM charges"); });
    require(charges && charges->integer(0, 0) == 1, "the card is charged once");
}
