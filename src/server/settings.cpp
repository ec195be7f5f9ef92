#include "server/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "application/ports/failures.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "domain/time/text.hpp"
#include "server/settings_file.hpp"
#include "server/settings_table.hpp"

namespace sundial::server {
namespace {

const SettingRow& find_key(std::string_view name, const std::string& origin) {
    const auto found = std::ranges::find(setting_table(), name, &SettingRow::name);
    if (found != setting_table().end()) return *found;
    std::vector<std::string> names;
    for (const SettingRow& one : setting_table()) names.emplace_back(one.name);
    const auto meant = base::nearest(name, names);
    throw CannotStart(
        origin + ": unknown key '" + std::string(name) + "'" +
        (meant ? "; did you mean '" + *meant + "'?" : "; 'sundial config show' lists them all"));
}

std::string environment_name(std::string_view key) {
    std::string name = "SUNDIAL_";
    for (const char c : key)
        name += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return name;
}

class Loading {
public:
    void set(std::string_view name, std::string_view text, const std::string& origin) {
        const SettingRow& key = find_key(name, origin);
        if (const SettingError takes = key.take(loaded_, text)) {
            throw CannotStart(origin + ": " + std::string(name) + " takes " + *takes +
                              (key.secret ? "" : ", not '" + base::redacted(text) + "'"));
        }
        origins_[std::string(name)] = origin;
    }
    /// The same for a value that was read from `file`.
    void set_from_file(const std::string& file, std::string_view name, std::string_view text,
                       const std::string& origin) {
        set(name, text, origin);
        const bool secret = find_key(name, origin).secret || base::redacted(text) != text;
        if (secret) secret_files_.push_back({std::string(name), file});
    }

    LoadedSettings take() && {
        LoadedSettings result{std::move(loaded_), {}, std::move(secret_files_)};
        const auto add = [&](const char* setting, const std::string& file) {
            if (!file.empty()) result.secret_files.push_back({setting, file});
        };
        add("http.tls_key", result.settings.http.tls_key);
        add("security.api_keys_file", result.settings.security.api_keys_file);
        for (const SettingRow& key : setting_table()) {
            const auto origin = origins_.find(std::string(key.name));
            std::string value = key.show(result.settings);
            if (key.secret && !value.empty()) value = "***";
            result.shown.push_back({std::string(key.name), base::redacted(value),
                                    origin == origins_.end() ? "default" : origin->second});
        }
        return result;
    }

private:
    Settings loaded_;
    std::map<std::string, std::string> origins_;
    std::vector<SecretFile> secret_files_;
};

/// The files that a service manager passes as credentials: "sundial.KEY" holds the value of a key,
/// or is the file that the key names. "sundial_KEY" is the same, for LoadCredential= with the ID
/// "sundial" and a directory. Other files belong to other programs: a terminal may have passed its
/// own directory on.
void take_credentials(Loading& loading, const std::string& directory) {
    constexpr std::array<std::string_view, 2> prefixes{"sundial.", "sundial_"};
    constexpr std::array<std::string_view, 4> keys_of_files{
        "http.tls_cert", "http.tls_key", "delivery.ca_file", "security.api_keys_file"};
    std::error_code unreadable;
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory, unreadable)) {
        const std::string name = entry.path().filename();
        if (name.starts_with(prefixes[0]) || name.starts_with(prefixes[1])) names.insert(name);
    }
    if (unreadable) throw CannotStart("CREDENTIALS_DIRECTORY: cannot read '" + directory + "'");
    for (const std::string& name : names) {
        const std::string file = std::filesystem::path(directory) / name;
        const std::string key = name.substr(prefixes[0].size());
        const std::string origin = "credential " + name;
        if (std::ranges::find(keys_of_files, key) != keys_of_files.end()) {
            loading.set(key, file, origin);
        } else {
            loading.set_from_file(file, key, read_secret_file(file, origin), origin);
        }
    }
}

void take_environment(Loading& loading, const SettingsSources& sources) {
    const auto& environment = sources.environment;
    const auto given = [&](const std::string& name) { return environment.find(name); };
    const auto alias = [&](const char* name, std::string_view key, const std::string& prefix) {
        if (const auto found = given(name); found != environment.end() && !found->second.empty()) {
            loading.set(key, prefix + found->second, name);
        }
    };
    alias("DATABASE_URL", "storage.url", "");
    alias("PORT", "http.listen", "127.0.0.1:");
    alias("LOG_LEVEL", "log.level", "");
    alias("OTEL_EXPORTER_OTLP_ENDPOINT", "traces.endpoint", "");

    if (const auto directory = given("CREDENTIALS_DIRECTORY"); directory != environment.end()) {
        take_credentials(loading, directory->second);
    }
    std::set<std::string> known = sources.other_variables;
    for (const SettingRow& key : setting_table()) {
        const std::string name = environment_name(key.name);
        known.insert(name);
        known.insert(name + "_FILE");
        if (const auto file = given(name + "_FILE"); file != environment.end()) {
            loading.set_from_file(file->second, key.name,
                                  read_secret_file(file->second, file->first), file->first);
        }
        if (const auto found = given(name); found != environment.end())
            loading.set(key.name, found->second, name);
    }
    const std::vector<std::string> names(known.begin(), known.end());
    for (const auto& [name, text] : environment) {
        if (!name.starts_with("SUNDIAL_") || known.contains(name)) continue;
        const auto meant = base::nearest(name, names);
        throw CannotStart("unknown environment variable " + name +
                          (meant ? "; did you mean " + *meant + "?" : ""));
    }
}

