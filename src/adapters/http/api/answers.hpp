#pragma once

#include <string>
#include <string_view>

#include "adapters/http/api/etags.hpp"
#include "adapters/http/api/problems.hpp"
#include "adapters/http/message.hpp"
#include "application/audit/caller.hpp"

/// Responses that resources share.

namespace sundial::http {

/// Adds the ETag of a versioned resource.
[[nodiscard]] Response with_etag(Response response, Version version);
/// 201 with the location of the new resource.
[[nodiscard]] Response created(std::string body, Version version, std::string_view place);
/// 202 with the location of the operation that continues.
[[nodiscard]] Response accepted(std::string body, Version version, std::string_view place);
/// 200, or 304 if the caller already has that version.
[[nodiscard]] Response found(const Request& request, std::string body, Version version);
/// Marks a response whose secret is shown only once. If the response is stored for a repeated
/// request, it is stored sealed.
[[nodiscard]] Response showing_secret(Response response);
[[nodiscard]] Response refused(const Error& error, const Request& request);
[[nodiscard]] Response refused(const Problem& problem, const Request& request);

/// The caller in whose name a request changes something.
[[nodiscard]] inline Caller caller_of(const Request& request) {
    return {request.correlation_id, request.actor};
}

}  // namespace sundial::http
