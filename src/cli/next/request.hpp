#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/next/json.hpp"
#include "domain/time/error.hpp"

/// The requests of the batch format (time-semantics 2): the fields of each kind and their types.
/// rules.hpp interprets their values.
namespace sundial::cli {

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

}  // namespace sundial::cli
