#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "application/maintenance/maintenance.hpp"
#include "domain/circuit.hpp"
#include "domain/time/types.hpp"
#include "server/roles.hpp"

namespace sundial::server {

/// An application's outbox that Sundial follows (docs/guide/outbox.md).
struct IntakeSetting {
    std::string name;  // [a-z0-9-]{1,40}
    std::string url;   // sqlite:FILE or postgresql://…
};

/// All settings and their defaults. This is the one place that bounds the resources of the process.
struct Settings {
    struct Http {
        std::string listen = "127.0.0.1:8080";
        std::string tls_cert{};  // PEM; empty: no TLS
        std::string tls_key{};   // PEM
        bool require_if_match = false;
        std::string health_listen{};                 // empty: health is served on `listen` only
        std::vector<std::string> allowed_hosts{};    // names, while there is no API key
        std::vector<std::string> cors_origins{};     // https://app.example
        std::vector<std::string> trusted_proxies{};  // CIDR
        std::uint32_t rate_limit_per_second = 1000;  // per API key; 0: unlimited
        std::uint32_t heavy_seats = 0;  // requests that read much, at once; 0: by cores
    } http;
    struct Storage {
        std::string url = "sqlite:sundial.db";
        std::string listen_url{};     // PostgreSQL URL for hints between instances; empty: none
        std::uint32_t pool_size = 8;  // PostgreSQL connections
        std::uint32_t shards = 16;    // PostgreSQL; read by the first migration
        bool auto_migrate = true;
        std::string synchronous = "full";  // or normal; SQLite only
        std::vector<IntakeSetting> intake{};
    } storage;
    struct Scheduler {
        std::chrono::seconds tick{1};
        std::uint32_t claim_batch = 500;
        std::chrono::seconds lease{30};
        Roles roles{};  // of a process that serves
        /// Used only by the first migration, for the birthday row.
        TimeOfDay birthday_time{9 * 3600};
    } scheduler;
    struct Delivery {
        std::uint32_t workers = 64;        // attempts in flight at most
        std::chrono::seconds timeout{10};  // for endpoints without their own
        bool allow_private = false;
        bool allow_http = false;
        std::vector<std::string> allow{};  // CIDR
        std::vector<std::string> deny{};   // CIDR
        std::vector<std::uint16_t> ports{443, 8443};
        std::string ca_file{};
        std::string user_agent = "sundial/1";
        CircuitPolicy circuit{};
    } delivery;
    struct Retention {
        RetentionTerms events{};  // including their dependent rows
        std::chrono::seconds idempotency{
            std::chrono::hours{24}};  // for stored responses under an Idempotency-Key
    } retention;
    struct Security {
        std::string api_keys_file{};   // keys besides those in the database, one per line
        std::string encryption_key{};  // 32 bytes in base64; empty on SQLite: a key file beside the
                                       // database
        std::chrono::seconds session{std::chrono::hours{12}};  // of a browser that logged in
    } security;
    struct Locks {
        std::string url{};  // redis://…; empty: the storage database
    } locks;
    struct Tz {
        std::string source = "auto";  // auto: dir if given, else the system's; system; dir
        std::string dir{};
        bool watch = true;
        std::string on_change = "reschedule";  // or report
    } tz;
    struct Log {
        std::string level = "info";
        std::string format = "json";
        std::string environment = "production";
        std::string claims{};  // file of the claim log; empty: none
    } log;
    struct Telemetry {
        bool metrics = true;
    } telemetry;
    struct Traces {
        std::string endpoint{};              // of an OTLP collector; empty: no traces
        std::vector<std::string> headers{};  // NAME=VALUE, for it
        double sample = 0.1;                 // share of the traces that begin here
        std::string service = "sundial";     // service.name
    } traces;
    struct Ping {
        std::string url{};  // gets a request while the claim loop works; empty: none
        std::chrono::seconds every{60};
    } ping;
    struct Ui {
        bool inbox = false;  // whether endpoints of type INBOX may be created
    } ui;
};

/// The source of a value, for `sundial config show`.
struct SettingShown {
    std::string key;
    std::string value;   // "***" for a secret that is set
    std::string origin;  // "default", "sundial.toml", "SUNDIAL_HTTP_LISTEN", "--http.listen"
};

/// A file that holds a secret, and the setting that the secret is, or that names the file.
struct SecretFile {
    std::string setting;
    std::string file;
};

struct LoadedSettings {
    Settings settings;
    std::vector<SettingShown> shown;
    std::vector<SecretFile> secret_files;
};

struct SettingsSources {
    /// The command's, which replace the general ones.
    std::map<std::string, std::string> defaults{};
    std::string file{};                                // TOML; empty: none
    std::map<std::string, std::string> environment{};  // the complete environment
    /// Names in it that begin with SUNDIAL_ and are not settings, such as SUNDIAL_SERVER.
    std::set<std::string> other_variables{};
    std::map<std::string, std::string> flags{};  // "http.listen" → text
};

/// Precedence: flag > environment > <KEY>_FILE > credential > file > the command's default >
/// default. Throws CannotStart for an unknown key (suggesting the nearest one), an invalid value,
/// or settings that contradict each other.
[[nodiscard]] LoadedSettings load_settings(const SettingsSources& sources);

/// Refuses roles with which no process can serve. Throws CannotStart. Other commands do all of
/// their work, whatever the roles.
void check_roles(const Settings& settings);

/// The names of all keys, for flags and help.
struct SettingKey {
    std::string_view key;
    std::string_view help;
};
[[nodiscard]] std::vector<SettingKey> setting_keys();

/// "127.0.0.1:8080" or "[::1]:8080", taken apart. Throws CannotStart, naming the setting.
struct ListenAddress {
    std::string host;
    std::uint16_t port;
};
[[nodiscard]] ListenAddress parse_listen(std::string_view text,
                                         const std::string& setting = "http.listen");

}  // namespace sundial::server
