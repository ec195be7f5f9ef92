#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <semaphore>
#include <thread>

#include "adapters/system/clocks.hpp"
#include "adapters/system/secrets.hpp"
#include "adapters/webhook/webhook_kind.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "base/check.hpp"
#include "server/bench/engines.hpp"
#include "server/bench/receiver.hpp"
#include "server/bench/site.hpp"

namespace sundial::bench {
namespace {

using namespace std::chrono_literals;

/// When each event is due, and how late it arrived.
class Arrivals {
public:
    explicit Arrivals(std::vector<Instant> due)
        : due_(std::move(due)), late_(due_.size()), arrivals_(due_.size()) {}

    void arrived(std::string_view key, Instant at) {
        if (const auto index = index_of(key); index && *index < due_.size())
            late_[*index] = at - due_[*index];
        arrivals_.seen(key);
    }
    [[nodiscard]] std::size_t count() const { return arrivals_.times(); }
    [[nodiscard]] Instant due(std::size_t i) const { return due_[i]; }
    /// The first event that is not due before `at`; events are in the order of their times.
    [[nodiscard]] std::size_t first_due_from(Instant at) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(due_, at) - due_.begin());
    }
    [[nodiscard]] Instant last_arrival() const {
        Instant last = due_.front();
        for (std::size_t i = 0; i < due_.size(); ++i) last = std::max(last, due_[i] + late_[i]);
        return last;
    }
    /// Lateness of the events from `first` to `last` - 1.
    [[nodiscard]] std::vector<microseconds> lateness(std::size_t first, std::size_t last) const {
        return {late_.begin() + static_cast<std::ptrdiff_t>(first),
                late_.begin() + static_cast<std::ptrdiff_t>(last)};
    }
    void report(std::vector<std::string>& faults) const {
        arrivals_.report(faults);
        const auto early = std::ranges::count_if(late_, [](auto late) { return late < 0us; });
        if (early > 0) faults.push_back(std::to_string(early) + " events were delivered too early");
    }

private:
    std::vector<Instant> due_;
    std::vector<microseconds> late_;  // each is written once, by the thread that delivers it
    ArrivalCheck arrivals_;
};

/// Takes any URL: the receiver is on this machine.
class AnyWebhook final : public EndpointKind {
public:
    [[nodiscard]] EndpointType type() const override { return webhook::webhook_type; }
    [[nodiscard]] std::vector<FieldError> refuse_new(const TypeSettings&) const override {
        return {};
    }
    [[nodiscard]] std::vector<FieldError> refuse_edit(const TypeSettings&) const override {
        return {};
    }
    [[nodiscard]] bool signs() const override { return true; }
};

Endpoint make_endpoint(const Site& site, Store& store, const std::string& url) {
    system::SecretBox secrets(sealing_keys());
    EndpointKinds kinds;
    kinds.add(std::make_unique<AnyWebhook>());
    CreateEndpoint create(store, secrets, kinds, site.ids);
    NewEndpoint requested{.type = webhook::webhook_type};
    requested.name = "receiver";
    requested.url = url;
    const auto made = create.run(requested, Caller{});
    base::check(made.has_value());
    return made->endpoint;
}

/// The destination of events: the receiver over HTTP, or a handler in this process.
class Destination {
public:
    Destination(const Site& site, Arrivals& arrivals) {
        const auto arrived = [&arrivals](std::string_view key, Instant at) {
            arrivals.arrived(key, at);
        };
        if (!site.options.handler) {
            receiver_ = std::make_unique<Receiver>(arrived);
            return;
        }
        handlers_.on(std::string(event_type), [arrived](const Event& event) {
            arrived(event.key.value, system::real_time());
            return Handled{};
        });
    }
    [[nodiscard]] const Handlers& handlers() const { return handlers_; }
    [[nodiscard]] std::optional<EndpointId> endpoint(const Site& site, Store& store) const {
        if (!receiver_) return std::nullopt;
        return make_endpoint(site, store, receiver_->url()).id;
    }

private:
    Handlers handlers_;
    std::unique_ptr<Receiver> receiver_;
};

/// Both clocks must be this machine's; otherwise lateness by the receiver's clock is meaningless.
void check_clocks(Clock& clock, std::vector<std::string>& faults) {
    const auto before = system::real_time();
    const Instant database = clock.now();
    const auto after = system::real_time();
    constexpr auto apart = 1ms;
    if (database < before - apart || database > after + apart)
        faults.push_back("the database's clock is not this machine's: lateness means nothing");
}

