#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/http/browser_rules.hpp"
#include "adapters/http/server.hpp"
#include "adapters/system/service_manager.hpp"
#include "server/settings.hpp"

/// Translates the settings about HTTP for its adapter.
namespace sundial::server {

/// Listening sockets that the service manager opened.
struct GivenSockets {
    std::optional<int> http{};
    std::optional<int> health{};
};
/// Assigns each of `sockets`: the one named "health" serves health, the other one the API. Their
/// addresses replace those in `settings`, so that every rule about the address of a listener
/// applies to the address that clients reach. Throws CannotStart if there are more.
[[nodiscard]] GivenSockets take_sockets(const std::vector<system::InheritedSocket>& sockets,
                                        Settings& settings);

[[nodiscard]] http::ServerSettings http_settings(const Settings& settings,
                                                 const GivenSockets& given);
/// The same on the address of `http.health_listen`, which is set. Throws CannotStart.
[[nodiscard]] http::ServerSettings health_settings(const Settings& settings,
                                                   const GivenSockets& given);
[[nodiscard]] http::BrowserSettings browser_settings(const Settings& settings);

/// Whether only this machine can reach a listener there.
[[nodiscard]] bool is_loopback(const std::string& host);
/// "127.0.0.1:8080".
[[nodiscard]] std::string text_of(const ListenAddress& listener);

/// Raises the limit of open files as far as the system allows, because each connection needs one.
/// Without this, many systems allow 1,024.
void allow_many_connections();

}  // namespace sundial::server
