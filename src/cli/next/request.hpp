#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "application/ports/time_zones.hpp"
#include "base/result.hpp"
#include "domain/time/misfire.hpp"
#include "domain/time/recurrence.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

namespace sundial::cli {

/// A JSON value as requests need it, independent of any library.
struct JsonValue {
    using List = std::vector<JsonValue>;
    using Object = std::vector<std::pair<std::string, JsonValue>>;  // in the order of the text; no
                                                                    // duplicate names
    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List,
                 Object>
        value = nullptr;
};

/// Null if `object` has no member of that name.
[[nodiscard]] const JsonValue* find_member(const JsonValue::Object& object, std::string_view name);

/// Parses one JSON value (RFC 8259) of well-formed UTF-8, nested at most 64 deep, without duplicate
/// member names. The error describes the defect of the text.
[[nodiscard]] base::Result<JsonValue, std::string> parse_json(std::string_view text);

// The requests of the batch format (time-semantics 2): the fields of each kind and their types.
// `read_rule` interprets their values.

enum class RequestKind : std::uint8_t {
    tzdb,
    instant,
    local,
    yearly,
    cron,
    rrule,
    interval,
    misfire
};

/// Where a request occurs: on its own line; as the schedule in one of kind misfire; or from an
/// expression on the command line, where it has no id, after and count.
enum class RequestPlace : std::uint8_t { line, schedule, expression };

/// A request of a known kind. All its fields belong to the kind and have the right type, and the
/// required ones are present.
class Request {
public:
    /// Errors: bad_request.
    [[nodiscard]] static TimeResult<Request> read(const JsonValue::Object& members,
                                                  RequestPlace place);

    [[nodiscard]] RequestKind kind() const { return kind_; }
    [[nodiscard]] RequestPlace place() const { return place_; }
    [[nodiscard]] bool has(std::string_view field) const;
    [[nodiscard]] std::optional<std::string_view> text(std::string_view field) const;
    [[nodiscard]] std::vector<std::string_view> texts(std::string_view field) const;
    /// In the range 1 to 10000.
    [[nodiscard]] std::uint32_t number(std::string_view field, std::uint32_t otherwise) const;
    /// The request within this one. The field must be a required one.
    [[nodiscard]] const JsonValue::Object& object(std::string_view field) const;

private:
    Request(RequestKind kind, RequestPlace place, const JsonValue::Object& members)
        : kind_(kind), place_(place), members_(&members) {}

    RequestKind kind_;
    RequestPlace place_;
    const JsonValue::Object* members_;
};

/// "; did you mean 'overlap'?" if one of the names is near enough, else nothing.
[[nodiscard]] std::string did_you_mean(std::string_view wrong,
                                       std::span<const std::string_view> names);
/// "a, b, c".
[[nodiscard]] std::string listed(std::span<const std::string_view> names);

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

/// The rule of a request, in its zone. A single time is a rule with one occurrence.
struct RequestedRule {
    TimeKind kind;
    std::shared_ptr<const Recurrence> recurrence;
    std::shared_ptr<const Zone> zone;  // null if the intent is in UTC
};

/// For every kind except tzdb and misfire. Errors: all except bad_request for the fields' names and
/// types.
[[nodiscard]] TimeResult<RequestedRule> read_rule(const Request& request, const TimeZones& zones);

/// The single time of a request of kind local.
struct RequestedLocal {
    WallTime wall;
    std::shared_ptr<const Zone> zone;
    Resolved resolved;
};
[[nodiscard]] TimeResult<RequestedLocal> read_local(FieldReader& read);

}  // namespace sundial::cli
