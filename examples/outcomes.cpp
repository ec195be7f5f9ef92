// How events ended, counted in a table of the program's own: once each, although no program ran
// when they ended, and although the first try to count them failed halfway.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <sundial/outcomes.hpp>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;
using sundial::Done;
using sundial::Engine;
using sundial::Event;
using sundial::EventOutcome;
using sundial::Handled;
using sundial::Result;
using sundial::Subscription;
using sundial::Transaction;

Engine opened(const std::string& file) {
    auto engine = Engine::open({.storage = "sqlite:" + file, .test_clock = true}).value();
    engine.on("INVOICE", [](const Event& event) {
        return event.payload == "0" ? Handled::refuse("nothing to pay") : Handled::done();
    });
    return engine;
}

/// Counts in the transaction that takes the outcome from the queue. Fails, after it has counted, at
/// the event with the payload `trouble`.
Subscription counting(Engine& engine, const std::string& trouble) {
    sundial::OutcomeFollowing how{.name = "totals", .event_types = {"INVOICE"}};
    how.retry = {.max_attempts = 1};
    const auto count = [trouble](Transaction& tx, const EventOutcome& outcome) -> Result<Done> {
        const auto counted = tx.sql(
            "INSERT INTO shop_totals (status, invoices) VALUES ($1, 1)"
            " ON CONFLICT (status) DO UPDATE SET invoices = invoices + 1",
            outcome.status);
        if (!counted) return counted.error();
        if (outcome.payload == trouble) throw std::runtime_error{"out of paper"};
        return Done{};
    };
    return engine.outcomes().project(how, count).value();
}

std::int64_t invoices(Engine& engine, const std::string& status) {
    std::int64_t found = 0;
    (void)engine.transact([&](Transaction& tx) {
        const auto rows = tx.sql("SELECT invoices FROM shop_totals WHERE status = $1", status);
        if (rows) found = rows->integer(0, 0).value_or(0);
    });
    return found;
}

}  // namespace

int main() {
    const TemporaryFolder folder;
    const std::string file = folder.file("shop.db");
    {
        Engine engine = opened(file);
        require(engine
                    .transact([](Transaction& tx) {
                        (void)tx.sql(
                            "CREATE TABLE shop_totals (status TEXT PRIMARY KEY, invoices INTEGER)");
                    })
                    .has_value(),
                "the table is made");
        counting(engine, "");  // outcomes wait from now on
        for (int amount = 0; amount < 10; ++amount) {
            (void)engine
                .schedule({.type = "INVOICE",
                           .at = engine.now().value() + 1h,
                           .payload = std::to_string(amount)})
                .value();
        }
        (void)engine.advance(2h).value();
    }
    Engine engine = opened(file);
    auto failing = counting(engine, "4");
    require(!failing.catch_up(), "the fifth outcome cannot be counted");
    auto totals = counting(engine, {});
    require(totals.catch_up().has_value(), "the others are counted");
    require(totals.catch_up().has_value(), "there is nothing more to count");
    require(invoices(engine, "COMPLETED") == 9, "nine invoices were counted once each");
    require(invoices(engine, "FAILED") == 1, "one invoice failed");
    require(engine.outcomes().lag("totals").value() == 0, "no outcome waits");
    return EXIT_SUCCESS;
}
