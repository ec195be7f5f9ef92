// Events that the library schedules in transactions of a program's own: BEGIN, a row of the
// program, an event, COMMIT. bench/enqueue.py measures it beside SQL functions that do the same.
//
//     bench_caller_transactions URL EVENTS CONNECTIONS
//
// URL names a database with a table `orders (total integer)`. Prints one JSON object; `valid` says
// that every transaction was committed. The caller counts the rows.
#include <libpq-fe.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <sundial/engine.hpp>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;

using Connection = std::unique_ptr<PGconn, decltype([](PGconn* one) { PQfinish(one); })>;
using Answer = std::unique_ptr<PGresult, decltype([](PGresult* one) { PQclear(one); })>;

bool done(const Answer& answer) { return PQresultStatus(answer.get()) == PGRES_COMMAND_OK; }
bool run(PGconn* connection, const char* sql) { return done(Answer{PQexec(connection, sql)}); }

Connection connected(const std::string& url) {
    Connection connection{PQconnectdb(url.c_str())};
    const Answer prepared{
        PQprepare(connection.get(), "order", "INSERT INTO orders (total) VALUES (30)", 0, nullptr)};
    if (!done(prepared)) connection.reset();
    return connection;
}

/// One order with its reminder, both or neither.
bool place_order(PGconn* connection, sundial::CallerTransaction& tx, sundial::Instant due) {
    const bool stored =
        run(connection, "BEGIN") &&
        done(Answer{PQexecPrepared(connection, "order", 0, nullptr, nullptr, nullptr, 0)});
    const bool scheduled =
        stored &&
        tx.schedule({.type = "REMINDER", .at = due, .payload = R"({"order": 4711})"}).has_value();
    const bool ended = run(connection, scheduled ? "COMMIT" : "ROLLBACK");
    tx.committed();
    return scheduled && ended;
}

/// How many orders were not placed, and the seconds that it took.
std::pair<int, double> place(sundial::Engine& engine, const std::string& url, int events,
                             std::size_t connections, sundial::Instant due) {
    std::vector<Connection> opened;
    for (std::size_t i = 0; i < connections; ++i) {
        opened.push_back(connected(url));
        if (!opened.back()) return {events, 1.0};
    }
    std::atomic<int> next{0}, failed{0};
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::jthread> threads;
    for (const Connection& connection : opened) {
        threads.emplace_back([&] {
            auto tx = engine.in(connection.get());
            while (next.fetch_add(1) < events) {
                if (!place_order(connection.get(), tx, due)) ++failed;
            }
        });
    }
    threads.clear();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return {failed, took.count()};
}

}  // namespace

int main(int argc, char** argv) {
    const int events = argc == 4 ? std::atoi(argv[2]) : 0;
    const int connections = argc == 4 ? std::atoi(argv[3]) : 0;
    if (events <= 0 || connections <= 0) {
        std::cerr << "usage: bench_caller_transactions URL EVENTS CONNECTIONS\n";
        return 2;
    }
    auto engine = sundial::Engine::open({.storage = argv[1]});
    if (!engine) {
        std::cerr << engine.error().detail << '\n';
        return 1;
    }
    const auto now = engine->now();
    if (!now) {
        std::cerr << now.error().detail << '\n';
        return 1;
    }
    const auto [failed, seconds] =
        place(*engine, argv[1], events, static_cast<std::size_t>(connections), *now + 1h);
    std::printf(R"({"work":"caller-transactions","events":%d,"eventsPerSecond":%.1f,"valid":%s})"
                "\n",
                events, events / seconds, failed == 0 ? "true" : "false");
    return failed == 0 ? 0 : 1;
}
