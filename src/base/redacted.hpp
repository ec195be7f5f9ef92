#pragma once

#include <string>
#include <string_view>

namespace sundial::base {

/// `text` without what gives a right to somebody: the secrets of API keys (`sundial_sk_…`), signing
/// secrets (`whsec_…`), bearer tokens, and passwords in URLs become `***`. The one function that
/// stands before every log line and wherever settings are shown; names and payloads are nobody's to
/// put in there in the first place.
[[nodiscard]] std::string redacted(std::string_view text);

}  // namespace sundial::base
