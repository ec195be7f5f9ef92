#include "adapters/zones/tz_database.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "application/ports/failures.hpp"

namespace sundial::zones {
namespace {

namespace fs = std::filesystem;

/// Names, each with the name of the zone that it links to (its own if it is not a link).
using Names = std::map<std::string, std::string>;

std::optional<std::string> contents(const fs::path& file) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return std::nullopt;
    std::ifstream in(file, std::ios::binary);
    if (!in) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(in), {});
}

std::optional<std::string> compiled_zone(const fs::path& file) {
    auto bytes = contents(file);
    if (!bytes || !bytes->starts_with("TZif")) return std::nullopt;
    return bytes;
}

/// Whether it is a zone that users can mean: not an extra file of the installation, nor a path that
/// leaves the directory.
bool is_zone_name(std::string_view name) {
    constexpr std::array<std::string_view, 3> not_zones{"Factory", "localtime", "posixrules"};
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '/' || c == '_' || c == '-' || c == '+';
    };
    return !name.empty() && name.front() != '/' && std::ranges::all_of(name, plain) &&
           !name.starts_with("posix/") && !name.starts_with("right/") &&
           std::ranges::find(not_zones, name) == not_zones.end();
}

/// Reads the source form that zic stores beside its output: `Z name …`, `L target name`.
Names names_of_source(const std::string& tzdata_zi) {
    Names names;
    std::istringstream lines(tzdata_zi);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string kind, first, second;
        words >> kind >> first >> second;
        if (kind == "Z" && is_zone_name(first)) names.insert_or_assign(first, first);
        if (kind == "L" && is_zone_name(second)) names.insert_or_assign(second, first);
    }
    return names;
}

Names names_of_files(const fs::path& directory) {
    Names names;
    std::error_code failed;
    for (fs::recursive_directory_iterator file(directory, failed), end; !failed && file != end;
         file.increment(failed)) {
        const std::string name = file->path().lexically_relative(directory).generic_string();
        if (is_zone_name(name)) names.emplace(name, name);
    }
    return names;
}

/// `# version 2025b`
std::optional<std::string> release_of_source(const std::string& tzdata_zi) {
    constexpr std::string_view head = "# version ";
    if (!tzdata_zi.starts_with(head)) return std::nullopt;
    return tzdata_zi.substr(head.size(),
                            tzdata_zi.find_first_of(" \r\n", head.size()) - head.size());
}

std::string release_of_files(const fs::path& directory) {
    for (const char* name : {"+VERSION", "version"}) {
        const auto text = contents(directory / name);
        std::string release;
        if (text && std::istringstream(*text) >> release) return release;
    }
    return std::string(unknown_release);
}

/// The file of `name`, or of its target if links have no file.
std::optional<std::string> compiled_zone(const fs::path& directory, const std::string& name,
                                         const Names& names) {
    constexpr int longest_chain = 4;  // chains of links are rare; a cycle must end
    std::string at = name;
    for (int i = 0; i < longest_chain; ++i) {
        if (auto bytes = compiled_zone(directory / at)) return bytes;
        const auto link = names.find(at);
        if (link == names.end() || link->second == at) break;
        at = link->second;
    }
    return std::nullopt;
}

CannotStart no_database(const fs::path& directory) {
    return CannotStart("no tz database in '" + directory.string() +
                       "': install the package tzdata, or name another directory");
}

}  // namespace

TzDatabase read_tz_database(const fs::path& given) {
    // Resolved once: if a link is replaced while we read, the result must not mix two releases.
    std::error_code is_missing;
    const fs::path directory = fs::canonical(given, is_missing);
    if (is_missing) throw no_database(given);

    const auto source = contents(directory / "tzdata.zi");
    const Names names = source ? names_of_source(*source) : names_of_files(directory);
    const auto release = source ? release_of_source(*source) : std::nullopt;

    TzDatabase database{
        .release = release ? *release : release_of_files(directory), .entries = {}, .missing = {}};
    for (const auto& [name, target] : names) {
        if (auto bytes = compiled_zone(directory, name, names)) {
            database.entries.push_back({name, *std::move(bytes)});
        } else if (source) {
            database.missing.push_back(name);
        }
    }
    if (database.entries.empty()) throw no_database(given);
    return database;
}

}  // namespace sundial::zones
