#include "adapters/http/api/api_key_routes.hpp"
#include "adapters/http/api/bulk_routes.hpp"
#include "adapters/http/api/endpoint_routes.hpp"
#include "adapters/http/api/event_routes.hpp"
#include "adapters/http/api/lock_routes.hpp"
#include "adapters/http/api/operation_routes.hpp"
#include "adapters/http/api/preview_routes.hpp"
#include "adapters/http/api/pull_routes.hpp"
#include "adapters/http/api/schedule_routes.hpp"
#include "adapters/http/api/stream_routes.hpp"
#include "adapters/http/api/system_routes.hpp"
#include "adapters/http/api/timezone_routes.hpp"
#include "adapters/http/api/user_routes.hpp"
#include "application/observation/engine_log.hpp"
#include "application/ports/failures.hpp"
#include "domain/time/text.hpp"
#include "server/engine_parts.hpp"
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
        line.level = base::LogLevel::warn;  // so that `dev` shows it too: a person is waiting
        line.message = "the clock is at " + format_instant_millis(advanced.now) + ": " +
                       std::to_string(advanced.delivered) + " delivered, " +
                       std::to_string(advanced.failed) + " failed";
        log.write(std::move(line));
    };
}

}  // namespace

void Engine::add_routes(http::Router& router, Metrics& metrics) {
    Parts& p = *parts_;
    http::add_user_routes(router, {.create = p.create_user,
                                   .edit = p.edit_user,
                                   .put = p.put_user,
                                   .remove = p.delete_user,
                                   .queries = p.queries,
                                   .clock = p.database->clock()});
    http::add_event_routes(router, {.schedule = p.schedule_event,
                                    .edit = p.edit_event,
                                    .cancel = p.cancel_event,
                                    .retry = p.retry_event,
                                    .explain = p.explain_event,
                                    .queries = p.queries,
                                    .clock = p.database->clock(),
                                    .zones = p.zones});
    http::add_endpoint_routes(router, {.create = p.create_endpoint,
                                       .edit = p.edit_endpoint,
                                       .rotate = p.rotate_secret,
                                       .test = p.test_endpoint,
                                       .read_inbox = p.read_inbox,
                                       .clear_inbox = p.clear_inbox,
                                       .queries = p.queries,
                                       .default_timeout = p.settings.delivery.timeout,
                                       .circuit = p.settings.delivery.circuit});
    http::add_pull_routes(
        router, {.pull = p.pull, .settle = p.settle_pulled, .watch = p.watch, .zones = p.zones});
    http::add_schedule_routes(router, {.create = p.create_schedule,
                                       .put = p.put_schedule,
                                       .edit = p.edit_schedule,
                                       .remove = p.delete_schedule,
                                       .trigger = p.trigger_schedule,
                                       .backfill = p.backfill_schedule,
                                       .queries = p.queries,
                                       .zones = p.zones});
    http::add_timezone_routes(router,
                              {.zones = p.zones, .survey = p.survey, .clock = p.database->clock()});
    http::add_preview_routes(router, {.preview = p.preview_schedule});
    http::add_api_key_routes(router, {.create = p.create_api_key,
                                      .revoke = p.revoke_api_key,
                                      .ring = p.keys,
                                      .queries = p.queries});
    http::add_stream_routes(router, {.append = p.append_to_stream,
                                     .keep = p.keep_stream,
                                     .streams = p.read_streams,
                                     .checkpoints = p.keep_checkpoint,
                                     .watch = p.feed_watch,
                                     .ids = p.ids,
                                     .snapshot_ignored = [&metrics](std::string_view reason) {
                                         metrics.snapshot_ignored(reason);
                                     }});
    http::add_lock_routes(
        router, {.locks = p.locks,
                 .waits = p.lock_waits,
                 .waited = [&metrics](std::string_view outcome) { metrics.lock_waited(outcome); },
                 .contended = [&log = p.log](
                                  const LockHeld& held) { log.write(lock_contended_line(held)); }});
    http::add_operation_routes(router, {.operations = p.operations, .queries = p.queries});
    http::add_bulk_routes(router, {.bulk = p.bulk_events,
                                   .queries = p.queries,
                                   .clock = p.database->clock(),
                                   .zones = p.zones});
    const auto info = [&p] {
        return http::Info{.version = product_version(),
                          .commit = product_commit(),
                          .database = p.database->kind(),
                          .database_version = p.database->version(),
                          .database_note = p.database->note(),
                          .tz_release = p.zones.current()->release(),
                          .test_clock = p.database->clock().is_test(),
                          .instance = p.instance};
    };
    http::add_system_routes(router, {.clock = p.database->clock(),
                                     .advance = p.advance,
                                     .tick = p.tick,
                                     .progress = slow_progress(p.monotonic, p.log),
                                     .info = info});
    add_metrics_route(router, metrics);
}

void Engine::add_metrics_route(http::Router& router, Metrics& metrics) {
    Parts& p = *parts_;
    const auto metrics_text = [&p, &metrics]() -> std::optional<std::string> {
        if (!p.settings.telemetry.metrics) return std::nullopt;
        // Replicas of a scraper send their requests at the same moments. They share one count of
        // the database's rows.
        const auto scrape = [&](const std::stop_token&) -> embedding::Result<std::string> {
            try {
                const ExpiringKeys expiring = p.keys.expiring();
                metrics.next_key_expiry(
                    expiring.keys.empty()
                        ? std::nullopt
                        : std::optional(expiring.keys.front().at - expiring.as_of));
                return metrics.render(
                    p.queue.depth(), p.operations.running(), p.database->connections(),
                    p.queries.circuits(max_label_values),
                    p.database->feed_meter().measure(max_label_values), p.locks_held());
            } catch (const Unavailable& away) {  // so say all who wait
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
