#pragma once

#include <string>
#include <vector>

#include "application/ports/time_zones.hpp"
#include "cli/commands.hpp"
#include "domain/time/types.hpp"

/// `sundial zone`: the contents of a tz database, for people. Calls no server. Returns the exit
/// code: 0; 2 if a flag or a time is invalid; 3 if a zone does not exist.
namespace sundial::cli {

/// Names with their current offsets and next changes; `part` is part of the name, in any case.
[[nodiscard]] int list_zones(const std::string& part, const TzData& zones, Instant now,
                             const Output& output);

struct ZoneShowOptions {
    std::string zone{};
    std::string from{};  // an instant; empty: now
    std::string to{};    // an instant; empty: three years later
};
/// One zone's changes of offset, and their effects on the clock.
[[nodiscard]] int show_zone(const ZoneShowOptions& options, const TzData& zones, Instant now,
                            const Output& output);

struct ZoneConvertOptions {
    std::string time{};             // local, or an instant
    std::string from{};             // its zone; may be in the time's own brackets
    std::vector<std::string> to{};  // empty: UTC
    std::string gap = "compatible";
    std::string overlap = "compatible";
};
/// The same moment on other clocks; reports a local time that does not exist or occurs twice.
[[nodiscard]] int convert_time(const ZoneConvertOptions& options, const TzData& zones,
                               const Output& output);

struct ZoneDiffOptions {
    std::string from{};  // an instant; empty: now
    std::string to{};    // an instant; empty: ten years later
};
/// The zones whose times differ between `before` and `after`, and since when.
[[nodiscard]] int diff_zones(const ZoneDiffOptions& options, const TzData& before,
                             const TzData& after, Instant now, const Output& output);

}  // namespace sundial::cli
