// Moving money under row locks: the second client waits for the first, so no work is repeated. This
// is better than optimistic locking if many clients want the same rows. The locks are always taken
// in the order of the ids, because two transfers in opposite directions would otherwise wait for
// each other.
#include <libpq-fe.h>

#include <atomic>
#include <memory>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;

/// One connection to PostgreSQL, for one thread.
class Postgres {
public:
    explicit Postgres(const char* url) : connection_{PQconnectdb(url), PQfinish} {}

    /// The first value of the result as a number; 0 if there is none.
    long long run(const char* sql, const std::vector<std::string>& parameters = {}) {
        std::vector<const char*> texts;
        for (const auto& parameter : parameters) texts.push_back(parameter.c_str());
        const std::unique_ptr<PGresult, decltype(&PQclear)> answer{
            PQexecParams(connection_.get(), sql, static_cast<int>(texts.size()), nullptr,
                         texts.data(), nullptr, nullptr, 0),
            PQclear};
        const auto status = PQresultStatus(answer.get());
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
            throw std::runtime_error{PQerrorMessage(connection_.get())};
        }
        return PQntuples(answer.get()) > 0 ? std::stoll(PQgetvalue(answer.get(), 0, 0)) : 0;
    }

private:
    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

bool transfer(Postgres& bank, const std::string& from, const std::string& to, long long amount,
              Crossing& crossing) {
    bank.run("BEGIN");
    bank.run("SELECT id FROM accounts WHERE id IN ($1, $2) ORDER BY id FOR UPDATE", {from, to});
    const long long payer = bank.run("SELECT balance FROM accounts WHERE id = $1", {from});
    const long long payee = bank.run("SELECT balance FROM accounts WHERE id = $1", {to});
    crossing.wait(100ms);  // so that others come between, if they can
    const bool enough = payer >= amount;
    if (enough) {
        bank.run(
            "UPDATE accounts SET balance = CASE id WHEN $1 THEN $3::bigint ELSE $4::bigint END "
            "WHERE id IN ($1, $2)",
            {from, to, std::to_string(payer - amount), std::to_string(payee + amount)});
    }
    bank.run("COMMIT");
    return enough;
}

}  // namespace

int main(int, char** arguments) {
    const char* url = arguments[1];  // examples/with_postgres starts one
    Postgres bank{url};
    bank.run("CREATE TABLE accounts (id integer PRIMARY KEY, balance bigint NOT NULL)");
    bank.run("INSERT INTO accounts VALUES (1, 100000), (2, 0)");

    // So much, and so little, that no sum of the ones makes up for one of the others.
    constexpr long long much = 101, little = 1;
    std::atomic<long long> forth = 0, back = 0, refused = 0;
    constexpr int writers = 16;
    Crossing crossing{writers};
    in_parallel(writers, [&](int number) {
        Postgres own{url};
        for (int i = 0; i < 6; ++i) {
            if (number % 2 == 0) {
                ++(transfer(own, "1", "2", much, crossing) ? forth : refused);
            } else {
                ++(transfer(own, "2", "1", little, crossing) ? back : refused);
            }
        }
    });

    std::cout << forth << " transfers forth, " << back << " back, " << refused
              << " without the money\n";
    require(bank.run("SELECT balance FROM accounts WHERE id = 1") ==
                100000 - forth * much + back * little,
            "each transfer that was done has moved its money, once");
    require(bank.run("SELECT sum(balance) FROM accounts") == 100000,
            "the sum of the balances is unchanged");
    require(bank.run("SELECT min(balance) FROM accounts") >= 0, "no account is overdrawn");
}
