#pragma once

#include <string>

#include "adapters/http/browser_rules.hpp"
#include "adapters/http/server.hpp"
#include "server/settings.hpp"

/// Translates the settings about HTTP for its adapter.
namespace sundial::server {

[[nodiscard]] http::ServerSettings http_settings(const Settings& settings);
/// The same on the address of `http.health_listen`, which is set. Throws CannotStart.
[[nodiscard]] http::ServerSettings health_settings(const Settings& settings);
[[nodiscard]] http::BrowserSettings browser_settings(const Settings& settings);

/// Whether only this machine can reach a listener there.
[[nodiscard]] bool is_loopback(const std::string& host);
/// "127.0.0.1:8080".
[[nodiscard]] std::string text_of(const ListenAddress& listener);

/// Raises the limit of open files as far as the system allows, because each connection needs one.
/// Without this, many systems allow 1,024.
void allow_many_connections();

}  // namespace sundial::server
