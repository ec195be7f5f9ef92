#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "adapters/zones/cctz_time_zones.hpp"
#include "adapters/zones/zoneinfo.hpp"

namespace sundial::cli {

/// The time zones of this machine.
inline const TimeZones& installed_zones() {
    static const zones::CctzTimeZones loaded(zones::zoneinfo_directory());
    return loaded;
}

inline std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

}  // namespace sundial::cli
