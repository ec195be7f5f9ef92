// Moving money with optimistic locking: read, decide, and write only if no other client has written
// in the meantime; otherwise start again, a few times. No client waits for another.
#include <atomic>
#include <sundial/engine.hpp>
#include <sundial/retry.hpp>

#include "support.hpp"

namespace {

sundial::Result<sundial::Done> transfer(Sqlite& bank, long long from, long long to,
                                        long long amount) {
    const auto payer = bank.run("SELECT balance, version FROM accounts WHERE id = ?", {from}).row;
    if (payer[0] < amount) return sundial::Error{"INSUFFICIENT_FUNDS", "not that much is there"};

    bank.run("BEGIN IMMEDIATE");
    const bool unchanged = bank.run(
                                   "UPDATE accounts SET balance = balance - ?, version = version + "
                                   "1 WHERE id = ? AND version = ?",
                                   {amount, from, payer[1]})
                               .changed == 1;
    if (unchanged) {
        bank.run("UPDATE accounts SET balance = balance + ?, version = version + 1 WHERE id = ?",
                 {amount, to});
    }
    bank.run(unchanged ? "COMMIT" : "ROLLBACK");
    if (!unchanged) return sundial::Error{"OPTIMISTIC_LOCK", "somebody has written since"};
    return sundial::Done{};
}

}  // namespace

int main() {
    const TemporaryFolder folder;
    Sqlite bank{folder.file("bank.db")};
    bank.run("CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER, version INTEGER)");
    bank.run("INSERT INTO accounts VALUES (1, 1000, 1), (2, 0, 1)");

    std::atomic<int> moved = 0, given_up = 0;
    in_parallel(4, [&](int) {
        Sqlite own{folder.file("bank.db")};
        for (int i = 0; i < 25; ++i) {
            const auto done = sundial::retry({.max_attempts = 5}, [&] {
                return transfer(own, 1, 2, 7);  // reads again each time
            });
            if (done) ++moved;
            if (!done && done.error().code == "OPTIMISTIC_LOCK") ++given_up;
        }
    });

    const auto left = bank.run("SELECT balance FROM accounts WHERE id = 1").row[0];
    const auto sum = bank.run("SELECT sum(balance) FROM accounts").row[0];
    std::cout << moved << " transfers, " << given_up << " given up after five conflicts\n";
    require(moved + given_up == 100, "each transfer is done or refused as a conflict");
    require(left == 1000 - 7 * moved, "each transfer that was done has moved 7, once");
    require(sum == 1000, "no money comes or goes");
}
