#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

namespace sundial {

/// One complete tz database. Immutable and thread-safe. Code that computes with one TzData and
/// stores its release with the result always stores the matching release.
class TzData {
public:
    virtual ~TzData() = default;
    /// The zone or link of exactly that name (time-semantics 4: case sensitive, checked before any
    /// file is opened). Errors: unknown_zone, with "did you mean" if there is a similar name.
    [[nodiscard]] virtual TimeResult<std::shared_ptr<const Zone>> find(
        std::string_view id) const = 0;
    /// Every name that `find` accepts, sorted.
    [[nodiscard]] virtual std::span<const std::string> names() const = 0;
    /// The zone that the link `id` names: `Asia/Kolkata` of `Asia/Calcutta`. `id` itself if it is
    /// not a link, not a name of this database, or if the database does not list its links.
    [[nodiscard]] virtual std::string target_of(std::string_view id) const = 0;
    /// "2025b".
    [[nodiscard]] virtual std::string release() const = 0;
};

/// The current tz database. Another may replace it at any moment. Thread-safe.
class TimeZones {
public:
    virtual ~TimeZones() = default;
    /// The returned database never changes. Never null.
    [[nodiscard]] virtual std::shared_ptr<const TzData> current() const = 0;
    /// The database that its source (a directory) holds now; the same as `current` if nothing has
    /// changed. Does not replace the current one. Throws Corrupt or CannotStart, with the reason,
    /// if the source is unusable.
    [[nodiscard]] virtual std::shared_ptr<const TzData> at_source() const = 0;
    /// For callers that need one zone and nothing else of the database.
    [[nodiscard]] TimeResult<std::shared_ptr<const Zone>> find(std::string_view id) const {
        return current()->find(id);
    }
};

}  // namespace sundial