Event delivered_to(const Site& site, const Arrivals& arrivals, std::size_t i, Instant now,
                   const std::optional<EndpointId>& endpoint) {
    Event event = an_event(site.ids, site.key(i), arrivals.due(i), now);
    event.endpoint = endpoint;
    return event;
}

/// Stores each event two seconds before it is due, those of a tenth of a second at once.
void create_in_time(const Site& site, Store& store, const Arrivals& arrivals, std::size_t count,
                    const std::optional<EndpointId>& endpoint) {
    const auto at_once = std::max<std::size_t>(1, static_cast<std::size_t>(site.options.rate / 10));
    for (std::size_t from = 0; from < count; from += at_once) {
        const auto ahead = arrivals.due(from) - 2s - system::real_time();
        if (ahead > 0us) std::this_thread::sleep_for(ahead);
        store.transact([&](Transaction& tx) {
            std::vector<Event> events;
            for (std::size_t i = from; i < std::min(count, from + at_once); ++i)
                events.push_back(delivered_to(site, arrivals, i, tx.now(), endpoint));
            return tx.events().add_new(events) == events.size();
        });
    }
}

/// A random instant in each of the intervals given by the rate.
std::vector<Instant> steady(std::size_t count, double rate, Instant begin, std::size_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> within(0, 1);
    std::vector<Instant> due;
    for (std::size_t i = 0; i < count; ++i) {
        const std::chrono::duration<double> at((static_cast<double>(i) + within(random)) / rate);
        due.push_back(begin + std::chrono::duration_cast<microseconds>(at));
    }
    return due;
}

/// Statistics of the events from `first` to `last` - 1, and of the claims meanwhile.
Stretch stretch(const Arrivals& arrivals, std::size_t first, std::size_t last,
                const std::vector<Watch::Claim>& claims, microseconds from, microseconds to) {
    std::vector<microseconds> durations;
    for (const Watch::Claim& claim : claims) {
        if (claim.at >= from && claim.at < to) durations.push_back(claim.took);
    }
    return {spread_of(arrivals.lateness(first, last)), spread_of(std::move(durations))};
}

microseconds in_seconds(double seconds) {
    return std::chrono::duration_cast<microseconds>(std::chrono::duration<double>(seconds));
}

std::vector<Window> windows_of(const Site& site, const Arrivals& arrivals,
                               const std::vector<Watch::Claim>& claims, Instant begin,
                               microseconds begin_mono) {
    std::vector<Window> windows;
    const auto length = in_seconds(site.options.window);
    if (length <= 0us) return windows;
    std::size_t first = 0;
    for (auto passed = 0us; first < site.options.events; passed += length) {
        const std::size_t last = arrivals.first_due_from(begin + passed + length);
        const auto from_mono = begin_mono + passed;
        windows.push_back({begin + passed,
                           stretch(arrivals, first, last, claims, from_mono, from_mono + length)});
        first = last;
    }
    return windows;
}

/// When to open the read transaction of --snapshot and --snapshot-after.
std::optional<Instant> snapshot_time(const Options& options, Instant begin, microseconds lasts) {
    if (options.snapshot_after) return begin + in_seconds(*options.snapshot_after);
    if (options.snapshot) return begin + lasts / 2;
    return std::nullopt;
}

}  // namespace

/// Events due at random instants at a given rate, the product with its defaults.
Measured lateness(const Site& site) {
    const std::size_t count = site.options.events;
    // Counting a history of ten million rows takes longer than there is to get ready.
    const Stock before = site.scratch.stock(*site.open());
    constexpr auto to_get_ready = 3s;  // events are stored two seconds before they are due
    const Instant begin = system::real_time() + to_get_ready;
    Arrivals arrivals(steady(count, site.options.rate, begin, site.run));
    const Destination destination(site, arrivals);
    Watch watch(site.clock);
    Engines engines(site, destination.handlers(), watch, 1);
    Store& store = engines.database().store();
    const auto endpoint = destination.endpoint(site, store);
    std::vector<std::string> faults;
    check_clocks(engines.database().clock(), faults);
    engines.start();

    const auto begin_mono = site.clock.now() + (begin - system::real_time());
    const auto lasts = arrivals.due(count - 1) - begin;
    const auto snapshot_from = snapshot_time(site.options, begin, lasts);
    std::shared_ptr<void> snapshot;
    Measured measured = site.measure(count, [&] {
        const std::jthread creator([&] { create_in_time(site, store, arrivals, count, endpoint); });
        const auto so_far = [&] {
            if (snapshot_from && system::real_time() > *snapshot_from && !snapshot)
                snapshot = site.scratch.hold_snapshot();
            return std::min(arrivals.count(), watch.completed());
        };
        (void)wait_for(site, count, so_far, faults);
    });
    snapshot.reset();
    engines.stop();
    measured.took = arrivals.last_arrival() - begin;
    measured.latency = spread_of(arrivals.lateness(0, count));
    const auto claims = watch.claims();
    measured.windows = windows_of(site, arrivals, claims, begin, begin_mono);
    if (const std::size_t tenth = count / 10; tenth > 0) {
        const auto span = lasts / 10;
        measured.first_tenth = stretch(arrivals, 0, tenth, claims, begin_mono, begin_mono + span);
        measured.last_tenth = stretch(arrivals, count - tenth, count, claims,
                                      begin_mono + lasts - span, begin_mono + lasts);
    }
    arrivals.report(faults);
    expect_stock(before, site.scratch.stock(engines.database()), count, 0, faults);
    measured.faults = std::move(faults);
    return measured;
}

