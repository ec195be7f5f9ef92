#include "server/command_line/settings_flags.hpp"

#include <CLI/CLI.hpp>
#include <utility>

#include "server/command_line/environment.hpp"
#include "server/database.hpp"

namespace sundial::server {

void add_config_flag(CLI::App& command, SettingsFlags& flags) {
    command.add_option("--config", flags.config, "TOML file")->type_name("FILE");
}

void add_settings_flags(CLI::App& command, SettingsFlags& flags) {
    add_config_flag(command, flags);
    command.add_option("--db", flags.db, "SQLite file, or postgresql://… (storage.url)")
        ->type_name("FILE|URL");
    for (const SettingKey& setting : setting_keys()) {
        const std::string key{setting.key};
        const auto take = [&flags, key](const std::string& text) { flags.settings[key] = text; };
        command.add_option_function<std::string>("--" + key, take, std::string(setting.help))
            ->group("Settings");
    }
}

LoadedSettings load(const SettingsFlags& flags, std::map<std::string, std::string> defaults) {
    SettingsSources sources;
    sources.environment = environment();
    sources.file = flags.config;
    if (const auto named = sources.environment.find("SUNDIAL_CONFIG");
        sources.file.empty() && named != sources.environment.end()) {
        sources.file = named->second;
    }
    sources.defaults = std::move(defaults);
    for (const auto& [key, text] : flags.settings) sources.flags[key] = text;
    if (!flags.db.empty()) sources.flags["storage.url"] = database_url(flags.db);
    if (!flags.listen.empty()) sources.flags["http.listen"] = flags.listen;
    return load_settings(sources);
}

}  // namespace sundial::server
