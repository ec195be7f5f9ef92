#pragma once

#include <string>
#include <vector>

#include "application/ports/time_zones.hpp"
#include "cli/commands.hpp"
#include "domain/time/types.hpp"

/// `sundial zone`: what a tz database says, for people. Asks no server. The answer is the exit
/// code: 0; 2 when a flag or a time is wrong; 3 when a zone is not there.
namespace sundial::cli {

/// Names with their offsets now and their next changes; `part` is part of the name, in any case.
[[nodiscard]] int list_zones(const std::string& part, const TzData& zones, Instant now,
                             const Output& output);

struct ZoneShowOptions {
    std::string zone{};
    std::string from{};  // an instant; empty: now
    std::string to{};    // an instant; empty: three years later
};
/// One zone's changes of offset, and what they do to the clock.
[[nodiscard]] int show_zone(const ZoneShowOptions& options, const TzData& zones, Instant now,
                            const Output& output);

struct ZoneConvertOptions {
    std::string time{};             // local, or an instant
    std::string from{};             // its zone; may be in the time's own brackets
    std::vector<std::string> to{};  // empty: UTC
    std::string gap = "compatible";
    std::string overlap = "compatible";
};
/// The same moment on other clocks; says so where the local time does not exist or occurs twice.
[[nodiscard]] int convert_time(const ZoneConvertOptions& options, const TzData& zones,
                               const Output& output);

struct ZoneDiffOptions {
    std::string from{};  // an instant; empty: now
    std::string to{};    // an instant; empty: ten years later
};
/// Which zones show other times by `after` than by `before`, and from when on.
[[nodiscard]] int diff_zones(const ZoneDiffOptions& options, const TzData& before,
                             const TzData& after, Instant now, const Output& output);

}  // namespace sundial::cli
