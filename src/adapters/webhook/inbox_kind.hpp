#pragma once

#include <memory>
#include <string>
#include <vector>

#include "application/ports/endpoint_kind.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"

namespace sundial::webhook {

inline const EndpointType inbox_type{"INBOX"};
/// Options of an INBOX that let it behave like a receiver in trouble. The answer's status, 204 by
/// default, and how long the answer takes, at once by default.
inline constexpr const char* inbox_status_option = "inboxStatus";
inline constexpr const char* inbox_delay_option = "inboxDelay";

/// INBOX: stores in the database what a webhook receiver would have received, for development. It
/// answers like a receiver, with the status and after the delay of its options. Once it has a
/// secret, its requests are signed, and each is checked when it is read.
class InboxKind final : public EndpointKind {
public:
    struct Settings {
        bool allowed = false;  // if not, no new ones are made
        std::string user_agent{};
    };
    InboxKind(Settings settings, Store& store, Secrets& secrets, Ids& ids);
    ~InboxKind() override;

    [[nodiscard]] EndpointType type() const override { return inbox_type; }
    [[nodiscard]] std::vector<FieldError> refuse_new(const TypeSettings& given) const override;
    [[nodiscard]] std::vector<FieldError> refuse_edit(const TypeSettings& given) const override;
    [[nodiscard]] std::vector<std::string> options() const override;
    [[nodiscard]] bool takes_secret() const override { return true; }
    [[nodiscard]] bool keeps_requests() const override { return true; }
    [[nodiscard]] SignatureCheck check_signature(const Endpoint& endpoint,
                                                 const InboxRequest& request) const override;
    [[nodiscard]] Delivery* delivery() override { return delivery_.get(); }

private:
    bool allowed_;
    Secrets& secrets_;
    std::unique_ptr<Delivery> delivery_;
};

}  // namespace sundial::webhook
