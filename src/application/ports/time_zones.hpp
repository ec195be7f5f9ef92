#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "domain/time/error.hpp"
#include "domain/time/zone.hpp"

namespace sundial {

/// One tz database, whole. Immutable and thread-safe: whoever computes with it and writes its
/// release beside the result writes the release that the result is of.
class TzData {
public:
    virtual ~TzData() = default;
    /// The zone or link of exactly that name (time-semantics 4: case sensitive, checked before any
    /// file is touched). Errors: unknown_zone, with "did you mean" where a name is near.
    [[nodiscard]] virtual TimeResult<std::shared_ptr<const Zone>> find(
        std::string_view id) const = 0;
    /// Every name that `find` takes, sorted.
    [[nodiscard]] virtual std::span<const std::string> names() const = 0;
    /// "2025b".
    [[nodiscard]] virtual std::string release() const = 0;
};

/// The tz database in force, which another may replace at any moment. Thread-safe.
class TimeZones {
public:
    virtual ~TimeZones() = default;
    /// Stays what it is for whoever holds it. Never null.
    [[nodiscard]] virtual std::shared_ptr<const TzData> current() const = 0;
    /// What its source (a directory) holds now: the same as `current` if nothing of it has changed.
    /// Puts nothing in force. Throws Corrupt or CannotStart, with what is wrong, when that is
    /// nothing to go by.
    [[nodiscard]] virtual std::shared_ptr<const TzData> at_source() const = 0;
    /// For whoever needs one zone and nothing else of the database.
    [[nodiscard]] TimeResult<std::shared_ptr<const Zone>> find(std::string_view id) const {
        return current()->find(id);
    }
};

}  // namespace sundial
