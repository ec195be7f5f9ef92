#pragma once

#include <cstdint>
#include <string>

#include "cli/commands.hpp"
#include "cli/http_client.hpp"

namespace CLI {
class App;
}

namespace sundial::server {

/// The flags of a command that calls a running server.
struct ClientFlags {
    std::string server = "http://127.0.0.1:8080";
    std::string api_key{};
    bool json = false;
};

/// `flags` must live as long as `command`.
void add_client_flags(CLI::App& command, ClientFlags& flags);
/// `--timeout`: maximum wait in seconds; 0 if not given.
void add_timeout_flag(CLI::App& command, std::int64_t& seconds, const char* help);
[[nodiscard]] cli::HttpClient client(const ClientFlags& flags);

/// The streams for results and messages of this process.
[[nodiscard]] cli::Output output(bool json);
/// Uses this machine's clock and terminal; 0 seconds: unlimited.
[[nodiscard]] cli::Patience patience(std::int64_t timeout_seconds);

}  // namespace sundial::server
