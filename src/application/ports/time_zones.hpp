#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "domain/time/error.hpp"
#include "domain/time/zone.hpp"

namespace sundial {

/// The loaded tz database. Thread-safe; answers the same until it is reloaded.
class TimeZones {
public:
    virtual ~TimeZones() = default;
    /// The zone or link of exactly that name (time-semantics 4: case sensitive, checked before any
    /// file is touched). Errors: unknown_zone, with "did you mean" where a name is near.
    [[nodiscard]] virtual TimeResult<std::shared_ptr<const Zone>> find(
        std::string_view id) const = 0;
    /// Every name that `find` takes, sorted.
    [[nodiscard]] virtual std::span<const std::string> names() const = 0;
    /// The release of the tz database, "2025b".
    [[nodiscard]] virtual std::string release() const = 0;
};

}  // namespace sundial
