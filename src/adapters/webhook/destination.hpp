#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/webhook/address_rules.hpp"
#include "application/ports/delivery.hpp"

namespace sundial::webhook {

struct DestinationSettings {
    bool allow_http = false;
    std::vector<std::uint16_t> ports{443, 8443};
};

/// Judges URLs by the parser that sends to them, libcurl's: what that would silently rewrite is
/// refused.
class UrlRules final : public DestinationRules {
public:
    UrlRules(DestinationSettings settings, const AddressRules& addresses)
        : settings_(std::move(settings)), addresses_(addresses) {}
    [[nodiscard]] std::optional<FieldError> refuse(std::string_view url) const override;

private:
    DestinationSettings settings_;
    const AddressRules& addresses_;
};

}  // namespace sundial::webhook
