#include "adapters/zones/cctz_time_zones.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/zones/cctz_zone.hpp"
#include "adapters/zones/tz_database.hpp"
#include "application/ports/failures.hpp"
#include "base/suggest.hpp"

namespace sundial::zones {
namespace {

/// Parsed when it is first asked for: few of the 600 zones are.
struct Slot {
    std::string tzif;
    std::once_flag parsed;
    std::shared_ptr<const Zone> zone;
};

bool plain(char c) { return c > ' ' && c <= '~'; }

TimeError unknown_zone(std::string_view id, std::span<const std::string> names) {
    constexpr std::size_t longest_quoted = 64;  // the longest name has 32 characters
    const bool quotable =
        !id.empty() && id.size() <= longest_quoted && std::ranges::all_of(id, plain);
    std::string message = quotable ? "'" + std::string(id) + "'" : "this";
    message += " is not an IANA zone";

    // A short word is near to many: PST is one letter from EST, yet another clock.
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

struct CctzTimeZones::Loaded {
    std::string release;
    std::vector<std::string> names;  // sorted
    std::unique_ptr<Slot[]> slots;   // in the order of `names`

    explicit Loaded(TzDatabase database)
        : release(std::move(database.release)),
          slots(std::make_unique<Slot[]>(database.entries.size())) {
        names.reserve(database.entries.size());
        for (TzEntry& entry : database.entries) {
            slots[names.size()].tzif = std::move(entry.tzif);
            names.push_back(std::move(entry.name));
        }
    }
};

CctzTimeZones::CctzTimeZones(const std::filesystem::path& directory)
    : loaded_(std::make_unique<const Loaded>(read_tz_database(directory))) {}

CctzTimeZones::~CctzTimeZones() = default;

TimeResult<std::shared_ptr<const Zone>> CctzTimeZones::find(std::string_view id) const {
    const auto& names = loaded_->names;
    const auto found = std::ranges::lower_bound(names, id);
    if (found == names.end() || *found != id) return unknown_zone(id, names);

    Slot& slot = loaded_->slots[static_cast<std::size_t>(found - names.begin())];
    std::call_once(slot.parsed, [&] { slot.zone = parse_zone(*found, slot.tzif); });
    if (!slot.zone) throw Corrupt("the file of zone '" + *found + "' is damaged");
    return slot.zone;
}

std::span<const std::string> CctzTimeZones::names() const { return loaded_->names; }

std::string CctzTimeZones::release() const { return loaded_->release; }

}  // namespace sundial::zones
