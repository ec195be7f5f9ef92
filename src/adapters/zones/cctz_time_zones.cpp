#include "adapters/zones/cctz_time_zones.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <sstream>
#include <system_error>
#include <utility>

#include "application/ports/failures.hpp"
#include "base/check.hpp"
#include "base/text.hpp"

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
    // In large parts: a start reads 600 files.
    std::array<char, 16 * 1024> part{};
    std::string bytes;
    do {
        in.read(part.data(), part.size());
        bytes.append(part.data(), static_cast<std::size_t>(in.gcount()));
    } while (in);
    return bytes;
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
        if (!line.starts_with("Z ") && !line.starts_with("L ")) continue;  // most are rules
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

/// `name` and the targets that it leads to, from link to link.
std::vector<std::string> chain_of(const std::string& name, const Names& names) {
    constexpr std::size_t longest_chain = 4;  // chains of links are rare; a cycle must end
    std::vector<std::string> chain{name};
    while (chain.size() < longest_chain) {
        const auto link = names.find(chain.back());
        if (link == names.end() || link->second == chain.back()) break;
        chain.push_back(link->second);
    }
    return chain;
}

/// The file of the first of these names that has one: links may have no file.
std::optional<std::string> compiled_zone(const fs::path& directory,
                                         const std::vector<std::string>& chain) {
    for (const std::string& name : chain) {
        if (auto bytes = compiled_zone(directory / name)) return bytes;
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
    for (const std::string& name : names | std::views::keys) {
        auto chain = chain_of(name, names);
        if (auto bytes = compiled_zone(directory, chain)) {
            database.entries.push_back({name, *std::move(bytes), std::move(chain.back())});
        } else if (source) {
            database.missing.push_back(name);
        }
    }
    if (database.entries.empty()) throw no_database(given);
    return database;
}

namespace {

bool plain(char c) { return c > ' ' && c <= '~'; }

TimeError unknown_zone(std::string_view id, std::span<const std::string> names) {
    constexpr std::size_t longest_quoted = 64;  // the longest name has 32 characters
    const bool quotable =
        !id.empty() && id.size() <= longest_quoted && std::ranges::all_of(id, plain);
    std::string message = quotable ? "'" + std::string(id) + "'" : "this";
    message += " is not an IANA zone";

    // Short names resemble many others: PST differs from EST by one letter, but means another time.
    constexpr std::size_t longest_abbreviation = 4;
    const auto near = base::nearest(id, names);
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    if (near &&
        (id.size() > longest_abbreviation || std::ranges::equal(id, *near, {}, lower, lower))) {
        message += "; did you mean '" + *near + "'?";
    } else {
        message += "; zones are named as 'Europe/Paris' (abbreviations and offsets are not taken)";
    }
    return {TimeErrorCode::unknown_zone, std::move(message)};
}

}  // namespace

class CctzTimeZones::Loaded final : public TzData {
public:
    explicit Loaded(TzDatabase database)
        : database_(std::move(database)),
          zones_(std::make_unique<ParsedZone[]>(database_.entries.size())) {
        names_.reserve(database_.entries.size());
        for (const TzEntry& entry : database_.entries) names_.push_back(entry.name);
    }

    [[nodiscard]] TimeResult<std::shared_ptr<const Zone>> find(std::string_view id) const override {
        const auto found = std::ranges::lower_bound(names_, id);
        if (found == names_.end() || *found != id) return unknown_zone(id, names_);
        auto zone = parsed(static_cast<std::size_t>(found - names_.begin()));
        if (!zone) throw Corrupt("the file of zone '" + *found + "' is damaged");
        return zone;
    }
    [[nodiscard]] std::span<const std::string> names() const override { return names_; }
    [[nodiscard]] std::string target_of(std::string_view id) const override {
        const auto found = std::ranges::lower_bound(names_, id);
        if (found == names_.end() || *found != id) return std::string{id};
        return database_.entries[static_cast<std::size_t>(found - names_.begin())].target;
    }
    [[nodiscard]] std::string release() const override { return database_.release; }

    [[nodiscard]] const TzDatabase& database() const { return database_; }

    /// Why this database must not replace `other`, because it is incomplete; empty if it may.
    [[nodiscard]] std::optional<std::string> unfit_after(const Loaded& other) const {
        if (!database_.missing.empty())
            return "'" + database_.missing.front() + "' is listed in its tzdata.zi but has no file";
        for (std::size_t i = 0; i < names_.size(); ++i) {
            if (!parsed(i)) return "the file of '" + names_[i] + "' is damaged";
        }
        const auto lost = std::ranges::find_if_not(other.names_, [this](const std::string& name) {
            return std::ranges::binary_search(names_, name);
        });
        if (lost != other.names_.end()) return "it lacks '" + *lost + "', which is in use";
        if (release() == unknown_release && other.release() != unknown_release)
            return "it does not name its release, after " + other.release();
        return std::nullopt;
    }

private:
    /// Parsed on first use: most of the 600 zones are never used.
    struct ParsedZone {
        std::once_flag once;
        std::shared_ptr<const Zone> zone;  // null if the file is damaged
    };
    [[nodiscard]] std::shared_ptr<const Zone> parsed(std::size_t i) const {
        const TzEntry& entry = database_.entries[i];
        std::call_once(zones_[i].once,
                       [&] { zones_[i].zone = parse_zone(entry.name, entry.tzif); });
        return zones_[i].zone;
    }

    const TzDatabase database_;
    std::vector<std::string> names_;       // of its entries
    std::unique_ptr<ParsedZone[]> zones_;  // in the order of `names_`
};

CctzTimeZones::CctzTimeZones(std::filesystem::path directory)
    : directory_(std::move(directory)),
      current_(std::make_shared<const Loaded>(read_tz_database(directory_))) {}

CctzTimeZones::~CctzTimeZones() = default;

std::shared_ptr<const CctzTimeZones::Loaded> CctzTimeZones::loaded() const {
    const std::lock_guard lock(mutex_);
    return current_;
}

/// Returns the database seen before if the content is unchanged.
std::shared_ptr<const CctzTimeZones::Loaded> CctzTimeZones::seen(TzDatabase found) const {
    const std::lock_guard lock(mutex_);
    if (!seen_ || seen_->database() != found)
        seen_ = std::make_shared<const Loaded>(std::move(found));
    return seen_;
}

std::shared_ptr<const TzData> CctzTimeZones::current() const { return loaded(); }

std::shared_ptr<const TzData> CctzTimeZones::at_source() const {
    const auto in_effect = loaded();
    TzDatabase found = read_tz_database(directory_);
    if (found == in_effect->database()) return in_effect;
    // Reads a second time: if files are being copied, two reads rarely get the same content.
    if (found != read_tz_database(directory_))
        throw Corrupt("the tz database in '" + directory_.string() + "' is being written");
    auto other = seen(std::move(found));
    if (const auto why = other->unfit_after(*in_effect))
        throw Corrupt("the tz database in '" + directory_.string() + "' is incomplete: " + *why);
    return other;
}

void CctzTimeZones::replace(std::shared_ptr<const TzData> data) {
    auto loaded = std::dynamic_pointer_cast<const Loaded>(std::move(data));
    base::check(loaded != nullptr);
    const std::lock_guard lock(mutex_);
    current_ = std::move(loaded);
}

}  // namespace sundial::zones
