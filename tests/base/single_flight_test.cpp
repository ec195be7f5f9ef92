#include "sundial/single_flight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sundial {
namespace {

using namespace std::chrono_literals;
using embedding::Error;
using Flights = SingleFlight<std::string, std::string>;
using LoadedReport = embedding::Result<std::string>;

/// Several callers of one key, each on its own thread, and their results.
class Callers {
public:
    Callers(Flights& flights, int count, const Flights::Loader& loader,
            const std::string& key = "acme/report") {
        for (int i = 0; i < count; ++i) {
            answers_.push_back(std::async(
                std::launch::async, [&flights, key, loader] { return flights.run(key, loader); }));
        }
    }
    std::vector<Flights::Answer> answers() {
        std::vector<Flights::Answer> all;
        for (auto& answer : answers_) all.push_back(answer.get());
        return all;
    }

private:
    std::vector<std::future<Flights::Answer>> answers_;
};

/// Returns once `callers` wait for the key, or when the test's time is up.
void wait_for(const Flights& flights, std::size_t callers, const std::string& key = "acme/report") {
    while (flights.waiting(key) < callers) std::this_thread::yield();
}

TEST(SingleFlight, SF01_AThousandCallersOfAColdKeyShareOneLoadAndOneObject) {
    constexpr int callers = 1'000;
    Flights flights;
    std::atomic<int> loads = 0;
    Callers all{flights, callers, [&](const std::stop_token&) -> LoadedReport {
                    ++loads;
                    wait_for(flights, callers);
                    return LoadedReport{"42 sales"};
                }};

    const auto answers = all.answers();
    std::set<const std::string*> objects;
    for (const auto& answer : answers) {
        ASSERT_TRUE(answer);
        objects.insert(answer->get());
    }
    EXPECT_EQ(loads, 1);
    EXPECT_EQ(objects.size(), 1U);
    EXPECT_EQ(**objects.begin(), "42 sales");
    EXPECT_EQ(flights.waiting("acme/report"), 0U);
}

TEST(SingleFlight, SF02_AnotherTenantsKeyIsAnotherLoad) {
    Flights flights;
    std::latch both{2};  // neither load blocks the other
    const Flights::Loader loader = [&](const std::stop_token&) -> LoadedReport {
        both.arrive_and_wait();
        return LoadedReport{"done"};
    };
    Callers acme{flights, 1, loader, "acme/report"};
    Callers other{flights, 1, loader, "other/report"};
    const auto first = acme.answers().front();
    const auto second = other.answers().front();
    ASSERT_TRUE(first && second);
    EXPECT_NE(*first, *second);
}

TEST(SingleFlight, SF03_AFailureReachesAllWaitersAndNoLaterCaller) {
    constexpr int callers = 8;
    Flights flights;
    const Error failure{"STORAGE_UNAVAILABLE", "no connection"};
    Callers all{flights, callers, [&](const std::stop_token&) -> LoadedReport {
                    wait_for(flights, callers);
                    return failure;
                }};
    for (const auto& answer : all.answers()) EXPECT_EQ(answer.error(), failure);

    const auto next =
        flights.run("acme/report", [](const std::stop_token&) { return LoadedReport{"x"}; });
    ASSERT_TRUE(next);
    EXPECT_EQ(**next, "x");
}

TEST(SingleFlight, SF03_ALoaderThatThrowsFails) {
    Flights flights;
    const auto answer = flights.run(
        "key", [](const std::stop_token&) -> LoadedReport { throw std::runtime_error{"broken"}; });
    EXPECT_EQ(answer.error(), (Error{"INTERNAL_ERROR", "broken"}));
}

TEST(SingleFlight, ALoaderThatThrowsAnythingFailsAndTheNextOneIsAsked) {
    Flights flights;
    const auto answer =
        flights.run("key", [](const std::stop_token&) -> LoadedReport { throw 42; });
    EXPECT_EQ(answer.error().code, "INTERNAL_ERROR");
    const auto next = flights.run("key", [](const std::stop_token&) { return LoadedReport{"x"}; });
    ASSERT_TRUE(next);
    EXPECT_EQ(**next, "x");
}

/// A load that ends when the test says so, or when a stop is requested.
class HeldLoad {
public:
    Flights::Loader loader() {
        return [this](const std::stop_token& stop) -> LoadedReport {
            ++loads;
            begun.count_down();
            const std::stop_callback on_stop{stop, [this] { release(); }};
            released_.wait(false);
            if (!stop.stop_requested()) return LoadedReport{"late"};
            return Error{"STOPPED", "the loader was stopped"};
        };
    }
    void release() {
        released_ = true;
        released_.notify_all();
    }
    std::latch begun{1};
    std::atomic<int> loads = 0;

private:
    std::atomic<bool> released_ = false;
};

TEST(SingleFlight, SF04_ACallerWhoseTimeIsUpLeavesWithoutStoppingTheLoad) {
    Flights flights;
    HeldLoad load;
    const auto past = real_timing().now() - 1s;

    const auto hurried = std::async(std::launch::async, [&] {
        // Another caller must stay, otherwise the load would be stopped.
        wait_for(flights, 1);
        return flights.run("acme/report", load.loader(), {}, past);
    });
    std::stop_source impatient;
    auto leader = std::async(std::launch::async, [&] {
        return flights.run("acme/report", load.loader(), impatient.get_token());
    });
    load.begun.wait();
    Callers patient{flights, 1, load.loader()};
    hurried.wait();
    wait_for(flights, 2);
    impatient.request_stop();
    EXPECT_EQ(leader.get().error().code, "STOPPED");
    load.release();

    const auto answer = patient.answers().front();
    ASSERT_TRUE(answer);
    EXPECT_EQ(**answer, "late");
    EXPECT_EQ(load.loads, 1);
}

TEST(SingleFlight, SF04_ADeadlineThatPassesIsATimeOut) {
    Flights flights;
    HeldLoad load;
    Callers patient{flights, 1, load.loader()};
    load.begun.wait();
    const auto hurried = flights.run("acme/report", load.loader(), {}, real_timing().now() - 1s);
    EXPECT_EQ(hurried.error().code, "REQUEST_TIMEOUT");
    load.release();
    EXPECT_TRUE(patient.answers().front());
}

TEST(SingleFlight, SF05_WhenEveryCallerHasLeftTheLoaderIsAskedToStop) {
    HeldLoad load;
    {
        Flights flights;
        std::stop_source stop;
        std::vector<std::future<Flights::Answer>> callers;
        for (int i = 0; i < 4; ++i) {
            callers.push_back(std::async(std::launch::async, [&] {
                return flights.run("acme/report", load.loader(), stop.get_token());
            }));
        }
        load.begun.wait();
        wait_for(flights, 4);
        stop.request_stop();
        for (auto& caller : callers) EXPECT_EQ(caller.get().error().code, "STOPPED");

        EXPECT_EQ(flights.waiting("acme/report"), 0U);
        const auto again = flights.run(
            "acme/report", [](const std::stop_token&) { return LoadedReport{"second"}; });
        ASSERT_TRUE(again);
        EXPECT_EQ(**again, "second");
    }  // waits for the loader, which returns only on a stop request
    EXPECT_EQ(load.loads, 1);
}

TEST(SingleFlight, SF05_AtItsEndLoadsWithoutWaitersAreStopped) {
    HeldLoad load;
    {
        Flights flights;
        EXPECT_TRUE(flights.start("acme/report", load.loader()));
        EXPECT_FALSE(flights.start("acme/report", load.loader())) << "one is in flight";
        load.begun.wait();
    }
    EXPECT_EQ(load.loads, 1);
}

TEST(SingleFlight, SF06_ALoaderThatAsksForItsOwnKeyIsRefused) {
    Flights flights;
    const auto answer = flights.run("a", [&](const std::stop_token&) -> LoadedReport {
        const auto other = flights.run("b", [&](const std::stop_token&) -> LoadedReport {
            const auto own =
                flights.run("a", [](const std::stop_token&) { return LoadedReport{"no"}; });
            return LoadedReport{own ? **own : own.error().code};
        });
        return LoadedReport{**other};
    });
    ASSERT_TRUE(answer);
    EXPECT_EQ(**answer, "VALIDATION_FAILED");
}

TEST(SingleFlight, SF07_ACallAfterForgetLoadsAgain) {
    Flights flights;
    HeldLoad load;
    Callers before{flights, 1, load.loader()};
    load.begun.wait();

    flights.forget("acme/report");
    const auto after =
        flights.run("acme/report", [](const std::stop_token&) { return LoadedReport{"new"}; });
    load.release();

    ASSERT_TRUE(after);
    EXPECT_EQ(**after, "new");
    EXPECT_EQ(**before.answers().front(), "late");
}

TEST(SingleFlight, WithoutAThreadToRunOnTheLoadFails) {
    Flights flights{[](const std::function<void()>&) { throw std::runtime_error{"no thread"}; }};
    std::stop_source stop;
    const auto answer = flights.run(
        "key", [](const std::stop_token&) { return LoadedReport{"x"}; }, stop.get_token());
    EXPECT_EQ(answer.error(), (Error{"INTERNAL_ERROR", "no thread"}));
}

TEST(SingleFlight, AnyFailureToStartAThreadFailsTheLoad) {
    Flights flights{[](const std::function<void()>&) { throw 42; }};
    std::stop_source stop;
    const auto answer = flights.run(
        "key", [](const std::stop_token&) { return LoadedReport{"x"}; }, stop.get_token());
    EXPECT_EQ(answer.error().code, "INTERNAL_ERROR");
}

}  // namespace
}  // namespace sundial
