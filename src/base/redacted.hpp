#pragma once

#include <string>
#include <string_view>

namespace sundial::base {

/// Replaces credentials in `text` by `***`: the secrets of API keys (`sundial_sk_…`), signing
/// secrets (`whsec_…`), bearer tokens, and passwords in URLs. Every log line and every display of
/// settings passes through this one function. Names and payloads must not be in such texts in the
/// first place.
[[nodiscard]] std::string redacted(std::string_view text);

}  // namespace sundial::base
