#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "adapters/http/message.hpp"
#include "domain/ids.hpp"

/// ETags are quoted versions (RFC 9110 section 13).
namespace sundial::http {

/// `"3"`.
[[nodiscard]] std::string etag(Version version);

/// What a weak tag, and what is no version, stand for: nothing is ever at it. That of a stream that
/// is not there is 0.
inline constexpr Version version_of_nothing{std::numeric_limits<std::int64_t>::max()};

/// The version at which If-Match lets the request do its work: nothing if any will do. Of a list it
/// is the one that `current` names, if it is there.
[[nodiscard]] std::optional<Version> expected_version(
    const Request& request, const std::function<std::optional<Version>()>& current);

/// Whether If-None-Match names `version`: then the answer is 304.
[[nodiscard]] bool not_modified(const Request& request, Version version);

}  // namespace sundial::http
