#include "server/process.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iostream>

#include "adapters/http/browser_rules.hpp"
#include "adapters/http/key_guard.hpp"
#include "adapters/http/server.hpp"
#include "adapters/redis/open.hpp"
#include "adapters/system/clocks.hpp"
#include "adapters/system/ids.hpp"
#include "adapters/system/json_log.hpp"
#include "adapters/system/secrets.hpp"
#include "adapters/system/service_manager.hpp"
#include "adapters/webhook/address_rules.hpp"
#include "adapters/webhook/webhook_delivery.hpp"
#include "adapters/zones/cctz_time_zones.hpp"
#include "application/ports/failures.hpp"
#include "base/json.hpp"
#include "documents.hpp"
#include "server/demo.hpp"
#include "server/engine.hpp"
#include "server/health.hpp"
#include "server/http_setup.hpp"
#include "server/key_maintenance.hpp"
#include "server/metrics.hpp"
#include "server/outboxes.hpp"
#include "server/platform.hpp"
#include "server/secret_files.hpp"
#include "server/service_status.hpp"
#include "server/shutdown.hpp"
#include "server/tracing.hpp"
#include "server/tz_watch.hpp"
#include "server/version.hpp"

namespace sundial::server {
namespace {

using namespace std::chrono_literals;

constexpr auto first_try_again = 1s;
constexpr auto longest_try_again = 10s;

system::LogSettings log_settings(const Settings& settings, std::string start_id) {
    return {.level = system::parse_log_level(settings.log.level).value_or(base::LogLevel::info),
            .environment = settings.log.environment,
            .version = product_version(),
            .start_id = std::move(start_id),
            .text = settings.log.format == "text"};
}

std::string tz_directory(const Settings& settings) {
    return settings.tz.dir.empty() ? std::string(zones::system_directory) : settings.tz.dir;
}

/// A server that other machines can reach requires keys, so at least one key must exist.
CannotStart without_keys(const Settings& settings) {
    return CannotStart(
        "http.listen: " + settings.http.listen +
        " is reachable from other machines, and no API key exists yet. Create one with 'sundial "
        "key create --role ADMIN --name first --db …', or listen on 127.0.0.1 or [::1]");
}

/// The file for the key for secrets if no key is set; empty: no file.
std::string key_file(const Settings& settings, const ProcessOptions& options) {
    if (!settings.security.encryption_key.empty()) return {};
    const auto file = sqlite_file(settings.storage.url);
    return file ? *file + ".key" : options.key_file;
}

/// The keys that seal secrets. Creates a key file if no key is set and there is a place for the
/// file.
std::vector<std::string> encryption_keys(const Settings& settings, const ProcessOptions& options) {
    if (!settings.security.encryption_key.empty()) {
        return system::parse_encryption_keys(settings.security.encryption_key,
                                             "security.encryption_key");
    }
    const std::string file = key_file(settings, options);
    return file.empty() ? std::vector<std::string>{} : system::keys_from_file(file);
}

/// The files that the settings name, and the key file.
std::vector<SecretFile> secret_files_of(const LoadedSettings& loaded,
                                        const ProcessOptions& options) {
    std::vector<SecretFile> files = loaded.secret_files;
    const std::string own = key_file(loaded.settings, options);
    if (!own.empty()) files.push_back({"security.encryption_key", own});
    return files;
}

base::LogLine line(base::LogLevel level, std::string event_name, std::string message) {
    base::LogLine line;
    line.level = level;
    line.event_name = std::move(event_name);
    line.message = std::move(message);
    return line;
}

/// Retries until the database responds; empty if a signal arrives first.
std::unique_ptr<Database> open_with_retries(const Settings& settings, bool test_clock,
                                            system::JsonLog& log,
                                            const OnOutcomeUnknown& on_outcome_unknown,
                                            const Signals& signals, ServiceStatus& status) {
    for (std::chrono::seconds wait = first_try_again;;
         wait = std::min(wait * 2, longest_try_again)) {
        try {
            return open_database(settings, test_clock, log, end_at_once(log), on_outcome_unknown);
        } catch (const Unavailable& error) {
            status.starting("waiting for the database, which does not answer");
            log.write(line(base::LogLevel::warn, "",
                           std::string("the database does not answer; trying again in ") +
                               std::to_string(wait.count()) + " s: " + error.what()));
        }
        if (signals.wait_for(wait)) return nullptr;
    }
}

/// Logs one warning for each setting that extends where webhooks may go.
void warn_of_open_access(const Settings& settings, base::Log& log) {
    const Settings::Delivery& delivery = settings.delivery;
    const auto warn = [&log](bool changed, const char* what) {
        if (changed) log.write(line(base::LogLevel::warn, "", what));
    };
    warn(delivery.allow_private,
         "delivery.allow_private allows webhooks to private and loopback addresses, over http");
    warn(delivery.allow_http,
         "delivery.allow_http allows plain http webhooks, which others on the network can read and "
         "change");
    warn(!delivery.allow.empty(),
         "delivery.allow allows webhooks to addresses that are denied by default");
    warn(!delivery.deny.empty(),
         "delivery.deny denies webhooks to addresses that are allowed by default");
    warn(delivery.ports != Settings::Delivery{}.ports,
         "delivery.ports allows webhooks to other ports than 443 and 8443");
}

/// Decides which callers need a key, and logs it. Throws CannotStart if every caller could do
/// everything.
void prepare_keys(const Settings& settings, ApiKeyRing& keys, base::Log& log) {
    if (!settings.security.api_keys_file.empty()) {
        keys.fix(
            read_api_keys_file(settings.security.api_keys_file, system::SystemApiKeySecrets{}));
    }
    if (!keys.empty() || !settings.scheduler.roles.api) return;
    if (!is_loopback(parse_listen(settings.http.listen).host)) throw without_keys(settings);
    log.write(line(base::LogLevel::info, "",
                   "no API key exists yet: every program on this machine has full access to " +
                       settings.http.listen +
                       ", web pages have none. Create a key with 'sundial key create --role ADMIN "
                       "--name first'"));
}

http::ServerWorld real_world(Ids& ids) {
    return {.now = [] { return std::chrono::floor<std::chrono::seconds>(system::real_time()); },
            .new_uuid = [&ids] { return ids.fresh(); },
            .never_blocks = http::is_liveness_request};
}

/// Prints the introduction of the demo, with the number of new people, `made`, and starts it.
void present_demo(Demo& demo, std::size_t made, Engine& engine, const ProcessOptions& options,
                  const TimeZones& zones, std::uint16_t port, const std::string& key_file) {
    std::cout << "Sundial " << product_version() << " on http://127.0.0.1:" << port << ", "
              << engine.database().kind() << ", tzdata " << zones.current()->release() << '\n'
              << "people: " << std::max<std::size_t>(options.demo_people, 12) << " (" << made
              << " new), birthdays at 09:00 where they live, to the inbox\n";
    if (!key_file.empty())
        std::cout << "secrets are encrypted with the key in " << key_file << '\n';
    if (options.test_clock) {
        std::cout << "the clock moves only by command: 'sundial clock advance --by PT24H --server "
                     "http://127.0.0.1:"
                  << port << "' moves it\n"
                  << std::flush;
        return;
    }
    std::cout << "a greeting for each of the first twelve people, one every three seconds:\n"
              << std::flush;
    demo.greet();
}

/// Reads again the files that `keys` of the settings name. An unusable file changes nothing.
void read_again(const std::string& keys, base::Log& log, const std::function<void()>& read) {
    base::LogLine reloaded = line(base::LogLevel::info, "config.reloaded", "read again");
    reloaded.fields.emplace_back("keys", keys);
    try {
        read();
    } catch (const CannotStart& error) {
        reloaded.level = base::LogLevel::error;
        reloaded.message = std::string("the previous files stay in use: ") + error.what();
    }
    log.write(std::move(reloaded));
}

/// Applies the settings that can change without a restart.
void reload(const Settings& settings, http::HttpServer& server,
            std::optional<HealthListener>& health, ApiKeyRing& keys, base::Log& log) {
    if (!settings.http.tls_cert.empty()) {
        read_again("http.tls_cert,http.tls_key", log, [&] {
            server.renew_certificate();
            if (health) health->renew_certificate();
        });
    }
    if (!settings.security.api_keys_file.empty()) {
        read_again("security.api_keys_file", log, [&] {
            keys.fix(
                read_api_keys_file(settings.security.api_keys_file, system::SystemApiKeySecrets{}));
        });
    }
}

/// An embedded file. Empty if the program was built without it: builds can omit the console.
std::string_view embedded_text(std::string_view name) {
    const auto file = std::ranges::find(embedded_files, name, &base::EmbeddedFile::name);
    return file == embedded_files.end() ? std::string_view() : file->content;
}

/// The script and style of the documents, and the console's files if it is served.
http::Console embedded_console(bool with_console) {
    http::Console console{
        .files = {{"docs.js", embedded_text("docs.js"), embedded_text("docs.js.gz")},
                  {"docs.css", embedded_text("docs.css"), embedded_text("docs.css.gz")}},
        .version = embedded_text("console.version")};
    if (!with_console) return console;
    console.page = embedded_text("console.html");
    console.files.push_back({"app.js", embedded_text("app.js"), embedded_text("app.js.gz")});
    console.files.push_back({"app.css", embedded_text("app.css"), embedded_text("app.css.gz")});
    return console;
}

/// Empty for a process that serves no API. Without the role `ui` there is no console.
std::optional<http::Documents> documents_of(const Roles& roles, const ProcessOptions& options) {
    if (!roles.api) return std::nullopt;
    return http::Documents{.openapi = openapi_json,
                           .errors = errors_md,
                           .start_page = start_page_html,
                           .console = embedded_console(roles.ui),
                           .archive = embedded_text("documents.gz"),
                           .commands = options.commands};
}

/// The first address that this process serves: the API, or health alone.
http::ServerSettings listener_settings(const Settings& settings, const GivenSockets& given) {
    if (settings.scheduler.roles.api) return http_settings(settings, given);
    if (given.http) {
        throw CannotStart(
            "LISTEN_FDS: a socket for the API, but scheduler.roles lacks api. Stop sundial.socket, "
            "or give it FileDescriptorName=health");
    }
    return health_settings(settings, given);
}

/// A demo runs every role in one process, and so does a process with a test clock.
void refuse_roles_of_a_part(const Roles& roles, const ProcessOptions& options) {
    if (roles == Roles{} || (!options.test_clock && options.demo_people == 0)) return;
    throw CannotStart("scheduler.roles (" + to_text(roles) +
                      ") is for 'sundial serve': 'sundial dev' does everything in one process. "
                      "Leave it out");
}

struct EndReports {
    ServiceStatus& status;
    ~EndReports() { status.end_watch(); }
};

}  // namespace

void check_settings(const Settings& settings) {
    check_roles(settings);
    if (!settings.security.encryption_key.empty()) {
        (void)system::parse_encryption_keys(settings.security.encryption_key,
                                            "security.encryption_key");
    }
    if (!settings.security.api_keys_file.empty()) {
        (void)read_api_keys_file(settings.security.api_keys_file, system::SystemApiKeySecrets{});
    }
    (void)webhook::AddressRules({.allow = settings.delivery.allow, .deny = settings.delivery.deny});
    webhook::check_certificates(settings.delivery.ca_file);
    if (!settings.locks.url.empty()) redis::check_url(settings.locks.url);
    check_intakes(settings);
    check_traces(settings);
    const auto file = sqlite_file(settings.storage.url);
    const bool cannot_have_any =
        file && !std::filesystem::exists(*file) && settings.security.api_keys_file.empty();
    if (cannot_have_any && !is_loopback(parse_listen(settings.http.listen).host)) {
        throw without_keys(settings);
    }
}

int run_process(const LoadedSettings& loaded, const ProcessOptions& options) {
    Settings adopted = loaded.settings;
    const auto service_environment = system::ServiceEnvironment::of_this_process();
    const GivenSockets given =
        take_sockets(system::inherited_sockets(service_environment), adopted);
    const Settings& settings = adopted;
    const Signals signals;
    check_settings(settings);
    const Roles& roles = settings.scheduler.roles;
    refuse_roles_of_a_part(roles, options);
    allow_many_connections();
    system::SystemIds ids;
    system::JsonLog log(log_settings(settings, base::to_string(ids.fresh())));
    const system::ServiceManager service_manager(service_environment);
    ServiceStatus status(service_manager, log);
    zones::CctzTimeZones zones(tz_directory(settings));
    const http::ApiSchema schema(openapi_json);
    const http::ServerSettings http = listener_settings(settings, given);
    Metrics metrics(product_version(), product_commit(), zones.current()->release());
    const http::BrowserRules browsers(browser_settings(settings));
    const http::Cors cors(settings.http.cors_origins);
    Gate gate(schema, documents_of(roles, options), log);
    system::SystemRandom random;
    const InstanceId instance{ids.fresh()};
    Tracing tracing(settings, instance, ids, random, log, metrics);
    http::ServerWorld world = real_world(ids);
    tracing.add_to(world);
    http::HttpServer server(
        http, world,
        [&gate, &cors](http::Request request) {
            return cors.answer(std::move(request), [&gate](http::Request asked) {
                return gate.answer(std::move(asked));
            });
        },
        tracing, log);
    std::optional<HealthListener> health;
    if (roles.api && !settings.http.health_listen.empty()) {
        health.emplace(health_settings(settings, given),
                       HealthListener::World{schema, world, metrics, log});
    }
    const auto count_unknown = [&metrics](std::string_view purpose) {
        metrics.outcome_unknown(purpose);
    };
    // Before the database is opened: a port in use changes no database.
    const std::uint16_t port = server.listen();
    std::vector<ListenAddress> listeners{{http.address, port}};
    if (health) listeners.push_back({health_settings(settings, given).address, health->listen()});
    warn_of_open_access(settings, log);
    status.starting("opening the database");
    auto database =
        open_with_retries(settings, options.test_clock, log, count_unknown, signals, status);
    if (!database) return 0;
    std::vector<std::string> sealing_keys = encryption_keys(settings, options);
    const std::vector<SecretFile> secret_files = secret_files_of(loaded, options);
    warn_of_open_files(secret_files, log);

    const Handlers handlers;
    Observers observers;
    observers.add(metrics);
    DeliveryPrinter printer(database->store(), zones, std::cout);
    if (options.demo_people > 0 && !options.test_clock) observers.add(printer);
    Engine engine(std::move(database), {.settings = settings,
                                        .zones = zones,
                                        .handlers = handlers,
                                        .observer = observers,
                                        .storage_observer = metrics,
                                        .log = log,
                                        .encryption_keys = std::move(sealing_keys),
                                        .listeners = listeners,
                                        .on_drain = [] { ::kill(::getpid(), SIGTERM); },
                                        .tracer = tracing.tracer(),
                                        .instance = instance,
                                        .settings_shown = loaded.shown});
    prepare_keys(settings, engine.api_keys(), log);
    const system::BootClock monotonic;
    const auto guard_of = [&](const ListenAddress& listener) {
        return std::make_unique<http::KeyGuard>(
            http::KeyGuardSettings{.loopback = is_loopback(listener.host),
                                   .requests_per_second = settings.http.rate_limit_per_second},
            engine.api_keys(), monotonic, browsers, &engine.sessions());
    };
    const auto guard = guard_of(listeners.front()), health_guard = guard_of(listeners.back());
    const KeyMaintenance key_maintenance(engine.api_keys(), log);
    engine.start();
    http::Router router(schema, *guard, log, settings.http.require_if_match,
                        &engine.keyed_answers());
    if (tracing.enabled()) metrics.at_scrape([&] { metrics.traces(tracing.counts()); });
    gate.add_own_routes(router);
    engine.add_routes(router, metrics);
    Demo demo = engine.demo();  // before the first request is answered
    const std::size_t made =
        options.demo_people > 0 ? demo.populate(options.demo_people, zones) : 0;
    gate.open(router, [&engine] { return engine.health(); });
    if (health) health->open(engine, *health_guard);
    base::LogLine ready = line(base::LogLevel::info, "server.ready", "ready");
    ready.fields.emplace_back("instance", to_string(instance));
    ready.fields.emplace_back("roles", to_text(roles));
    ready.fields.emplace_back("listen", text_of(listeners.front()));
    if (health) ready.fields.emplace_back("healthListen", text_of(listeners.back()));
    log.write(std::move(ready));
    const EndReports end_reports{status};  // before the engine ends, also after an exception
    status.ready("ready on " + text_of(listeners.front()) +
                     (roles == Roles{} ? "" : " as " + to_text(roles)),
                 [&engine] { return engine.makes_progress(); });
    if (options.demo_people > 0)
        present_demo(demo, made, engine, options, zones, port, key_file(settings, options));
    TzWatch tz_watch(
        zones, engine.follow_tzdata(), log,
        {.watch = settings.tz.watch,
         .reschedule = roles.scheduler && settings.tz.on_change == "reschedule",
         .replaced = [&metrics](const std::string& release) { metrics.tz_release(release); }});
    signals.wait_for_stop([&] {
        reload(settings, server, health, engine.api_keys(), log);
        warn_of_open_files(secret_files, log);
        tz_watch.check_now();
    });
    status.stopping();
    shut_down({engine, server, gate, health, log}, signals);
    return 0;
}

int run_tick(const Settings& settings, std::uint64_t limit, bool json) {
    system::SystemIds ids;
    system::JsonLog log(log_settings(settings, base::to_string(ids.fresh())));
    const zones::CctzTimeZones zones(tz_directory(settings));
    const Handlers handlers;
    Observers observers;
    StorageObserver silent_observer;
    Engine engine(open_database(settings, false, log, end_at_once(log), {}),
                  {.settings = settings,
                   .zones = zones,
                   .handlers = handlers,
                   .observer = observers,
                   .storage_observer = silent_observer,
                   .log = log,
                   .encryption_keys = encryption_keys(settings, {})});
    const Engine::Pass pass = engine.tick(limit);
    if (json) {
        base::JsonWriter out;
        out.begin_object().member("claimed", pass.claimed).member("completed", pass.completed);
        out.member("failed", pass.failed).member("retrying", pass.retrying).end_object();
        std::cout << out.text() << '\n';
    } else {
        std::cout << pass.claimed << " claimed: " << pass.completed << " completed, " << pass.failed
                  << " failed, " << pass.retrying << " to be retried\n";
    }
    return 0;
}

int show_due(const Settings& settings, bool json) {
    system::SystemIds ids;
    system::JsonLog log(log_settings(settings, base::to_string(ids.fresh())));
    const auto database = open_database(settings, false, log, end_at_once(log), {});
    const QueueDepth depth = database->queue().depth();
    if (json) {
        base::JsonWriter out;
        std::cout << out.begin_object().member("due", depth.due).end_object().text() << '\n';
    } else {
        std::cout << depth.due << " due; nothing was delivered\n";
    }
    return 0;
}

std::unique_ptr<const TimeZones> load_time_zones(const Settings& settings) {
    return std::make_unique<zones::CctzTimeZones>(tz_directory(settings));
}

std::unique_ptr<const TimeZones> load_time_zones(const std::string& directory) {
    return std::make_unique<zones::CctzTimeZones>(directory);
}

}  // namespace sundial::server
