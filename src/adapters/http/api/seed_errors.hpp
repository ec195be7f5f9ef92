#pragma once

#include "adapters/http/message.hpp"

namespace sundial::http {

/// The answer as the seeds' aliases give it: under /user and /users a problem also carries
/// `{"error":{"code","message","details":[{"field","message"}]}}`. Everything else is left alone.
[[nodiscard]] Response with_seed_error(Response response, const std::string& path);

}  // namespace sundial::http
