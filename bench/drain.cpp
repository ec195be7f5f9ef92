// How fast one process claims, hands to an in-process handler that does nothing, and settles:
// events per second.
//
//     build/release/bin/bench_drain sqlite:/tmp/drain.db 100000
//     build/release/bin/bench_drain postgresql://… 100000
//
// The database should be fresh. Prints one JSON object; refuses to call the run valid when events
// are left over.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <string>

#include "adapters/system/ids.hpp"
#include "adapters/system/json_log.hpp"
#include "adapters/zones/cctz_time_zones.hpp"
#include "base/json_writer.hpp"
#include "server/engine.hpp"
#include "server/observers.hpp"

namespace {

using namespace sundial;

/// Fills the database with events that are due already, a thousand in each transaction.
void prepare(Store& store, Ids& ids, std::size_t count) {
    constexpr std::size_t batch = 1000;
    for (std::size_t made = 0; made < count; made += batch) {
        store.transact([&](Transaction& tx) {
            std::vector<Event> events;
            for (std::size_t i = made; i < std::min(count, made + batch); ++i) {
                const IdempotencyKey key{"drain-" + std::to_string(i)};
                events.push_back({.id = ids.event_id(key),
                                  .key = key,
                                  .type = "NOOP",
                                  .user = {},
                                  .endpoint = {},
                                  .occurrence = {},
                                  .intent = {},
                                  .due = tx.now(),
                                  .tz_release = {},
                                  .payload = "{}",
                                  .claimable_at = tx.now(),
                                  .retry_of = {},
                                  .first_attempt_at = {},
                                  .dismissed_at = {},
                                  .created_at = tx.now(),
                                  .updated_at = tx.now()});
            }
            return tx.events().add_new(events) == events.size();
        });
    }
}

/// Counts what is settled, and tells when all of it is.
class Countdown final : public EngineObserver {
public:
    explicit Countdown(std::size_t from) : left_(from) {}
    void transition(std::string_view /*type*/, EventStatus status, std::size_t count) override {
        if (status != EventStatus::completed) return;
        const std::lock_guard lock(mutex_);
        left_ -= std::min(left_, count);
        if (left_ == 0) done_.notify_all();
    }
    void wait() {
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] { return left_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable done_;
    std::size_t left_;
};

int run(const std::string& url, std::size_t count) {
    server::Settings settings;
    settings.storage.url = url;
    system::LogSettings quiet;
    quiet.level = base::LogLevel::error;
    system::JsonLog log(quiet);
    const zones::CctzTimeZones zones;
    system::SystemIds ids;
    const auto give_up = [](const std::string& why) {
        std::fprintf(stderr, "%s\n", why.c_str());
        std::exit(1);
    };
    auto database = server::open_database(settings, false, log, give_up, {});
    Store& store = database->store();
    EventQueue& queue = database->queue();
    prepare(store, ids, count);

    Handlers handlers;
    std::atomic<std::size_t> handled{0};
    handlers.on("NOOP", [&](const Event&) {
        ++handled;
        return Handled{};
    });
    Countdown countdown(count);
    StorageObserver nobody;
    server::Engine engine(std::move(database), {.settings = settings,
                                                .zones = zones,
                                                .handlers = handlers,
                                                .observer = countdown,
                                                .storage_observer = nobody,
                                                .log = log,
                                                .encryption_keys = {}});
    const auto begin = std::chrono::steady_clock::now();
    engine.start();
    countdown.wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    engine.stop();
    const QueueDepth depth = queue.depth();
    const bool valid =
        handled == count && depth.stored[static_cast<std::size_t>(EventStatus::completed)] == count;
    base::JsonWriter json;
    json.begin_object().member("work", "drain").member("events", count);
    json.member("eventsPerSecond", static_cast<double>(count) / took.count())
        .member("valid", valid)
        .end_object();
    std::cout << json.text() << '\n';
    return valid ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: bench_drain DATABASE-URL EVENTS\n";
        return 2;
    }
    try {
        return run(argv[1], std::stoul(argv[2]));
    } catch (const std::exception& error) {
        std::cerr << "bench_drain: " << error.what() << '\n';
        return 1;
    }
}
