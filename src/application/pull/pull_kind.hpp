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

}  // namespace sundial
