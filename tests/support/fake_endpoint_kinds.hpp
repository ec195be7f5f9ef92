#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/endpoint_kind.hpp"
#include "application/pull/pull_kind.hpp"
#include "support/fake_delivery.hpp"

namespace sundial {

/// A type that takes any setting and leaves deliveries to the test.
class FakeKind : public EndpointKind {
public:
    FakeKind(EndpointType type, Delivery& delivery) : type_(std::move(type)), delivery_(delivery) {}
    [[nodiscard]] EndpointType type() const override { return type_; }
    [[nodiscard]] std::vector<FieldError> refuse_new(const TypeSettings& given) const override {
        return refuse_edit(given);
    }
    [[nodiscard]] std::vector<FieldError> refuse_edit(const TypeSettings&) const override {
        return {};
    }
    [[nodiscard]] Delivery* delivery() override { return &delivery_; }

private:
    EndpointType type_;
    Delivery& delivery_;
};

/// Signs, and needs a URL that is not plain http.
class FakeWebhook final : public FakeKind {
public:
    explicit FakeWebhook(Delivery& delivery) : FakeKind(webhook_type, delivery) {}
    [[nodiscard]] std::vector<FieldError> refuse_new(const TypeSettings& given) const override {
        if (!given.url) return {{"/url", "required", "a webhook has a URL"}};
        return refuse_edit(given);
    }
    [[nodiscard]] std::vector<FieldError> refuse_edit(const TypeSettings& given) const override {
        if (!given.url || given.url->starts_with("https://")) return {};
        return {{"/url", "not_allowed", "must be https"}};
    }
    [[nodiscard]] bool signs() const override { return true; }
    [[nodiscard]] bool sends_pings() const override { return true; }
    [[nodiscard]] std::string origin(std::string_view url) const override {
        return std::string{url.substr(0, url.find('/', url.find("://") + 3))};
    }
};

/// Has no URL, signs once it has a secret, and keeps what it receives. Every signature is valid.
class FakeInbox final : public FakeKind {
public:
    explicit FakeInbox(Delivery& delivery) : FakeKind(inbox_type, delivery) {}
    [[nodiscard]] std::vector<FieldError> refuse_edit(const TypeSettings& given) const override {
        std::vector<FieldError> found;
        if (given.url) found.push_back({"/url", "not_allowed", "an inbox has none"});
        if (given.ed25519) found.push_back({"/ed25519", "not_allowed", "an inbox has none"});
        return found;
    }
    [[nodiscard]] bool takes_secret() const override { return true; }
    [[nodiscard]] bool keeps_requests() const override { return true; }
    [[nodiscard]] SignatureCheck check_signature(const Endpoint&,
                                                 const InboxRequest& request) const override {
        const bool is_signed =
            std::ranges::count(request.headers, "webhook-signature", &HeaderText::first) > 0;
        return {.state = is_signed ? SignatureState::valid : SignatureState::missing};
    }
};

/// The types of the product, sending to `webhook` and `inbox`.
[[nodiscard]] inline EndpointKinds fake_kinds(Delivery& webhook, Delivery& inbox) {
    EndpointKinds kinds;
    kinds.add(std::make_unique<FakeWebhook>(webhook));
    kinds.add(std::make_unique<FakeInbox>(inbox));
    kinds.add(std::make_unique<PullKind>());
    return kinds;
}

}  // namespace sundial
