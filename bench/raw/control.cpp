// The control of the lateness curves (bench/curves.py). One thread only wakes up at random
// instants; eight others wake up and commit a row each by libpq. Their delays are those of any
// program on this machine with this PostgreSQL.
//
//     bench_raw_control URL RATE
//
// Prints "ready" once both run. When standard input ends, prints a line for each instant: `timer`
// or `commit`, the instant in microseconds since 1970, and the microseconds from it until the
// thread ran, or until its commit was acknowledged.
#include <libpq-fe.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using std::chrono::microseconds;
using Instant = std::chrono::sys_time<microseconds>;

Instant now() {
    return std::chrono::time_point_cast<microseconds>(std::chrono::system_clock::now());
}

/// Commits on slow disks must not wait for each other, because Sundial's do not either.
constexpr int committers = 8;

class Commits {
public:
    /// Updates the row `number`, which no other connection updates.
    Commits(const std::string& url, int number) : connection_(PQconnectdb(url.c_str())) {
        if (PQstatus(connection_.get()) != CONNECTION_OK) fail();
        const std::string row = std::to_string(number);
        const auto run = [this](const std::string& sql) {
            keep(PQexec(connection_.get(), sql.c_str()));
        };
        if (number == 0)
            run("CREATE TABLE control (number int PRIMARY KEY, at timestamptz) WITH (fillfactor = "
                "10)");
        run("INSERT INTO control VALUES (" + row + ", now())");
        const std::string update =
            "UPDATE control SET at = statement_timestamp() WHERE number = " + row;
        keep(PQprepare(connection_.get(), "commit", update.c_str(), 0, nullptr));
    }
    void commit() {
        keep(PQexecPrepared(connection_.get(), "commit", 0, nullptr, nullptr, nullptr, 0));
    }

private:
    void keep(PGresult* result) {
        const bool done = PQresultStatus(result) == PGRES_COMMAND_OK;
        PQclear(result);
        if (!done) fail();
    }
    [[noreturn]] void fail() { throw std::runtime_error(PQerrorMessage(connection_.get())); }

    std::unique_ptr<PGconn, decltype([](PGconn* one) { PQfinish(one); })> connection_;
};

struct Sample {
    Instant due;
    microseconds late;
};

void sleep_until(Instant due) {
    const auto micros = due.time_since_epoch().count();
    const timespec at{static_cast<std::time_t>(micros / 1'000'000), micros % 1'000'000 * 1000};
    while (::clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, nullptr) != 0) {
    }
}

/// Does `work` at a random instant in each of the intervals that the rate gives, as `sundial bench
/// lateness` does. If an instant has passed during the work before, it counts from that instant.
std::vector<Sample> at_instants(double rate, std::size_t seed, const std::atomic<Instant>& end,
                                const std::function<void()>& work) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> within(0, 1);
    std::vector<Sample> samples;
    const Instant begin = now();
    for (std::size_t i = 0;; ++i) {
        const std::chrono::duration<double> after((static_cast<double>(i) + within(random)) / rate);
        const Instant due = begin + std::chrono::duration_cast<microseconds>(after);
        // Work that is behind at the end is done: it is the latest of all.
        if (due >= end.load()) return samples;
        sleep_until(due);
        work();
        samples.push_back({due, now() - due});
    }
}

void print(const char* kind, const std::vector<Sample>& samples) {
    for (const auto& [due, late] : samples) {
        std::cout << kind << ' ' << due.time_since_epoch().count() << ' ' << late.count() << '\n';
    }
}

void run(const std::string& url, double rate) {
    std::vector<std::unique_ptr<Commits>> connections;
    connections.reserve(committers);
    for (int i = 0; i < committers; ++i) connections.push_back(std::make_unique<Commits>(url, i));
    std::atomic<Instant> end{Instant::max()};
    std::vector<Sample> timed, committed;
    std::mutex mutex;
    std::exception_ptr failure;
    {
        const std::jthread timer([&] { timed = at_instants(rate, 0, end, [] {}); });
        std::vector<std::jthread> threads;
        threads.reserve(connections.size());
        for (std::size_t i = 0; i < connections.size(); ++i) {
            threads.emplace_back([&, i] {
                try {
                    const auto samples = at_instants(rate / committers, i + 1, end,
                                                     [&] { connections[i]->commit(); });
                    const std::lock_guard lock(mutex);
                    committed.insert(committed.end(), samples.begin(), samples.end());
                } catch (...) {
                    const std::lock_guard lock(mutex);
                    failure = std::current_exception();
                }
            });
        }
        std::cout << "ready\n" << std::flush;
        while (std::cin.get() != std::char_traits<char>::eof()) {
        }
        end = now();
    }
    if (failure) std::rethrow_exception(failure);
    print("timer", timed);
    print("commit", committed);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const double rate = argc == 3 ? std::stod(argv[2]) : 0;
        if (rate <= 0) {
            std::cerr << "usage: bench_raw_control URL RATE\n";
            return 2;
        }
        run(argv[1], rate);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "bench_raw_control: " << error.what() << '\n';
        return 1;
    }
}
