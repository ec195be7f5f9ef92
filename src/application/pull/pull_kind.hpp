#pragma once

#include <vector>

#include "application/ports/endpoint_kind.hpp"

namespace sundial {

/// PULL: nothing is sent to such an endpoint; its workers claim the events. So it takes no settings
/// for requests.
class PullKind final : public EndpointKind {
public:
    [[nodiscard]] EndpointType type() const override { return pull_type; }
    [[nodiscard]] std::vector<FieldError> refuse_new(const TypeSettings& given) const override;
    [[nodiscard]] std::vector<FieldError> refuse_edit(const TypeSettings& given) const override {
        return refuse_new(given);
    }
};

inline std::vector<FieldError> PullKind::refuse_new(const TypeSettings& given) const {
    std::vector<FieldError> found;
    const auto refuse = [&found](bool is_given, const char* pointer, const char* message) {
        if (is_given) found.push_back({pointer, "not_allowed", message});
    };
    refuse(given.url.has_value(), "/url", "a PULL endpoint has no URL: its workers claim events");
    refuse(given.secret, "/secret", "nothing is sent to a PULL endpoint: it has no secret");
    refuse(given.headers, "/headers", "nothing is sent to a PULL endpoint: it has no headers");
    refuse(given.ed25519, "/ed25519", "nothing is sent to a PULL endpoint: it has no keys");
    refuse(given.format != BodyFormat::raw, "/format",
           "a PULL endpoint has the format RAW: its workers get the payload unchanged");
    return found;
}

}  // namespace sundial
