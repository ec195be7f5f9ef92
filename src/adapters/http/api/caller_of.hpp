#pragma once

#include "adapters/http/message.hpp"
#include "application/audit/caller.hpp"

namespace sundial::http {

/// The caller in whose name a request changes something.
[[nodiscard]] inline Caller caller_of(const Request& request) {
    return {request.correlation_id, request.actor};
}

}  // namespace sundial::http
