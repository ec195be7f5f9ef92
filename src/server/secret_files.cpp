#include "server/secret_files.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "application/ports/failures.hpp"

namespace sundial::server {
namespace {

FixedKey key_in(const std::string& line, const std::string& place, const ApiKeySecrets& secrets) {
    std::istringstream words(line);
    std::string name;
    std::string role_name;
    std::string text;
    std::string more;
    words >> name >> role_name >> text;
    const auto role = parse_role(role_name);
    const auto key = parse_key_text(text);
    if (!role || words >> more) {
        throw CannotStart(place + ": a line is NAME ROLE KEY, with READ, WRITE or ADMIN as role");
    }
    if (!key) {
        throw CannotStart(place + ": '" + name +
                          "' has no API key; create one with 'sundial key create'");
    }
    return {key->handle, *role, secrets.hash(key->secret)};
}

}  // namespace

std::vector<FixedKey> read_api_keys_file(const std::string& file, const ApiKeySecrets& secrets) {
    std::ifstream lines(file);
    if (!lines) throw CannotStart("security.api_keys_file: cannot read '" + file + "'");
    std::vector<FixedKey> keys;
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        if (line.find_first_not_of(" \t\r") == std::string::npos || line.starts_with('#')) continue;
        keys.push_back(key_in(line, file + ':' + std::to_string(number), secrets));
    }
    if (lines.bad()) throw CannotStart("security.api_keys_file: cannot read '" + file + "'");
    return keys;
}

void warn_of_open_files(const std::vector<SecretFile>& files, base::Log& log) {
    using std::filesystem::perms;
    for (const auto& [setting, file] : files) {
        std::error_code missing;  // reported when the file is read
        const perms mode = std::filesystem::status(file, missing).permissions();
        if (missing || (mode & (perms::others_read | perms::others_write)) == perms::none) continue;
        log.write({.level = base::LogLevel::warn,
                   .event_name = {},
                   .message = setting + ": every user of this machine may read or write " + file +
                              ", which holds secrets. Run `chmod o-rwx " + file + "`",
                   .correlation_id = {},
                   .fields = {}});
    }
}

}  // namespace sundial::server
