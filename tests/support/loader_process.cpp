// One of many processes that need the same value, which one of them loads for all.
//
// usage: loader_process URL LEASE_MS    prints "loading" if this process loads the value; loads it
// after
//                                       a line on standard input, then prints "got VALUE"
//        loader_process URL prepare     creates the table that the processes share
#include <libpq-fe.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/postgres/open.hpp"
#include "adapters/system/clocks.hpp"
#include "adapters/system/ids.hpp"
#include "adapters/system/secrets.hpp"
#include "application/locks/locks.hpp"
#include "application/locks/stored_locks.hpp"
#include "sundial/cache.hpp"
#include "support/recorded_log.hpp"

namespace {

using namespace sundial;
using Loaded = Cache<std::string, std::string>::Loaded;

/// A table that holds the shared value.
class SharedPlace {
public:
    explicit SharedPlace(const char* url) : connection_{PQconnectdb(url), PQfinish} {}
    void prepare() {
        (void)run("CREATE TABLE shared_values (key text PRIMARY KEY, value text)", {});
    }
    std::optional<std::string> find(const std::string& key) {
        const auto answer = run("SELECT value FROM shared_values WHERE key = $1", {key});
        if (PQntuples(answer.get()) == 0) return std::nullopt;
        return PQgetvalue(answer.get(), 0, 0);
    }
    void keep(const std::string& key, const std::string& value) {
        (void)run("INSERT INTO shared_values VALUES ($1, $2)", {key, value});
    }

private:
    using Answer = std::unique_ptr<PGresult, decltype(&PQclear)>;
    Answer run(const char* sql, const std::vector<std::string>& parameters) {
        std::vector<const char*> texts;
        for (const auto& parameter : parameters) texts.push_back(parameter.c_str());
        return {PQexecParams(connection_.get(), sql, static_cast<int>(texts.size()), nullptr,
                             texts.data(), nullptr, nullptr, 0),
                PQclear};
    }
    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

}  // namespace

int main(int, char** arguments) {
    SharedPlace place{arguments[1]};
    RecordedLog log;
    const auto database = postgres::PostgresDatabase::open({.url = arguments[1]}, log);
    if (std::string{arguments[2]} == "prepare") return place.prepare(), 0;

    StoredLocks store{database->store()};
    system::SystemLockTokens tokens;
    system::SystemRandom random;
    const system::BootClock monotonic;
    LockWaits waits;
    Locks locks{{store, tokens, waits, random, monotonic}};
    LockLeases leases{locks, "loader"};

    Cache<std::string, std::string> cache{
        {},
        once_across_processes<std::string, std::string>(
            {.leases = leases,
             .name = [](const std::string& key) { return "load:" + key; },
             .find = [&](const std::string& key) { return Loaded{place.find(key)}; },
             .keep = [&](const std::string& key,
                         const std::string& value) { place.keep(key, value); },
             .lease = std::chrono::milliseconds{std::stoi(arguments[2])}},
            [](const std::string& key, const std::stop_token&) -> Loaded {
                std::cout << "loading" << std::endl;
                std::string go_on;
                std::getline(std::cin, go_on);
                return std::optional{"the value of " + key};
            })};
    const auto value = cache.get("report");
    std::cout << "got " << (value ? **value : value.error().code) << std::endl;
}
