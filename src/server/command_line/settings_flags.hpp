#pragma once

#include <map>
#include <string>

#include "server/settings.hpp"

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
