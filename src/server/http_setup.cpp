#include "server/http_setup.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "application/ports/failures.hpp"

namespace sundial::server {
namespace {

/// Where heavy requests keep every core busy, each step of a delivery waits until one of them is
/// preempted, whatever its priority: on two cores, lateness p99 was 45 ms with two and 7 ms with
/// one.
std::size_t heavy_seats(std::uint32_t setting) {
    if (setting != 0) return setting;
    return std::thread::hardware_concurrency() > 2 ? 2 : 1;
}

}  // namespace

GivenSockets take_sockets(const std::vector<system::InheritedSocket>& sockets, Settings& settings) {
    GivenSockets given;
    for (const system::InheritedSocket& socket : sockets) {
        const bool health = socket.name == "health";
        std::optional<int>& place = health ? given.health : given.http;
        if (place) {
            throw CannotStart(
                "LISTEN_FDS: more than one socket for the " +
                std::string(health ? "health routes" : "API") +
                ". Give at most two: one for the API, and one with FileDescriptorName=health");
        }
        place = socket.descriptor;
        const bool v6 = socket.host.find(':') != std::string::npos;
        (health ? settings.http.health_listen : settings.http.listen) =
            (v6 ? '[' + socket.host + ']' : socket.host) + ':' + std::to_string(socket.port);
    }
    return given;
}

http::ServerSettings http_settings(const Settings& settings, const GivenSockets& given) {
    const ListenAddress listen = parse_listen(settings.http.listen);
    http::ServerSettings http;
    http.address = listen.host;
    http.port = listen.port;
    http.heavy_seats = heavy_seats(settings.http.heavy_seats);
    http.descriptor = given.http;
    http.trusted_proxies = settings.http.trusted_proxies;
    if (!settings.http.tls_cert.empty()) {
        http.tls = http::TlsFiles{settings.http.tls_cert, settings.http.tls_key};
    }
    return http;
}

http::ServerSettings health_settings(const Settings& settings, const GivenSockets& given) {
    http::ServerSettings http = http_settings(settings, given);
    const ListenAddress listen = parse_listen(settings.http.health_listen, "http.health_listen");
    http.address = listen.host;
    http.port = listen.port;
    http.descriptor = given.health;
    http.setting = "http.health_listen";
    http.handler_threads = 4;  // a probe takes milliseconds, and a scrape is shared
    http.handler_queue = 64;
    http.heavy_seats = 1;  // none of its routes is heavy
    http.handler_nice = 0;
    return http;
}

http::BrowserSettings browser_settings(const Settings& settings) {
    return {.https = !settings.http.tls_cert.empty(),
            .allowed_hosts = settings.http.allowed_hosts,
            .cors_origins = settings.http.cors_origins};
}

bool is_loopback(const std::string& host) {
    return http::is_loopback_host(host.find(':') == std::string::npos ? host : '[' + host + ']');
}

std::string text_of(const ListenAddress& listener) {
    return listener.host + ':' + std::to_string(listener.port);
}

void allow_many_connections() {
    constexpr rlim_t enough = 8'192;  // twice 2,048 connections, deliveries, the database
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= enough) return;
    files.rlim_cur = std::min(enough, files.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace sundial::server
