#pragma once

#include "adapters/http/message.hpp"

namespace sundial::http {

/// Responses in the format of the seeds' aliases: under /user and /users a problem also contains
/// `{"error":{"code","message","details":[{"field","message"}]}}`. All other responses are
/// unchanged.
[[nodiscard]] Response with_seed_error(Response response, const std::string& path);

}  // namespace sundial::http
