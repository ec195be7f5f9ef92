// A scheduler in a program that is killed (kill -9) in the middle of its work, and started again.
// Each bill is paid once: its payment and the end of its event are committed together.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <semaphore>
#include <string>
#include <sundial/engine.hpp>
#include <sundial/scheduling.hpp>

#include "support.hpp"

namespace {

constexpr int bills = 50;
constexpr int paid_before_the_kill = 10;

sundial::Result<sundial::Done> pay(sundial::Engine& engine, const sundial::Event& event) {
    return engine.transact([&](sundial::Transaction& tx) -> sundial::Result<sundial::Done> {
        const auto row = tx.sql("INSERT INTO payments (bill) VALUES ($1)", event.idempotency_key);
        if (!row) return row.error();
        const auto completed = tx.complete(event);
        if (!completed) return completed.error();
        return sundial::Done{};
    });
}

bool make_bills(sundial::Engine& engine) {
    const auto now = engine.now();
    if (!now) return false;
    const auto stored =
        engine.transact([&](sundial::Transaction& tx) -> sundial::Result<sundial::Done> {
            const auto table = tx.sql("CREATE TABLE payments (bill TEXT NOT NULL)");
            if (!table) return table.error();
            for (int number = 1; number <= bills; ++number) {
                const auto bill =
                    tx.schedule({.type = "BILL",
                                 .at = *now,
                                 .idempotency_key = "bill-" + std::to_string(number)});
                if (!bill) return bill.error();
            }
            return sundial::Done{};
        });
    return bool{stored};
}

/// The program until it is killed: it stops in the middle of a handler, right after a payment.
[[noreturn]] void run_until_killed(const std::string& storage, int tell) {
    auto engine = sundial::Engine::open({.storage = storage});
    if (!engine || !make_bills(*engine)) _exit(1);
    std::atomic<int> paid = 0;
    engine->on("BILL", [&](const sundial::Event& event) {
        const auto done = pay(*engine, event);
        if (!done) return sundial::Handled::retry(done.error().detail);
        if (++paid >= paid_before_the_kill) {
            if (write(tell, "!", 1) != 1) _exit(1);
            for (;;) pause();
        }
        return sundial::Handled::done();
    });
    engine->start();
    for (;;) pause();
}

std::int64_t number_of(sundial::Engine& engine, const char* what) {
    const auto rows = engine.transact([&](sundial::Transaction& tx) {
        return tx.sql("SELECT count(" + std::string{what} + ") FROM payments");
    });
    require(bool{rows}, "the payments can be counted");
    return rows->integer(0, 0).value_or(-1);
}

/// The bills whose events have not ended.
std::ptrdiff_t bills_left(sundial::Engine& engine) {
    const auto left =
        engine.events({.statuses = {"PENDING", "PROCESSING"}, .types = {"BILL"}}, {.limit = bills});
    require(bool{left}, "the events can be listed");
    return std::ssize(left->events);
}

}  // namespace

int main() {
    const TemporaryFolder folder;
    const std::string storage = "sqlite:" + folder.file("bills.db");
    int channel[2];
    require(pipe(channel) == 0, "there is a pipe");
    const pid_t first_run = fork();  // before this process has an engine
    require(first_run >= 0, "there is a second process");
    if (first_run == 0) run_until_killed(storage, channel[1]);
    close(channel[1]);
    char told = 0;
    const bool working = read(channel[0], &told, 1) == 1;
    kill(first_run, SIGKILL);
    waitpid(first_run, nullptr, 0);
    require(working, "the program pays bills");

    auto engine = sundial::Engine::open({.storage = storage});
    require(bool{engine}, "the program starts again");
    const auto paid_before = number_of(*engine, "*");
    require(paid_before >= paid_before_the_kill && paid_before < bills,
            "it was killed in the middle of its work");
    const auto left = bills_left(*engine);
    std::counting_semaphore<bills> paid{0};
    engine->on("BILL", [&](const sundial::Event& event) {
        const auto done = pay(*engine, event);
        if (!done) return sundial::Handled::retry(done.error().detail);
        paid.release();
        return sundial::Handled::done();
    });
    engine->start();
    for (auto number = left; number > 0; --number) paid.acquire();
    engine->stop();
    require(number_of(*engine, "*") == bills && number_of(*engine, "DISTINCT bill") == bills,
            "each bill is paid once");
    std::cout << paid_before << " bills paid before the kill, " << left << " after it\n";
}
