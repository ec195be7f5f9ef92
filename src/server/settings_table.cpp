#include "server/settings_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "application/ports/retention.hpp"
#include "base/text.hpp"
#include "domain/time/calendar_duration.hpp"
#include "domain/time/text.hpp"

namespace sundial::server {
namespace {

SettingError take(bool& into, std::string_view text) {
    if (text != "true" && text != "false") return "true or false";
    into = text == "true";
    return std::nullopt;
}

SettingError take(std::string& into, std::string_view text) {
    into = text;
    return std::nullopt;
}

template <class Number>
SettingError take_number(Number& into, std::string_view text, Number min, Number max) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < min || number > max) {
        return "a number from " + std::to_string(min) + " to " + std::to_string(max);
    }
    into = number;
    return std::nullopt;
}

SettingError take_duration(std::chrono::seconds& into, std::string_view text,
                           std::chrono::seconds min, std::chrono::seconds max) {
    const auto duration = parse_duration(text);
    if (!duration || *duration < min || *duration > max) {
        return "a duration from " + format_duration(min) + " to " + format_duration(max) +
               ", such as PT10S";
    }
    into = *duration;
    return std::nullopt;
}

/// A length of many days: P90D, P1Y, PT36H.
SettingError take_long(std::chrono::microseconds& into, std::string_view text,
                       std::chrono::days min) {
    constexpr std::chrono::days max{36'500};
    const auto duration = parse_calendar_duration(text);
    if (!duration || longest(*duration) < min || longest(*duration) > max) {
        return "a duration from P" + std::to_string(min.count()) +
               "D to P36500D, such as P90D or P1Y";
    }
    into = longest(*duration);
    return std::nullopt;
}

SettingError take(TimeOfDay& into, std::string_view text) {
    const auto time = parse_time_of_day(text);
    if (!time) return "a time of day, such as 09:00";
    into = *time;
    return std::nullopt;
}

SettingError take_one_of(std::string& into, std::string_view text,
                         std::vector<std::string> allowed) {
    if (std::ranges::find(allowed, text) == allowed.end()) {
        std::string choice = "one of";
        for (const std::string& word : allowed) choice += ' ' + word;
        return choice;
    }
    into = text;
    return std::nullopt;
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto comma = text.find(',');
        if (const auto part = text.substr(0, comma); !part.empty()) parts.emplace_back(part);
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    return parts;
}

SettingError take(std::vector<std::string>& into, std::string_view text) {
    into = split(text);
    return std::nullopt;
}

SettingError take(Roles& into, std::string_view text) {
    const auto roles = roles_in(split(text));
    if (!roles) return "one or more of api, scheduler, worker and ui, such as api,ui";
    into = *roles;
    return std::nullopt;
}

SettingError take(std::vector<std::uint16_t>& into, std::string_view text) {
    std::vector<std::uint16_t> ports;
    for (const std::string& part : split(text)) {
        std::uint16_t port = 0;
        if (take_number<std::uint16_t>(port, part, 1, 65535))
            return "ports from 1 to 65535, such as 443,8443";
        ports.push_back(port);
    }
    into = std::move(ports);
    return std::nullopt;
}

constexpr std::size_t most_intakes = 16;  // each has a thread
constexpr std::size_t longest_intake_name = 40;

bool is_intake_url(std::string_view url) {
    return (url.starts_with("sqlite:") && url.size() > 7) || url.starts_with("postgresql://") ||
           url.starts_with("postgres://");
}

/// "orders" and the URL of "orders=sqlite:/var/lib/shop/shop.db"; empty if it is something else,
/// such as a part of a URL with several hosts.
std::optional<IntakeSetting> intake_in(std::string_view part) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals > longest_intake_name) return {};
    const std::string_view name = part.substr(0, equals), url = part.substr(equals + 1);
    const bool plain = std::ranges::all_of(
        name, [](char c) { return base::is_lower(c) || base::is_digit(c) || c == '-'; });
    if (!plain || !is_intake_url(url)) return {};
    return IntakeSetting{std::string(name), std::string(url)};
}

SettingError take(std::vector<IntakeSetting>& into, std::string_view text) {
    constexpr auto form =
        "sources such as orders=sqlite:/var/lib/shop/shop.db,crm=postgresql://sundial@db/crm: at "
        "most 16, each with a name of its own of a-z, 0-9 and -";
    std::vector<IntakeSetting> sources;
    for (const std::string& part : split(text)) {
        if (auto source = intake_in(part)) {
            const bool known =
                std::ranges::find(sources, source->name, &IntakeSetting::name) != sources.end();
            if (known || sources.size() == most_intakes) return form;
            sources.push_back(*std::move(source));
        } else if (sources.empty()) {
            return form;
        } else {
            sources.back().url += ',' + part;  // another host of the same URL
        }
    }
    into = std::move(sources);
    return std::nullopt;
}

