#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/time_zones.hpp"
#include "cli/next/request.hpp"
#include "domain/time/error.hpp"
#include "domain/time/policies.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

namespace sundial::cli {

/// The policies of recurring kinds. `reject` is for single times only, `both` for recurring kinds
/// only.
inline constexpr std::array recurring_gaps{GapPolicy::compatible, GapPolicy::earlier,
                                           GapPolicy::later, GapPolicy::boundary, GapPolicy::skip};
inline constexpr std::array single_gaps{GapPolicy::compatible, GapPolicy::earlier,
                                        GapPolicy::later,      GapPolicy::boundary,
                                        GapPolicy::skip,       GapPolicy::reject};
inline constexpr std::array recurring_overlaps{OverlapPolicy::compatible, OverlapPolicy::earlier,
                                               OverlapPolicy::later, OverlapPolicy::both,
                                               OverlapPolicy::skip};
inline constexpr std::array single_overlaps{OverlapPolicy::compatible, OverlapPolicy::earlier,
                                            OverlapPolicy::later, OverlapPolicy::skip,
                                            OverlapPolicy::reject};
inline constexpr std::array leaps{LeapPolicy::feb28, LeapPolicy::mar1, LeapPolicy::skip};
inline constexpr std::array misfires{MisfirePolicy::all, MisfirePolicy::once, MisfirePolicy::skip};

/// Reads the typed fields of a request and keeps the first error, whose message names its field:
/// read all fields first, then check `error`.
class FieldReader {
public:
    FieldReader(const Request& request, const TimeZones& zones)
        : request_(request), zones_(zones) {}

    [[nodiscard]] const Request& request() const { return request_; }
    [[nodiscard]] const std::optional<TimeError>& error() const { return error_; }
    /// `field` is empty for an error that concerns several fields, and names them itself.
    void fail(std::string_view field, const TimeError& error);

    /// Empty if the field is missing or invalid.
    template <class T>
    [[nodiscard]] std::optional<T> read(std::string_view field,
                                        TimeResult<T> (*parse)(std::string_view)) {
        const auto text = request_.text(field);
        if (!text) return std::nullopt;
        return taken(field, parse(*text));
    }
    /// An instant; its offset must be that of the zone in its brackets.
    [[nodiscard]] std::optional<Instant> instant(std::string_view field);
    [[nodiscard]] std::shared_ptr<const Zone> zone(std::string_view field);
    [[nodiscard]] TimeResult<std::shared_ptr<const Zone>> find_zone(std::string_view name) const {
        return zones_.find(name);
    }
    /// The zone named `name`, which `field` contained.
    [[nodiscard]] std::shared_ptr<const Zone> zone_named(std::string_view name,
                                                         std::string_view field);

    template <class Policy>
    [[nodiscard]] Policy policy(std::string_view field, std::span<const Policy> allowed,
                                Policy otherwise) {
        const auto name = request_.text(field);
        if (!name) return otherwise;
        std::vector<std::string_view> names;
        for (const Policy each : allowed) {
            if (to_string(each) == *name) return each;
            names.push_back(to_string(each));
        }
        fail(field, unknown_policy(*name, names));
        return otherwise;
    }

    /// The value; nothing for an error, which it records.
    template <class T>
    [[nodiscard]] std::optional<T> taken(std::string_view field, TimeResult<T> result) {
        if (result) return std::move(*result);
        fail(field, result.error());
        return std::nullopt;
    }

private:
    static TimeError unknown_policy(std::string_view name, std::span<const std::string_view> names);

    const Request& request_;
    const TimeZones& zones_;
    std::optional<TimeError> error_;
};

}  // namespace sundial::cli
