#include <algorithm>
#include <atomic>
#include <mutex>

#include "adapters/system/clocks.hpp"
#include "application/events/schedule_event.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/failures.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"
#include "server/bench/api_server.hpp"
#include "server/bench/measurement.hpp"
#include "server/bench/site.hpp"

namespace sundial::bench {
namespace {

using namespace std::chrono_literals;

/// Creates the events numbered `from` to `to` - 1; false if one was refused. One per thread.
using CreateSome = std::function<bool(std::size_t from, std::size_t to)>;

/// Events created here are not claimed.
class NoWakeups final : public Wakeups {
    void due_at(Instant /*when*/) override {}
};

/// Two years ahead, one per second.
Instant due_of(std::size_t i) {
    static const Instant first = system::real_time() + std::chrono::days(730);
    return first + std::chrono::seconds(static_cast<std::int64_t>(i));
}

/// `make` returns the function with which one thread creates. Together the threads create each
/// event once.
Measured create_with(const Site& site, const std::function<CreateSome()>& make) {
    const std::size_t count = site.options.events, batch = site.options.batch;
    std::atomic<std::size_t> next{0}, refused{0};
    std::mutex mutex;
    std::vector<microseconds> durations;
    Measured measured = site.measure(count, [&] {
        in_threads(site.options.in_flight, [&](std::size_t) {
            const CreateSome create_some = make();
            std::vector<microseconds> own;
            for (std::size_t from = next.fetch_add(batch); from < count;
                 from = next.fetch_add(batch)) {
                const auto begin = site.clock.now();
                if (!create_some(from, std::min(count, from + batch))) ++refused;
                own.push_back(site.clock.now() - begin);
                site.progress.at(site.work.name, from, count);
            }
            const std::lock_guard lock(mutex);
            durations.insert(durations.end(), own.begin(), own.end());
        });
    });
    measured.latency = spread_of(std::move(durations));
    if (refused > 0) {
        measured.faults.push_back(std::to_string(refused) + " calls were refused");
    }
    return measured;
}

CreateSome one_by_one(const Site& site, ScheduleEvent& schedule) {
    return [&site, &schedule](std::size_t from, std::size_t to) {
        bool all = true;
        for (std::size_t i = from; i < to; ++i) {
            NewEvent requested;
            requested.event_type = event_type;
            requested.target.utc = format_instant(due_of(i));
            requested.idempotency_key = site.key(i).value;
            all = schedule.run(requested).has_value() && all;
        }
        return all;
    };
}

/// Many events per transaction, each key checked.
CreateSome in_bulk(const Site& site, Store& store) {
    return [&site, &store](std::size_t from, std::size_t to) {
        std::size_t added = 0;
        store.transact([&](Transaction& tx) {
            std::vector<Event> events;
            for (std::size_t i = from; i < to; ++i)
                events.push_back(an_event(site.ids, site.key(i), due_of(i), tx.now()));
            added = tx.events().add_new(events);
            return true;
        });
        return added == to - from;
    };
}

void write_event(base::JsonWriter& json, const Site& site, std::size_t i) {
    json.begin_object().member("eventType", event_type);
    json.member("targetTimestampUTC", format_instant(due_of(i)));
    json.member("idempotencyKey", site.key(i).value);
    json.key("deliveryPayload").raw("{}").end_object();
}

CreateSome over_http(const Site& site, std::uint16_t port) {
    return [&site, connection = std::make_shared<ApiConnection>(port)](std::size_t from,
                                                                       std::size_t to) {
        base::JsonWriter json;
        if (site.options.batch == 1) {
            write_event(json, site, from);
            return connection->post("/v1/events", json.text()) == 201;
        }
        json.begin_object().key("events").begin_array();
        for (std::size_t i = from; i < to; ++i) write_event(json, site, i);
        json.end_array().end_object();
        return connection->post("/v1/events/batch", json.text()) == 201;
    };
}

Measured create_in_process(const Site& site, server::Database& database) {
    NoWakeups wakeups;
    ScheduleEvent schedule(database.store(), site.zones, site.ids, wakeups);
    return create_with(site, [&] {
        return site.options.batch > 1 ? in_bulk(site, database.store())
                                      : one_by_one(site, schedule);
    });
}

/// No other process may have the SQLite file open while the server runs.
Measured create_over_http(const Site& site) {
    const ApiServer server(site.scratch.url());
    const auto cpu = cpu_of(server.process());
    const auto writes = writes_of(server.process());
    Measured measured = create_with(site, [&] { return over_http(site, server.port()); });
    // The server does the work and, with SQLite, the writes.
    measured.used.process += cpu_of(server.process()) - cpu;
    if (server::sqlite_file(site.scratch.url()))
        measured.used.written = writes_of(server.process()) - writes;
    return measured;
}

Stock stock(const Site& site) {
    const auto database = site.open();
    return site.scratch.stock(*database);
}

}  // namespace

/// Stores events of the far future; none is delivered.
Measured create(const Site& site) {
    const Stock before = stock(site);
    site.scratch.tidy();
    Measured measured =
        site.options.http ? create_over_http(site) : create_in_process(site, *site.open());
    expect_stock(before, stock(site), 0, site.options.events, measured.faults);
    return measured;
}

}  // namespace sundial::bench