namespace {

/// All events are due at one instant.
Measured peak_of_product(const Site& site) {
    const std::size_t count = site.options.events;
    // Time to store the events, with a checkpoint: 5,000 per second on a slow machine.
    const auto ahead = 6s + std::chrono::seconds(static_cast<std::int64_t>(count / 5000));
    const Instant moment = system::real_time() + ahead;
    Arrivals arrivals(std::vector<Instant>(count, moment));
    const Destination destination(site, arrivals);
    Watch watch(site.clock);
    Engines engines(site, destination.handlers(), watch, 1);
    Store& store = engines.database().store();
    const auto endpoint = destination.endpoint(site, store);
    std::vector<std::string> faults;
    check_clocks(engines.database().clock(), faults);
    const Stock before = site.scratch.stock(engines.database());
    store_events(site, store, count, "storing events", [&](std::size_t i, Instant now) {
        return delivered_to(site, arrivals, i, now, endpoint);
    });
    site.scratch.tidy();
    engines.start();
    if (system::real_time() > moment - 1s)
        faults.push_back("the events were not stored in time; this machine is too busy");

    Measured measured = site.measure(count, [&] {
        (void)wait_for(
            site, count, [&] { return std::min(arrivals.count(), watch.completed()); }, faults);
    });
    engines.stop();
    measured.took = arrivals.last_arrival() - moment;
    const std::vector<microseconds> late = arrivals.lateness(0, count);
    measured.first_ms = std::chrono::duration<double, std::milli>(std::ranges::min(late)).count();
    measured.latency = spread_of(late);
    arrivals.report(faults);
    expect_stock(before, site.scratch.stock(engines.database()), count, 0, faults);
    measured.faults = std::move(faults);
    return measured;
}

/// The same requests by the same client, equally concurrent, without a database.
Measured peak_of_client(const Site& site) {
    const std::size_t count = site.options.events;
    const Instant begin = system::real_time();
    Arrivals arrivals(std::vector<Instant>(count, begin));
    Receiver receiver([&arrivals](std::string_view key, Instant at) { arrivals.arrived(key, at); });
    const auto endpoint =
        std::make_shared<const Endpoint>(make_endpoint(site, site.open()->store(), receiver.url()));
    const webhook::AddressRules addresses(webhook::AddressSettings{.allow_private = true}, {}, {});
    const webhook::UrlRules urls({.allow_http = true}, addresses);
    system::SecretBox secrets(sealing_keys());
    const auto in_flight = static_cast<std::ptrdiff_t>(site.settings.delivery.workers);
    std::counting_semaphore<> free(in_flight);
    webhook::WebhookDelivery delivery({.user_agent = site.settings.delivery.user_agent}, urls,
                                      secrets, site.clock);
    Measured measured = site.measure(count, [&] {
        for (std::size_t i = 0; i < count; ++i) {
            free.acquire();
            const Event event = delivered_to(site, arrivals, i, begin, endpoint->id);
            delivery.start({.event = event,
                            .endpoint = endpoint,
                            .target_time = "2026-01-05T09:00:00Z[UTC]",
                            .now = begin},
                           [&free](Outcome) { free.release(); });
            site.progress.at(site.work.name, i, count);
        }
        for (std::ptrdiff_t i = 0; i < in_flight; ++i) free.acquire();
    });
    arrivals.report(measured.faults);
    return measured;
}

}  // namespace

Measured peak(const Site& site) {
    return site.options.no_database ? peak_of_client(site) : peak_of_product(site);
}

}  // namespace sundial::bench
