#include <map>
#include <string_view>

#include "adapters/http/api/routes.hpp"
#include "adapters/http/api/system_routes.hpp"
#include "adapters/system/clocks.hpp"
#include "application/observation/engine_log.hpp"
#include "application/ports/failures.hpp"
#include "domain/time/text.hpp"
#include "server/certificate.hpp"
#include "server/engine_modules.hpp"
#include "server/health.hpp"
#include "server/version.hpp"

namespace sundial::server {
namespace {

/// Writes a log line every ten seconds while the test clock advances.
AdvanceClock::Progress slow_progress(const MonotonicClock& monotonic, base::Log& log) {
    auto reported_at = std::make_shared<std::chrono::microseconds>(monotonic.now());
    return [&monotonic, &log, reported_at](const Advanced& advanced) {
        if (monotonic.now() - *reported_at < std::chrono::seconds(10)) return;
        *reported_at = monotonic.now();
        base::LogLine line;
        line.level = base::LogLevel::warn;  // so that `dev` shows it: a person is waiting
        line.message = "the clock is at " + format_instant_millis(advanced.now) + ": " +
                       std::to_string(advanced.delivered) + " delivered, " +
                       std::to_string(advanced.failed) + " failed";
        log.write(std::move(line));
    };
}

/// The settings and their descriptions.
std::vector<http::Setting> settings_in(const std::vector<SettingShown>& shown) {
    std::map<std::string_view, std::string_view> help;
    for (const SettingKey& key : setting_keys()) help[key.key] = key.help;
    std::vector<http::Setting> settings;
    for (const SettingShown& each : shown) {
        settings.push_back({.key = each.key,
                            .value = each.value,
                            .origin = each.origin,
                            .help = std::string(help[each.key])});
    }
    return settings;
}

}  // namespace

void Engine::add_routes(http::Router& router, Metrics& metrics) {
    Modules& p = *modules_;
    Database& database = *p.platform.database;
    const Settings& settings = p.platform.settings;
    const TimeZones& zones = p.ports.zones;
    Clock& clock = database.clock();
    add_metrics(metrics);
    add_metrics_route(router, metrics);
    if (!settings.scheduler.roles.api) return;
    http::add_user_routes(router, {p.users, p.queries, clock});
    http::add_event_routes(router, {p.events, p.queries, clock, zones});
    http::add_bulk_routes(router, {p.events, p.queries, clock, zones});
    http::add_endpoint_routes(
        router, {p.endpoints, p.queries, settings.delivery.timeout, settings.delivery.circuit});
    http::add_pull_routes(router, {p.pull, zones});
    http::add_schedule_routes(router, {p.schedules, p.queries, zones});
    http::add_schedule_bulk_routes(router, {p.schedules, p.queries, zones});
    http::add_preview_routes(router, {p.schedules});
    http::add_intake_routes(router, {p.queries});
    http::add_operation_routes(router, {p.operations, p.queries});
    http::add_attempt_routes(router, {p.queries, clock});
    http::add_instance_routes(router, {p.instances, p.ports.store, [&p] {
                                           p.instances.report.hurry();
                                           p.recorder.wake();
                                       }});
    http::add_live_routes(router, {p.live, p.queries});
    http::add_session_routes(
        router, {p.access.sessions, p.ports.monotonic, !settings.http.tls_cert.empty()});
    http::add_stats_routes(router, {p.stats, clock});
    http::add_timezone_routes(router, {p.timezones, zones, clock});
    http::add_api_key_routes(router, {p.access, p.queries});
    http::add_calendar_routes(router, {p.calendars, p.queries});
    const auto snapshot_ignored = [&metrics](std::string_view why) {
        metrics.snapshot_ignored(why);
    };
    http::add_stream_routes(router, {p.streams, p.ports.ids, snapshot_ignored});
    const auto waited = [&metrics](std::string_view outcome) { metrics.lock_waited(outcome); };
    const auto contended = [&log = p.ports.log](const LockHeld& held) {
        log.write(lock_contended_line(held));
    };
    http::add_lock_routes(router, {p.locks, waited, contended});
    const auto info = [&p, &database, &zones] {
        return http::Info{.version = product_version(),
                          .commit = product_commit(),
                          .database = database.kind(),
                          .database_version = database.version(),
                          .database_note = database.note(),
                          .tz_release = zones.current()->release(),
                          .test_clock = database.clock().is_test(),
                          .instance = p.ports.instance};
    };
    http::add_system_routes(router, {.clock = p.clock,
                                     .progress = slow_progress(p.ports.monotonic, p.ports.log),
                                     .info = info,
                                     .settings = settings_in(p.platform.settings_shown),
                                     .claims = settings.scheduler.roles.worker});
}

ProcessState Engine::process_state() const {
    const Settings& settings = modules_->platform.settings;
    Clock& clock = modules_->platform.database->clock();
    ProcessState state;
    if (settings.scheduler.roles.worker) {
        state.claims = modules_->delivery.loop.turning();
        state.claim_loop_age = modules_->delivery.loop.age();
    }
    if (!clock.is_test()) state.clock_ahead = system::real_time() - clock.now();
    if (const auto file = sqlite_file(settings.storage.url)) {
        state.storage_free = free_space_of(*file);
    }
    state.transactions = modules_->platform.database->open_transactions();
    if (!settings.http.tls_cert.empty()) {
        state.certificate_left = certificate_time_left(settings.http.tls_cert);
    }
    return state;
}

void Engine::add_metrics(Metrics& metrics) {
    Modules& p = *modules_;
    Database& database = *p.platform.database;
    metrics.at_scrape([&] { metrics.next_key_expiry(p.access.keys.expiring()); });
    metrics.at_scrape([&] { metrics.process(process_state()); });
    metrics.at_scrape([&] { metrics.instances(p.running_roles()); });
    metrics.at_scrape([&] { metrics.events(p.platform.storage.depth()); });
    metrics.at_scrape([&] { metrics.pings(p.pings.counts()); });
    metrics.at_scrape([&] { metrics.live_clients(p.live->clients()); });
    metrics.at_scrape([&] { metrics.operations(p.operations.running()); });
    metrics.at_scrape([&] { metrics.connections(database.connections()); });
    metrics.at_scrape([&] { metrics.circuits(p.queries.circuits(max_label_values)); });
    metrics.at_scrape([&] { metrics.feed(database.feed_meter().measure(max_label_values)); });
    metrics.at_scrape([&] {
        try {
            metrics.locks_held(p.locks.locks.list({.limit = 1000}).items.size());
        } catch (const Unavailable&) {
            return;  // a lock server that does not answer hides no other metric
        }
    });
}

void Engine::add_metrics_route(http::Router& router, Metrics& metrics) {
    Modules& p = *modules_;
    const auto metrics_text = [&p, &metrics]() -> std::optional<std::string> {
        if (!p.platform.settings.telemetry.metrics) return std::nullopt;
        // Replicas of a scraper send their requests at the same moments. They share one count of
        // the database's rows.
        const auto scrape = [&](const std::stop_token&) -> embedding::Result<std::string> {
            try {
                return metrics.render();
            } catch (const Unavailable& away) {  // reported by the waiting requests
                return embedding::Error{"STORAGE_UNAVAILABLE", away.what()};
            }
        };
        const auto scraped = p.scrapes.run({}, scrape);
        if (!scraped) throw Unavailable{scraped.error().detail};
        return **scraped;
    };
    http::add_metrics_route(router, metrics_text);
}

}  // namespace sundial::server
