// Moving money under row locks: the second client waits for the first, so no work is repeated. This
// is better than optimistic locking if many clients want the same rows. The locks are always taken
// in the order of the ids, because two transfers in opposite directions would otherwise wait for
// each other.
#include <libpq-fe.h>

#include <atomic>
#include <memory>

#include "support.hpp"

namespace {

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

bool transfer(Postgres& bank, const std::string& from, const std::string& to, long long amount) {
    bank.run("BEGIN");
    bank.run("SELECT id FROM accounts WHERE id IN ($1, $2) ORDER BY id FOR UPDATE", {from, to});
    const bool enough = bank.run("SELECT balance FROM accounts WHERE id = $1", {from}) >= amount;
    if (enough) {
        const auto text = std::to_string(amount);
        bank.run("UPDATE accounts SET balance = balance - $2 WHERE id = $1", {from, text});
        bank.run("UPDATE accounts SET balance = balance + $2 WHERE id = $1", {to, text});
    }
    bank.run("COMMIT");
    return enough;
}

}  // namespace

int main(int, char** arguments) {
    const char* url = arguments[1];  // examples/with_postgres starts one
    Postgres bank{url};
    bank.run("CREATE TABLE accounts (id integer PRIMARY KEY, balance bigint NOT NULL)");
    bank.run("INSERT INTO accounts VALUES (1, 100), (2, 100)");

    std::atomic<int> refused = 0;
    in_parallel(8, [&](int number) {
        Postgres own{url};
        const bool forth = number % 2 == 0;
        for (int i = 0; i < 25; ++i) {
            if (!transfer(own, forth ? "1" : "2", forth ? "2" : "1", 9)) ++refused;
        }
    });

    std::cout << 200 - refused << " transfers both ways, " << refused << " without the money\n";
    require(bank.run("SELECT sum(balance) FROM accounts") == 200, "no money comes or goes");
    require(bank.run("SELECT min(balance) FROM accounts") >= 0, "nobody spends what is not there");
}