std::string show(bool value) { return value ? "true" : "false"; }
std::string show(const std::string& value) { return value; }
std::string show(std::uint32_t value) { return std::to_string(value); }
std::string show(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}
std::string show(std::chrono::seconds value) { return format_duration(value); }
std::string show_long(std::chrono::microseconds value) {
    const auto days = std::chrono::floor<std::chrono::days>(value);
    if (days == value) return 'P' + std::to_string(days.count()) + 'D';
    return format_duration(std::chrono::floor<std::chrono::seconds>(value));
}
std::string show(TimeOfDay value) { return format_time_of_day(value); }
std::string show(const Roles& roles) { return to_text(roles); }
std::string show(const std::vector<std::string>& values) {
    std::string text;
    for (const std::string& value : values) text += (text.empty() ? "" : ",") + value;
    return text;
}
std::string show(const std::vector<IntakeSetting>& sources) {
    std::string text;
    for (const IntakeSetting& source : sources) {
        text += (text.empty() ? "" : ",") + source.name + '=' + source.url;
    }
    return text;
}
std::string show(const std::vector<std::uint16_t>& values) {
    std::string text;
    for (const std::uint16_t value : values)
        text += (text.empty() ? "" : ",") + std::to_string(value);
    return text;
}

template <class Member>
SettingRow key(std::string_view name, std::string_view help, Member member) {
    return {name, help,
            [member](Settings& s, std::string_view text) { return take(member(s), text); },
            [member](const Settings& s) { return show(member(s)); }};
}

template <class Member>
SettingRow number(std::string_view name, std::string_view help, Member member, std::uint32_t min,
                  std::uint32_t max) {
    SettingRow made{name, help, {}, [member](const Settings& s) { return show(member(s)); }};
    made.take = [=](Settings& s, std::string_view text) {
        return take_number(member(s), text, min, max);
    };
    return made;
}

/// A share from `min` to 1, both included.
template <class Member>
SettingRow share(std::string_view name, std::string_view help, Member member, double min) {
    SettingRow made{name, help, {}, [member](const Settings& s) { return show(member(s)); }};
    made.take = [=](Settings& s, std::string_view text) -> SettingError {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = error == std::errc{} && end == text.data() + text.size();
        if (!whole || !(value >= min && value <= 1))
            return "a share from " + show(min) + " to 1, such as 0.5";
        member(s) = value;
        return std::nullopt;
    };
    return made;
}

template <class Member>
SettingRow duration(std::string_view name, std::string_view help, Member member,
                    std::chrono::seconds min, std::chrono::seconds max) {
    SettingRow made{name, help, {}, [member](const Settings& s) { return show(member(s)); }};
    made.take = [=](Settings& s, std::string_view text) {
        return take_duration(member(s), text, min, max);
    };
    return made;
}

template <class Member>
SettingRow days(std::string_view name, std::string_view help, Member member,
                std::chrono::days min) {
    SettingRow made{name, help, {}, [member](const Settings& s) { return show_long(member(s)); }};
    made.take = [=](Settings& s, std::string_view text) { return take_long(member(s), text, min); };
    return made;
}

template <class Member>
SettingRow word(std::string_view name, std::string_view help, Member member,
                std::vector<std::string> allowed) {
    SettingRow made{name, help, {}, [member](const Settings& s) { return show(member(s)); }};
    made.take = [=](Settings& s, std::string_view text) {
        return take_one_of(member(s), text, allowed);
    };
    return made;
}

}  // namespace

