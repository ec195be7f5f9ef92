// An order and its reminder in one transaction: both are stored, or neither. On SQLite the engine's
// file has the program's own tables too; on PostgreSQL they are in the same database.
#include <cstdint>
#include <iostream>
#include <string>
#include <sundial/engine.hpp>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;

constexpr int credit = 100;

sundial::Result<sundial::Done> place_order(sundial::Engine& engine, const std::string& id,
                                           int total, sundial::Instant due) {
    return engine.transact([&](sundial::Transaction& tx) -> sundial::Result<sundial::Done> {
        const auto row = tx.sql("INSERT INTO orders (id, total) VALUES ($1, $2)", id, total);
        if (!row) return row.error();
        const auto reminder =
            tx.schedule({.type = "REMINDER", .at = due, .payload = '"' + id + '"'});
        if (!reminder) return reminder.error();
        // Found out late: the row and the event are undone.
        if (total > credit) return sundial::Error{"NO_CREDIT", "the order is too large"};
        return sundial::Done{};
    });
}

std::int64_t stored_orders(sundial::Engine& engine) {
    const auto rows = engine.transact(
        [](sundial::Transaction& tx) { return tx.sql("SELECT count(*) FROM orders"); });
    require(bool{rows}, "the orders can be counted");
    return rows->integer(0, 0).value_or(-1);
}

}  // namespace

int main(int argc, char** argv) {
    const TemporaryFolder folder;
    const std::string storage = argc > 1 ? argv[1] : "sqlite:" + folder.file("shop.db");
    auto engine = sundial::Engine::open({.storage = storage, .test_clock = true});
    require(bool{engine}, "the engine opens");
    int reminded = 0;
    engine->on("REMINDER", [&](const sundial::Event& event) {
        std::cout << "reminder of order " << event.payload << '\n';
        ++reminded;
        return sundial::Handled::done();
    });
    const auto created = engine->transact([](sundial::Transaction& tx) {
        return tx.sql("CREATE TABLE orders (id TEXT PRIMARY KEY, total INTEGER NOT NULL)");
    });
    require(bool{created}, "the program has a table of its own");
    const auto now = engine->now();
    require(bool{now}, "the storage has a clock");

    require(bool{place_order(*engine, "17", 30, *now + 24h)}, "the first order is placed");
    const auto refused = place_order(*engine, "18", 3'000, *now + 24h);
    const bool by_reason = !refused && refused.error().code == "NO_CREDIT";
    const auto events = engine->events({.types = {"REMINDER"}});
    require(bool{events}, "the events can be listed");
    require(by_reason && stored_orders(*engine) == 1 && events->events.size() == 1,
            "a refused order leaves neither a row nor an event");
    require(bool{engine->advance(25h)} && reminded == 1,
            "the order that was placed has its reminder");
}
