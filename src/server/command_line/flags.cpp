#include "server/command_line/flags.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "adapters/system/clocks.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "server/database.hpp"
#include "server/version.hpp"

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

std::string default_lock_holder() {
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    return std::string{host.data()} + ':' + std::to_string(getpid());
}

namespace {

constexpr std::string_view default_server = "http://127.0.0.1:8080";

constexpr std::size_t usual_width = 80;  // cells, of a terminal that does not tell
constexpr const char* connection_group = "Connection";
constexpr const char* output_group = "Output";

struct FlagVariable {
    std::string_view flag, variable;
};
constexpr std::array<FlagVariable, 7> flag_variables{{
    {"--server", "SUNDIAL_SERVER"},
    {"--api-key", "SUNDIAL_API_KEY"},
    {"--ca-file", "SUNDIAL_CA_FILE"},
    {"--cert-file", "SUNDIAL_CERT_FILE"},
    {"--key-file", "SUNDIAL_KEY_FILE"},
    {"--config", "SUNDIAL_CONFIG"},
    {"--no-color", "NO_COLOR"},
}};

volatile std::sig_atomic_t interrupt_came = 0;

/// Whether SIGINT came since the first call. A second SIGINT ends the process.
bool was_interrupted() {
    static const bool watched = [] {
        struct sigaction action{};
        action.sa_handler = [](int) { interrupt_came = 1; };
        action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
        return ::sigaction(SIGINT, &action, nullptr) == 0;
    }();
    return watched && interrupt_came != 0;
}

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
    const auto add = [&](const char* name, auto& value, const std::string& help, const char* type) {
        command.add_option(name, value, help)->type_name(type)->group(connection_group);
    };
    add("--server", flags.server, "address of the server", "URL");
    add("--api-key", flags.api_key, "API key; the variable is safer: process lists show flags",
        "KEY");
    add("--ca-file", flags.ca_file, "certificates to trust, PEM; else the system's", "FILE");
    add("--cert-file", flags.cert_file, "the client's own certificate, PEM", "FILE");
    add("--key-file", flags.key_file, "the key of --cert-file, PEM", "FILE");
    command.add_flag("--json", flags.json, "print the response as JSON")->group(output_group);
    command.add_flag("--no-color", flags.no_color, "no colours, even on a terminal")
        ->group(output_group);
}

void add_timeout_flag(CLI::App& command, std::int64_t& seconds, const char* help) {
    command.add_option("--timeout", seconds, help)
        ->check(CLI::Validator(judge_seconds, ""))
        ->type_name("SECONDS");
}

void add_filter_flag(CLI::App& command, std::vector<std::pair<std::string, std::string>>& filters,
                     const FilterFlag& filter) {
    command.add_option_function<std::string>(
        filter.flag,
        [&filters, member = std::string(filter.member)](const std::string& text) {
            filters.emplace_back(member, text);
        },
        filter.help);
}

cli::HttpClient client(const ClientFlags& flags) {
    const auto variables = environment();
    const auto chosen = [&](const std::optional<std::string>& given, std::string_view flag,
                            std::string_view otherwise) {
        if (given) return *given;
        const auto found = variables.find(variable_of_flag(flag));
        return std::string(found == variables.end() || found->second.empty()
                               ? otherwise
                               : std::string_view(found->second));
    };
    return {chosen(flags.server, "--server", default_server),
            chosen(flags.api_key, "--api-key", ""),
            {.ca_file = chosen(flags.ca_file, "--ca-file", ""),
             .certificate_file = chosen(flags.cert_file, "--cert-file", ""),
             .key_file = chosen(flags.key_file, "--key-file", "")}};
}

cli::Output output(bool json, bool no_color) {
    cli::Output output{std::cout, std::cerr, json};
    if (::isatty(STDOUT_FILENO) != 1) return output;
    winsize window{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    output.look.width = known ? window.ws_col : usual_width;
    const auto variables = environment();
    const auto is = [&](const char* name, std::string_view text) {
        const auto found = variables.find(name);
        return found != variables.end() && found->second == text;
    };
    const auto no_colour = variables.find(variable_of_flag("--no-color"));
    const bool unwanted = no_colour != variables.end() && !no_colour->second.empty();
    output.look.colour = !no_color && !unwanted && !is("TERM", "dumb");
    return output;
}

cli::Output output(const ClientFlags& flags) { return output(flags.json, flags.no_color); }

cli::Person person() { return {std::cin, ::isatty(STDIN_FILENO) == 1}; }

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
            .terminal = ::isatty(STDERR_FILENO) == 1,
            .interrupted = &was_interrupted};
}

std::string variable_of_setting(std::string_view key) {
    std::string name = "SUNDIAL_";
    for (const char c : key) name += c == '.' ? '_' : base::upper(c);
    return name;
}

std::string variable_of_flag(std::string_view flag) {
    const auto found = std::ranges::find(flag_variables, flag, &FlagVariable::flag);
    return found == flag_variables.end() ? "" : std::string(found->variable);
}

namespace {

/// The settings without flags; empty if a variable or the file is wrong, which only a command that
/// uses them reports.
const std::vector<SettingShown>& shown_settings(bool of_this_process) {
    const auto settings = [](bool all) -> std::vector<SettingShown> {
        try {
            return all ? load({}).shown : load_settings({}).shown;
        } catch (const std::exception&) {
            return {};
        }
    };
    static const std::vector<SettingShown> defaults = settings(false), here = settings(true);
    return of_this_process ? here : defaults;
}

}  // namespace

std::string default_in_effect(const std::string& flag) {
    if (flag == "--server") return std::string(default_server);
    for (const SettingShown& setting : shown_settings(false)) {
        if ("--" + setting.key == flag) return setting.value;
    }
    return "";
}

ValueInEffect value_in_effect(const std::string& flag, const std::string& variable) {
    for (const SettingShown& setting : shown_settings(true)) {
        if ("--" + setting.key != flag) continue;
        if (setting.origin == "default") return {};
        return {setting.value, setting.origin};
    }
    const auto variables = environment();
    const auto found = variables.find(variable);
    if (found == variables.end() || found->second.empty()) return {};
    return {flag == "--api-key" ? "***" : base::redacted(found->second), variable};
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
            ->group(settings_group);
    }
}

LoadedSettings load(const SettingsFlags& flags, std::map<std::string, std::string> defaults) {
    SettingsSources sources;
    sources.environment = environment();
    for (const FlagVariable& each : flag_variables) sources.other_variables.emplace(each.variable);
    sources.other_variables.emplace(cli::fencing_token_variable);  // a command under `lock run`
    sources.file = flags.config;
    if (const auto named = sources.environment.find(variable_of_flag("--config"));
        sources.file.empty() && named != sources.environment.end()) {
        sources.file = named->second;
    }
    sources.defaults = std::move(defaults);
    for (const auto& [key, text] : flags.settings) sources.flags[key] = text;
    if (!flags.db.empty()) sources.flags["storage.url"] = database_url(flags.db);
    if (!flags.listen.empty()) sources.flags["http.listen"] = flags.listen;
    return load_settings(sources);
}

system::LogSettings problems_only() {
    system::LogSettings settings;
    settings.level = base::LogLevel::warn;
    settings.version = product_version();
    return settings;
}

}  // namespace sundial::server