const std::vector<SettingRow>& setting_table() {
    using namespace std::chrono_literals;
    static const std::vector<SettingRow> table = [] {
        std::vector<SettingRow> all{
            key("http.listen", "address and port to serve on",
                [](auto& s) -> auto& { return s.http.listen; }),
            key("http.tls_cert", "certificate chain (PEM) to serve https with",
                [](auto& s) -> auto& { return s.http.tls_cert; }),
            key("http.tls_key", "its private key (PEM)",
                [](auto& s) -> auto& { return s.http.tls_key; }),
            key("http.require_if_match", "refuse edits without If-Match",
                [](auto& s) -> auto& { return s.http.require_if_match; }),
            key("http.health_listen", "separate address and port for health and metrics",
                [](auto& s) -> auto& { return s.http.health_listen; }),
            key("http.allowed_hosts",
                "host names that a server without keys accepts, in addition to loopback names",
                [](auto& s) -> auto& { return s.http.allowed_hosts; }),
            key("http.cors_origins", "origins whose web pages may use the API",
                [](auto& s) -> auto& { return s.http.cors_origins; }),
            key("http.trusted_proxies", "networks (CIDR) whose X-Forwarded-For counts",
                [](auto& s) -> auto& { return s.http.trusted_proxies; }),
            number(
                "http.rate_limit_per_second",
                "maximum of requests per API key and second; 0: no limit",
                [](auto& s) -> auto& { return s.http.rate_limit_per_second; }, 0, 1'000'000),
            number(
                "http.heavy_seats",
                "maximum of concurrent expensive requests (previews, lists, feed pages); 0: one "
                "less than there are cores, 1 or 2",
                [](auto& s) -> auto& { return s.http.heavy_seats; }, 0, 64),
            key("storage.url", "sqlite:FILE or postgresql://…",
                [](auto& s) -> auto& { return s.storage.url; }),
            key("storage.listen_url",
                "direct address of PostgreSQL without a pooler, to learn of other instances' "
                "events sooner",
                [](auto& s) -> auto& { return s.storage.listen_url; }),
            number(
                "storage.pool_size", "PostgreSQL connections",
                [](auto& s) -> auto& { return s.storage.pool_size; }, 2, 1000),
            number(
                "storage.shards",
                "PostgreSQL shards, for the first migration; 'sundial db reshard' changes them "
                "later",
                [](auto& s) -> auto& { return s.storage.shards; }, 1, 256),
            key("storage.auto_migrate", "apply pending migrations at start",
                [](auto& s) -> auto& { return s.storage.auto_migrate; }),
            word("storage.synchronous",
                 "full: acknowledged changes survive a power failure; normal: the last seconds may "
                 "be lost (SQLite)",
                 [](auto& s) -> auto& { return s.storage.synchronous; }, {"full", "normal"}),
            key("storage.intake",
                "outboxes of applications to follow: NAME=sqlite:FILE or NAME=postgresql://…, …",
                [](auto& s) -> auto& { return s.storage.intake; }),
            duration(
                "scheduler.tick", "maximum time between two checks of the database",
                [](auto& s) -> auto& { return s.scheduler.tick; }, 1s, 60s),
            number(
                "scheduler.claim_batch", "maximum number of events per claim",
                [](auto& s) -> auto& { return s.scheduler.claim_batch; }, 1, 1000),
            duration(
                "scheduler.lease", "time after which a claim without renewal expires",
                [](auto& s) -> auto& { return s.scheduler.lease; }, 15s, 3600s),
            key("scheduler.roles",
                "work of this process: api, scheduler, worker, ui; on SQLite all but ui are needed",
                [](auto& s) -> auto& { return s.scheduler.roles; }),
            key("scheduler.birthday_time", "time of the birthday schedule at the first migration",
                [](auto& s) -> auto& { return s.scheduler.birthday_time; }),
            number(
                "delivery.workers", "maximum number of concurrent deliveries",
                [](auto& s) -> auto& { return s.delivery.workers; }, 1, 4096),
            duration(
                "delivery.timeout", "timeout of a request, for endpoints without one",
                [](auto& s) -> auto& { return s.delivery.timeout; }, 1s, 30s),
            key("delivery.allow_private",
                "allow requests to private and loopback addresses, by http, on any port",
                [](auto& s) -> auto& { return s.delivery.allow_private; }),
            key("delivery.allow_http", "allow plain http webhooks",
                [](auto& s) -> auto& { return s.delivery.allow_http; }),
            key("delivery.allow", "addresses (CIDR) to allow although denied by default",
                [](auto& s) -> auto& { return s.delivery.allow; }),
            key("delivery.deny", "addresses (CIDR) to deny in addition",
                [](auto& s) -> auto& { return s.delivery.deny; }),
            key("delivery.ports", "ports that webhooks may use",
                [](auto& s) -> auto& { return s.delivery.ports; }),
            key("delivery.ca_file", "certificates to trust instead of the system's",
                [](auto& s) -> auto& { return s.delivery.ca_file; }),
            key("delivery.user_agent", "User-Agent of requests",
                [](auto& s) -> auto& { return s.delivery.user_agent; }),
            duration(
                "delivery.circuit.window",
                "number of latest results that decide about an endpoint's circuit",
                [](auto& s) -> auto& { return s.delivery.circuit.window; }, 6s, 3600s),
            number(
                "delivery.circuit.min_calls",
                "minimum of results in the window before a circuit can open",
                [](auto& s) -> auto& { return s.delivery.circuit.min_calls; }, 1, 10000),
            share(
                "delivery.circuit.failure_ratio", "share of failures that opens a circuit",
                [](auto& s) -> auto& { return s.delivery.circuit.failure_ratio; }, 0.01),
            duration(
                "delivery.circuit.open", "time until the first probe of an open circuit",
                [](auto& s) -> auto& { return s.delivery.circuit.open; }, 1s, 3600s),
            duration(
                "delivery.circuit.open_max", "maximum time between two probes",
                [](auto& s) -> auto& { return s.delivery.circuit.open_max; }, 1s, 86400s),
            duration(
                "retention.idempotency",
                "time for which the response to a request with an Idempotency-Key is kept",
                [](auto& s) -> auto& { return s.retention.idempotency; }, 3600s, 30 * 24 * 3600s),
            days(
                "retention.completed", "COMPLETED and CANCELLED events, and skipped occurrences",
                [](auto& s) -> auto& { return s.retention.events.completed; },
                std::chrono::days{1}),
            days(
                "retention.failed", "FAILED events",
                [](auto& s) -> auto& { return s.retention.events.failed; }, std::chrono::days{1}),
            days(
                "retention.attempts", "attempts of events",
                [](auto& s) -> auto& { return s.retention.events.attempts; }, std::chrono::days{1}),
            days(
                "retention.keys", "idempotency keys of finished events",
                [](auto& s) -> auto& { return s.retention.events.keys; }, key_kept_for),
            key("security.api_keys_file",
                "additional API keys, outside the database: NAME ROLE KEY",
                [](auto& s) -> auto& { return s.security.api_keys_file; }),
            key("security.encryption_key",
                "32 bytes in base64 that encrypt stored secrets; followed by the keys that it "
                "replaces",
                [](auto& s) -> auto& { return s.security.encryption_key; }),
            duration(
                "security.session", "time for which a browser stays logged in",
                [](auto& s) -> auto& { return s.security.session; }, 60s, 30 * 24 * 3600s),
            key("locks.url", "redis://… of a lock server; empty: locks are in the database",
                [](auto& s) -> auto& { return s.locks.url; }),
            word("tz.source", "auto (tz.dir if given, else system), system or dir",
                 [](auto& s) -> auto& { return s.tz.source; }, {"auto", "system", "dir"}),
            key("tz.dir", "directory of the tz database, in the layout of the package tzdata",
                [](auto& s) -> auto& { return s.tz.dir; }),
            key("tz.watch", "load a changed tz database automatically, not only on SIGHUP",
                [](auto& s) -> auto& { return s.tz.watch; }),
            word("tz.on_change", "reschedule: pending events follow another tz database; or report",
                 [](auto& s) -> auto& { return s.tz.on_change; }, {"reschedule", "report"}),
            word("log.level", "debug, info, warn or error",
                 [](auto& s) -> auto& { return s.log.level; }, {"debug", "info", "warn", "error"}),
            word("log.format", "json or text", [](auto& s) -> auto& { return s.log.format; },
                 {"json", "text"}),
            key("log.environment", "name of this instance in every log line",
                [](auto& s) -> auto& { return s.log.environment; }),
            key("log.claims", "file for a record of every step of every claim",
                [](auto& s) -> auto& { return s.log.claims; }),
            key("telemetry.metrics", "serve /metrics",
                [](auto& s) -> auto& { return s.telemetry.metrics; }),
            key("traces.endpoint",
                "collector to send traces to, by OTLP over HTTP: http://127.0.0.1:4318",
                [](auto& s) -> auto& { return s.traces.endpoint; }),
            key("traces.headers", "headers of requests to the collector: NAME=VALUE, …",
                [](auto& s) -> auto& { return s.traces.headers; }),
            share(
                "traces.sample",
                "share of the traces that begin here to record, 0 to 1; others follow their "
                "caller's decision",
                [](auto& s) -> auto& { return s.traces.sample; }, 0),
            key("traces.service", "name of this program in traces",
                [](auto& s) -> auto& { return s.traces.service; }),
            key("ping.url", "URL that gets a POST request as long as the claim loop works",
                [](auto& s) -> auto& { return s.ping.url; }),
            duration(
                "ping.every", "time between two of these requests",
                [](auto& s) -> auto& { return s.ping.every; }, 10s, 86400s),
            key("ui.inbox", "allow endpoints of type INBOX",
                [](auto& s) -> auto& { return s.ui.inbox; }),
        };
        // Secret, because a program that knows the address could send pings while the engine is
        // down.
        for (SettingRow& one : all) {
            one.secret = one.name == "security.encryption_key" || one.name == "traces.headers" ||
                         one.name == "ping.url";
        }
        return all;
    }();
    return table;
}

}  // namespace sundial::server
