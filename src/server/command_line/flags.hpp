#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "cli/http_client.hpp"
#include "server/settings.hpp"

namespace sundial::server {

/// The variables of this process.
[[nodiscard]] std::map<std::string, std::string> environment();

}  // namespace sundial::server

namespace CLI {
class App;
}

namespace sundial::server {

/// How a command reaches a running server. A flag wins over the environment, and that over the
/// default.
struct ClientFlags {
    std::optional<std::string> server{};
    std::optional<std::string> api_key{};
    bool json = false;
};

/// Whether `flag` is on the command line. A value from the environment does not count.
[[nodiscard]] bool on_command_line(const CLI::App& command, const std::string& flag);

/// `flags` must live as long as `command`. Commands may share them. CLI11 must not read the
/// environment for them: it does so for every command, chosen or not, and the commands that were
/// not chosen would overwrite the flag of the one that was.
void add_client_flags(CLI::App& command, ClientFlags& flags);
/// `--timeout`: maximum wait in seconds; 0 if not given.
void add_timeout_flag(CLI::App& command, std::int64_t& seconds, const char* help);
[[nodiscard]] cli::HttpClient client(const ClientFlags& flags);

/// The streams for results and messages of this process.
[[nodiscard]] cli::Output output(bool json);
/// Uses this machine's clock and terminal; 0 seconds: unlimited.
[[nodiscard]] cli::WaitOptions wait_options(std::int64_t timeout_seconds);

}  // namespace sundial::server

namespace CLI {
class App;
}

namespace sundial::server {

/// Settings given on the command line.
struct SettingsFlags {
    std::string config{};
    std::string db{};
    std::string listen{};
    std::map<std::string, std::string> settings{};
};

/// Adds `--config`, `--db` and a flag per setting key; `flags` must live as long as `command`.
void add_settings_flags(CLI::App& command, SettingsFlags& flags);
void add_config_flag(CLI::App& command, SettingsFlags& flags);

/// The settings of this process: flags, environment, file, and the defaults of a command.
[[nodiscard]] LoadedSettings load(const SettingsFlags& flags,
                                  std::map<std::string, std::string> defaults = {});

}  // namespace sundial::server
