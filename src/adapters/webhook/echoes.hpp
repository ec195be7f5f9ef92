#pragma once

#include <string>

#include "adapters/webhook/request_headers.hpp"

namespace sundial::webhook {

/// `body`, the beginning of a receiver's answer, with `*` in place of the values of the headers
/// that it was sent: error pages of some receivers repeat the request. Finds a value with or
/// without the word before its first blank (Bearer), and one that was cut off at the end of `body`.
/// Leaves values of fewer than eight characters: they may stand there by chance.
[[nodiscard]] std::string without_echoes(std::string body, const HeaderList& sent);

}  // namespace sundial::webhook
