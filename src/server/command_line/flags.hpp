#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/system/json_log.hpp"
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
    std::optional<std::string> ca_file{}, cert_file{}, key_file{};
    bool json = false;
    bool no_color = false;
};

/// Whether `flag` is on the command line. A value from the environment does not count.
[[nodiscard]] bool on_command_line(const CLI::App& command, const std::string& flag);

/// `flags` must live as long as `command`. Commands may share them. CLI11 must not read the
/// environment for them: it does so for every command, chosen or not, and the commands that were
/// not chosen would overwrite the flag of the one that was.
void add_client_flags(CLI::App& command, ClientFlags& flags);
/// `--timeout`: maximum wait in seconds; 0 if not given.
void add_timeout_flag(CLI::App& command, std::int64_t& seconds, const char* help);
/// A flag that sets a filter of the API.
struct FilterFlag {
    const char* flag;
    const char* member;  // the API's name of the filter
    const char* help;
};
/// Adds an option that appends its value to `filters`, which must live as long as `command`.
void add_filter_flag(CLI::App& command, std::vector<std::pair<std::string, std::string>>& filters,
                     const FilterFlag& filter);
[[nodiscard]] cli::HttpClient client(const ClientFlags& flags);

/// The holder of a lock that a command acquires, unless `--holder` names another: `host:pid`.
[[nodiscard]] std::string default_lock_holder();

/// The streams for results and messages of this process. Colours and the width of the terminal are
/// for standard output that is one; NO_COLOR and --no-color switch colours off.
[[nodiscard]] cli::Output output(bool json, bool no_color = false);
[[nodiscard]] cli::Output output(const ClientFlags& flags);
/// Standard input, and whether a person is there to answer.
[[nodiscard]] cli::Person person();
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

/// The group of the flags that are settings, and the variable of one of them.
inline constexpr const char* settings_group = "Settings";
[[nodiscard]] std::string variable_of_setting(std::string_view key);

/// The variable of a flag that is no setting, such as SUNDIAL_SERVER; empty if it has none.
[[nodiscard]] std::string variable_of_flag(std::string_view flag);

/// The default of a setting's flag or of a flag that add_client_flags adds; else empty.
[[nodiscard]] std::string default_in_effect(const std::string& flag);
/// The value of such a flag that is not given, and its origin: a variable or a file. Empty for a
/// default. Secrets are ***.
struct ValueInEffect {
    std::string value{};
    std::string origin{};
};
[[nodiscard]] ValueInEffect value_in_effect(const std::string& flag, const std::string& variable);

/// Adds `--config`, `--db` and a flag per setting key; `flags` must live as long as `command`.
void add_settings_flags(CLI::App& command, SettingsFlags& flags);
void add_config_flag(CLI::App& command, SettingsFlags& flags);

/// The settings of this process: flags, environment, file, and the defaults of a command.
[[nodiscard]] LoadedSettings load(const SettingsFlags& flags,
                                  std::map<std::string, std::string> defaults = {});

/// The log of a command whose results are printed: warnings and errors.
[[nodiscard]] system::LogSettings problems_only();

}  // namespace sundial::server
