// Moving money with optimistic locking: read, decide, and write only if no other client has written
// in the meantime; otherwise start again, a few times. No client waits for another.
#include <atomic>
#include <sundial/engine.hpp>
#include <sundial/retry.hpp>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;

sundial::Result<sundial::Done> transfer(Sqlite& bank, long long from, long long to,
                                        long long amount, Crossing& crossing) {
    const auto payer = bank.run("SELECT balance, version FROM accounts WHERE id = ?", {from}).row;
    if (payer[0] < amount) return sundial::Error{"INSUFFICIENT_FUNDS", "not that much is there"};
    crossing.wait(1s);  // so that all have read before the first one writes

    bank.run("BEGIN IMMEDIATE");
    const bool unchanged = bank.run(
                                   "UPDATE accounts SET balance = ?, version = version + 1 "
                                   "WHERE id = ? AND version = ?",
                                   {payer[0] - amount, from, payer[1]})
                               .changed == 1;
    if (unchanged) {
        bank.run("UPDATE accounts SET balance = balance + ?, version = version + 1 WHERE id = ?",
                 {amount, to});
    }
    bank.run(unchanged ? "COMMIT" : "ROLLBACK");
    if (!unchanged) return sundial::Error{"OPTIMISTIC_LOCK", "another writer has changed the row"};
    return sundial::Done{};
}

}  // namespace

int main() {
    const TemporaryFolder folder;
    Sqlite bank{folder.file("bank.db")};
    bank.run("CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER, version INTEGER)");
    bank.run("INSERT INTO accounts VALUES (1, 1000, 1), (2, 0, 1)");

    std::atomic<int> calls = 0, moved = 0;
    Crossing crossing{4};
    in_parallel(4, [&](int) {
        Sqlite own{folder.file("bank.db")};
        for (int i = 0; i < 25; ++i) {
            const auto done = sundial::retry({.max_attempts = 100}, [&] {
                ++calls;
                return transfer(own, 1, 2, 7, crossing);  // each call reads again
            });
            if (done) ++moved;
        }
    });

    const auto left = bank.run("SELECT balance FROM accounts WHERE id = 1").row[0];
    const auto sum = bank.run("SELECT sum(balance) FROM accounts").row[0];
    std::cout << moved << " transfers, " << calls - moved << " conflicts on the way\n";
    require(left == 1000 - 7 * moved, "each transfer that was done has moved 7, once");
    require(sum == 1000, "the sum of the balances is unchanged");
    require(moved == 100, "each caller tries again after a conflict");
}
