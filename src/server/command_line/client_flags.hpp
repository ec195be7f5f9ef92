#pragma once

#include <cstdint>
#include <string>

#include "cli/commands.hpp"
#include "cli/http_client.hpp"

namespace CLI {
class App;
}

namespace sundial::server {

/// What a command that asks a running server is told about it.
struct ClientFlags {
    std::string server = "http://127.0.0.1:8080";
    std::string api_key{};
    bool json = false;
};

/// Whether `flag` is on the command line. A value from the environment does not count.
[[nodiscard]] bool on_command_line(const CLI::App& command, const std::string& flag);

/// `flags` must live as long as `command`.
void add_client_flags(CLI::App& command, ClientFlags& flags);
/// `--timeout`: how many seconds something is waited for; 0 if it is not given.
void add_timeout_flag(CLI::App& command, std::int64_t& seconds, const char* help);
[[nodiscard]] cli::HttpClient client(const ClientFlags& flags);

/// Where results and messages of this process go.
[[nodiscard]] cli::Output output(bool json);
/// By this machine's clock and terminal; 0 seconds: no end.
[[nodiscard]] cli::Patience patience(std::int64_t timeout_seconds);

}  // namespace sundial::server
