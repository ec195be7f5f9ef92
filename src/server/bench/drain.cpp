#include "server/bench/engines.hpp"
#include "server/bench/site.hpp"

namespace sundial::bench {

/// Due events go to a handler in the process that does nothing, so that only claims, plans,
/// settlements and history are measured.
Measured drain(const Site& site) {
    const std::size_t count = site.options.events;
    ArrivalCheck arrivals(count);
    Handlers handlers;
    handlers.on(std::string(event_type), [&arrivals](const Event& event) {
        arrivals.seen(event.key.value);
        return Handled{};
    });
    Watch watch(site.clock);
    Engines engines(site, handlers, watch, site.options.instances);
    const Stock before = site.scratch.stock(engines.database());
    store_due(site, engines.database().store(), count);
    site.scratch.tidy();

    std::vector<std::string> faults;
    Measured measured = site.measure(count, [&] {
        engines.start();
        (void)wait_for(site, count, [&watch] { return watch.completed(); }, faults);
    });
    engines.stop();
    arrivals.report(faults);
    expect_stock(before, site.scratch.stock(engines.database()), count, 0, faults);
    measured.faults = std::move(faults);
    return measured;
}

namespace {

/// A service opens its connections and plans its statements once, so the claimers do too.
void warm_up(const Site& site, server::Database& database) {
    const auto& options = site.options;
    const std::size_t events = options.instances * options.batch;
    store_events(site, database.store(), events, "warming up", [&site](std::size_t i, Instant now) {
        return an_event(site.ids, site.key(site.options.events + i), now, now);
    });
    (void)claim_all(site, database.queue(), options.instances, options.batch, events);
}

}  // namespace

/// The same without the worker: `claimers` threads repeat claim and settle.
Measured claim(const Site& site) {
    const std::size_t count = site.options.events;
    const auto database = site.open();
    warm_up(site, *database);
    const Stock before = site.scratch.stock(*database);
    store_due(site, database->store(), count);
    site.scratch.tidy();

    Claims claims;
    Measured measured = site.measure(count, [&] {
        claims =
            claim_all(site, database->queue(), site.options.instances, site.options.batch, count);
    });
    measured.latency = spread_of(std::move(claims.durations));
    if (claims.settled != count) {
        measured.faults.push_back(std::to_string(claims.settled) + " settlements of " +
                                  std::to_string(count) + " events");
    }
    expect_stock(before, site.scratch.stock(*database), count, 0, measured.faults);
    return measured;
}

}  // namespace sundial::bench