void check_together(const Settings& settings) {
    (void)parse_listen(settings.http.listen);
    if (!settings.http.health_listen.empty()) {
        (void)parse_listen(settings.http.health_listen, "http.health_listen");
    }
    if (settings.http.tls_cert.empty() != settings.http.tls_key.empty())
        throw CannotStart("http.tls_cert and http.tls_key belong together: set both, or neither");
    if (settings.scheduler.lease < settings.delivery.timeout + std::chrono::seconds(10)) {
        throw CannotStart("scheduler.lease (" + format_duration(settings.scheduler.lease) +
                          ") must be at least delivery.timeout (" +
                          format_duration(settings.delivery.timeout) +
                          ") plus 10 s, or events of slow receivers would be delivered twice");
    }
    if (settings.delivery.circuit.open > settings.delivery.circuit.open_max) {
        throw CannotStart("delivery.circuit.open (" +
                          format_duration(settings.delivery.circuit.open) +
                          ") must be at most delivery.circuit.open_max (" +
                          format_duration(settings.delivery.circuit.open_max) + ')');
    }
    if (settings.tz.source == "dir" && settings.tz.dir.empty())
        throw CannotStart("tz.source is dir: tz.dir must name the directory");
    if (settings.tz.source == "system" && !settings.tz.dir.empty())
        throw CannotStart("tz.source is system, so tz.dir (" + settings.tz.dir +
                          ") would be ignored: leave out one of them");
    if ((settings.storage.shards & (settings.storage.shards - 1)) != 0) {
        throw CannotStart("storage.shards must be a power of two, not " +
                          std::to_string(settings.storage.shards));
    }
}

}  // namespace

LoadedSettings load_settings(const SettingsSources& sources) {
    Loading loading;
    for (const auto& [name, text] : sources.defaults) loading.set(name, text, "default");
    if (!sources.file.empty()) {
        for (const auto& [name, text] : read_settings_file(sources.file))
            loading.set_from_file(sources.file, name, text, sources.file);
    }
    take_environment(loading, sources);
    for (const auto& [name, text] : sources.flags) loading.set(name, text, "--" + name);
    LoadedSettings loaded = std::move(loading).take();
    check_together(loaded.settings);
    return loaded;
}

void check_roles(const Settings& settings) {
    const Roles& roles = settings.scheduler.roles;
    const std::string given = "scheduler.roles (" + to_text(roles) + ") ";
    if (roles.ui && !roles.api) {
        throw CannotStart(given +
                          "has ui without api: the console is served by the API's listener. Add "
                          "api, or leave out ui");
    }
    if (!roles.does_all_work() && settings.storage.url.starts_with("sqlite:")) {
        throw CannotStart(given + "lacks " + missing_roles({names_of(roles)}) +
                          ", and no other process can open the SQLite file " +
                          settings.storage.url.substr(7) +
                          ". Leave scheduler.roles out, or use PostgreSQL");
    }
    if (!roles.api && settings.http.health_listen.empty()) {
        throw CannotStart(
            given +
            "lacks api, so http.listen is not opened: set http.health_listen, such as "
            "127.0.0.1:8081, for health and metrics");
    }
}

std::vector<SettingKey> setting_keys() {
    std::vector<SettingKey> names;
    for (const SettingRow& key : setting_table()) names.push_back({key.name, key.help});
    return names;
}

ListenAddress parse_listen(std::string_view text, const std::string& setting) {
    const auto colon = text.rfind(':');
    const char* const end = text.data() + text.size();
    std::uint16_t port = 0;
    if (colon == std::string_view::npos || colon == 0 ||
        std::from_chars(text.data() + colon + 1, end, port) !=
            std::from_chars_result{end, std::errc{}}) {
        throw CannotStart(setting +
                          " takes address:port, such as 127.0.0.1:8080 or [::1]:8080, not '" +
                          std::string(text) + "'");
    }
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    return {host == "localhost" ? "127.0.0.1" : std::string(host), port};
}

}  // namespace sundial::server
