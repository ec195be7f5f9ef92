#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/error.hpp"

namespace sundial {

/// Where requests to endpoints may go (reliability 8). The same rules for all types whose endpoints
/// have a URL. Thread-safe.
class DestinationRules {
public:
    virtual ~DestinationRules() = default;
    /// The reason to refuse `url`, at pointer /url; empty if it is allowed. No network access.
    [[nodiscard]] virtual std::optional<FieldError> refuse(std::string_view url) const = 0;
    /// Whether no request may go to `address`, an IP address as inet_ntop writes it: asked again
    /// for each connection, because a name may lead to any address.
    [[nodiscard]] virtual bool denied(std::string_view address, std::uint16_t port) const = 0;
};

}  // namespace sundial
