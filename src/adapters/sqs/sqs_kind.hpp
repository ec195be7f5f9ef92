#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/sqs/queue.hpp"
#include "adapters/sqs/sqs_delivery.hpp"
#include "application/ports/endpoint_kind.hpp"

namespace sundial::sqs {

/// SQS: messages for a queue of Amazon SQS, whose consumer does not know Sundial.
class SqsKind final : public EndpointKind {
public:
    SqsKind(SenderSettings settings, std::unique_ptr<const DestinationRules> rules,
            CredentialWorld world, const MonotonicClock& clock,
            const SendPermit& permit = always_permitted)
        : delivery_(std::move(settings), std::move(rules), std::move(world), clock, permit) {}

    [[nodiscard]] EndpointType type() const override { return sqs_type; }
    [[nodiscard]] std::vector<FieldError> refuse_new(const TypeSettings& given) const override;
    [[nodiscard]] std::vector<FieldError> refuse_edit(const TypeSettings& given) const override;
    [[nodiscard]] std::vector<std::string> options() const override;
    [[nodiscard]] std::vector<FieldError> refuse_whole(const Endpoint& after) const override;
    [[nodiscard]] std::optional<std::string> refuse_payload(
        std::string_view payload) const override;
    [[nodiscard]] Delivery* delivery() override { return &delivery_; }

private:
    SqsDelivery delivery_;
};

}  // namespace sundial::sqs
