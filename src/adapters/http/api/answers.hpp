#pragma once

#include <string>
#include <string_view>

#include "adapters/http/api/conditions.hpp"
#include "adapters/http/api/problems.hpp"
#include "adapters/http/message.hpp"

/// The answers that resources share.
namespace sundial::http {

/// A versioned resource.
[[nodiscard]] Response with_etag(Response response, Version version);
/// 201 with its place.
[[nodiscard]] Response created(std::string body, Version version, std::string_view place);
/// 202 with the place of what goes on.
[[nodiscard]] Response accepted(std::string body, Version version, std::string_view place);
/// 200, or 304 if the caller has that version already.
[[nodiscard]] Response found(const Request& request, std::string body, Version version);
/// One that shows a secret, which is shown this once: kept for a repetition, it is kept sealed.
[[nodiscard]] Response showing_secret(Response response);
[[nodiscard]] Response refused(const Error& error, const Request& request);
[[nodiscard]] Response refused(const Problem& problem, const Request& request);

}  // namespace sundial::http
