#include "server/command_line/flags.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <iostream>
#include <memory>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "adapters/system/clocks.hpp"
#include "server/database.hpp"

extern char** environ;

namespace sundial::server {

std::map<std::string, std::string> environment() {
    std::map<std::string, std::string> variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text{*entry};
        const auto equals = text.find('=');
        if (equals != std::string_view::npos)
            variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return variables;
}

namespace {

constexpr std::string_view default_server = "http://127.0.0.1:8080";

constexpr std::int64_t longest_wait = 366LL * 24 * 3600;  // seconds; no job takes a year

/// The error in the text; empty if it is valid.
std::string judge_seconds(const std::string& text) {
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error == std::errc{} && seconds > longest_wait) return "'" + text + "' is over a year";
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (whole && seconds > 0) return "";
    return "'" + text + "' is not a positive number of seconds, such as 30";
}

}  // namespace

bool on_command_line(const CLI::App& command, const std::string& flag) {
    const auto& given = command.parse_order();
    return std::ranges::find(given, command.get_option(flag)) != given.end();
}

void add_client_flags(CLI::App& command, ClientFlags& flags) {
    command
        .add_option(
            "--server", flags.server,
            "address of the server; else SUNDIAL_SERVER, else " + std::string(default_server))
        ->type_name("URL");
    command.add_option("--api-key", flags.api_key, "API key; SUNDIAL_API_KEY is safer")
        ->type_name("KEY");
    command.add_flag("--json", flags.json, "print the response as JSON");
}

void add_timeout_flag(CLI::App& command, std::int64_t& seconds, const char* help) {
    command.add_option("--timeout", seconds, help)
        ->check(CLI::Validator(judge_seconds, ""))
        ->type_name("SECONDS");
}

cli::HttpClient client(const ClientFlags& flags) {
    const auto variables = environment();
    const auto chosen = [&](const std::optional<std::string>& flag, const char* variable,
                            std::string_view otherwise) {
        if (flag) return *flag;
        const auto found = variables.find(variable);
        return std::string(found == variables.end() || found->second.empty()
                               ? otherwise
                               : std::string_view(found->second));
    };
    return {chosen(flags.server, "SUNDIAL_SERVER", default_server),
            chosen(flags.api_key, "SUNDIAL_API_KEY", "")};
}

cli::Output output(bool json) { return {std::cout, std::cerr, json}; }

cli::WaitOptions wait_options(std::int64_t timeout_seconds) {
    const auto clock = std::make_shared<system::BootClock>();
    const auto in_milliseconds = [clock] {
        return std::chrono::duration_cast<std::chrono::milliseconds>(clock->now());
    };
    const auto begin = in_milliseconds();
    return {.elapsed = [in_milliseconds, begin] { return in_milliseconds() - begin; },
            .sleep = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); },
            .timeout = timeout_seconds > 0 ? std::optional(std::chrono::seconds(timeout_seconds))
                                           : std::nullopt,
            .terminal = ::isatty(STDERR_FILENO) == 1};
}

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
