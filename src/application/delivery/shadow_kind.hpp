#pragma once

#include <functional>
#include <vector>

#include "application/ports/endpoint_kind.hpp"

namespace sundial {

inline const EndpointType shadow_type{"SHADOW"};

/// SHADOW: events are claimed and settled as for any other endpoint, and nothing is sent. For a
/// comparison with the scheduler that still does the work (ADR 0064). It takes no settings for
/// requests.
class ShadowKind final : public EndpointKind {
public:
    [[nodiscard]] EndpointType type() const override { return shadow_type; }
    [[nodiscard]] std::vector<FieldError> refuse_new(const TypeSettings& given) const override;
    [[nodiscard]] std::vector<FieldError> refuse_edit(const TypeSettings& given) const override {
        return refuse_new(given);
    }
    [[nodiscard]] Delivery* delivery() override { return &accept_all_; }

private:
    /// Accepts each attempt at once.
    class AcceptAll final : public Delivery {
    public:
        void start(DeliveryRequest request, std::function<void(Outcome)> done) override;
    };
    AcceptAll accept_all_{};
};

}  // namespace sundial
