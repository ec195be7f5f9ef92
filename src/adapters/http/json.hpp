#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/problem.hpp"
#include "base/result.hpp"

namespace boost::json {
class value;  // NOLINT(readability-identifier-naming): named by Boost
}

namespace sundial::http {

/// Bounds for reading JSON; the numbers are those of the limits table.
struct JsonLimits {
    std::size_t depth = 32;
    std::size_t members = 10'000;
    std::size_t digits = 32;
};

/// A JSON text, read strictly: one value, well-formed UTF-8, no duplicate member, no lone
/// surrogate, no NUL in a name, only finite numbers. Cheap to copy.
class JsonBody {
public:
    /// Errors: MALFORMED_JSON, with the byte offset; VALIDATION_FAILED for an exceeded bound or a
    /// duplicate member, with a pointer to it.
    [[nodiscard]] static base::Result<JsonBody, Problem> read(std::string text,
                                                              const JsonLimits& limits = {});

    [[nodiscard]] const boost::json::value& value() const;
    [[nodiscard]] std::string_view text() const;
    /// The exact bytes of a top-level member's value, for data that is stored and sent unchanged.
    /// Valid as long as this object or a copy of it.
    [[nodiscard]] std::optional<std::string_view> raw_member(std::string_view name) const;

private:
    struct State;
    explicit JsonBody(std::shared_ptr<const State> state) : state_(std::move(state)) {}
    std::shared_ptr<const State> state_;
};

/// The exact bytes of a member's value in the text of an object that was read as above; empty if no
/// member has that name.
[[nodiscard]] std::optional<std::string_view> raw_member(std::string_view object,
                                                         std::string_view name);
/// The same for each item of an array.
[[nodiscard]] std::vector<std::string_view> raw_items(std::string_view array);

/// `text` as a JSON string, with quotes. Bytes that are not UTF-8 become U+FFFD, so the result is
/// always valid.
[[nodiscard]] std::string quoted_json(std::string_view text);

/// The fault that makes `text` unacceptable as JSON; empty if there is none.
[[nodiscard]] std::optional<Problem> fault_in_json(std::string_view text, const JsonLimits& limits);

}  // namespace sundial::http
