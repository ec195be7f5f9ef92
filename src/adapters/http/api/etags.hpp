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

/// Stands for a weak tag and for a tag that is not a version: no resource ever has this version.
/// The version of a stream that does not exist is 0.
inline constexpr Version version_of_nothing{std::numeric_limits<std::int64_t>::max()};

/// The version that If-Match requires; empty if any version will do. If If-Match is a list, the
/// result is the version that `current` returns, provided the list contains it.
[[nodiscard]] std::optional<Version> expected_version(
    const Request& request, const std::function<std::optional<Version>()>& current);

/// Whether If-None-Match names `version`; the response is then 304.
[[nodiscard]] bool not_modified(const Request& request, Version version);

}  // namespace sundial::http
