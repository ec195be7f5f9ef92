#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/delivery.hpp"
#include "application/ports/endpoint_repository.hpp"
#include "domain/endpoint.hpp"
#include "domain/error.hpp"

namespace sundial {

/// The settings that not every type takes, as a caller gives them for a new endpoint or in an edit.
struct TypeSettings {
    std::optional<std::string> url{};
    BodyFormat format = BodyFormat::raw;
    bool headers = false;                          // there are some
    bool secret = false;                           // one is given
    bool ed25519 = false;                          // a pair of keys is requested
    std::map<std::string, std::string> options{};  // of some types, by name: region
};

/// One type of endpoint: the settings that it takes, and how events reach its endpoints. Name,
/// time-out, retries and limits are the same for all types. Thread-safe.
class EndpointKind {
public:
    virtual ~EndpointKind() = default;
    [[nodiscard]] virtual EndpointType type() const = 0;
    /// The defects of a new endpoint's settings: those that its type requires and that are missing,
    /// and those that it does not take.
    [[nodiscard]] virtual std::vector<FieldError> refuse_new(const TypeSettings& given) const = 0;
    /// The same for an edit. `given` has only what the edit gives, and whether the endpoint has
    /// headers after it.
    [[nodiscard]] virtual std::vector<FieldError> refuse_edit(const TypeSettings& given) const = 0;
    /// The names of the settings that only this type has (Endpoint::options).
    [[nodiscard]] virtual std::vector<std::string> options() const { return {}; }
    /// The defects of an endpoint as a whole, new or edited: settings that contradict each other.
    /// Called once each setting is valid.
    [[nodiscard]] virtual std::vector<FieldError> refuse_whole(const Endpoint& /*after*/) const {
        return {};
    }
    /// The reason why `payload` cannot be sent to its endpoints. Empty if it can.
    [[nodiscard]] virtual std::optional<std::string> refuse_payload(
        std::string_view /*payload*/) const {
        return std::nullopt;
    }
    /// Whether its endpoints have keys that sign each request to them.
    [[nodiscard]] virtual bool signs() const { return false; }
    /// Whether an endpoint signs once it has been given a secret, when it is made or by a rotation.
    [[nodiscard]] virtual bool takes_secret() const { return signs(); }
    /// The receiver behind `url`: https://crm.example. The value of a header is never sent to
    /// another one than it was given for. Empty if there is none.
    [[nodiscard]] virtual std::string origin(std::string_view /*url*/) const { return {}; }
    /// Whether requests sent to its endpoints can be read here (InboxRepository).
    [[nodiscard]] virtual bool keeps_requests() const { return false; }
    /// Checks a kept request against the keys that its endpoint has now.
    [[nodiscard]] virtual SignatureCheck check_signature(const Endpoint& /*endpoint*/,
                                                         const InboxRequest& /*request*/) const {
        return {};
    }
    /// Whether pings are sent in the same way as to its endpoints: to a URL, under the same rules.
    [[nodiscard]] virtual bool sends_pings() const { return false; }
    /// Null if nothing is sent to its endpoints.
    [[nodiscard]] virtual Delivery* delivery() { return nullptr; }
};

/// The types of endpoints that this program has. Adding one to the product takes its folder in
/// `adapters/` and one line where the program registers them (server/endpoint_kinds.cpp).
class EndpointKinds {
public:
    /// At most one kind for each type.
    void add(std::unique_ptr<EndpointKind> kind);
    /// Null if the program does not have that type.
    [[nodiscard]] EndpointKind* find(const EndpointType& type) const;
    /// The kind of a stored endpoint, never null. Errors: ValidationFailed if the program does not
    /// have it, because another program or version stored the endpoint.
    [[nodiscard]] Result<EndpointKind*, ValidationFailed> of(const Endpoint& endpoint) const;
    /// The defect of a payload, at `pointer`, that cannot be sent to `endpoint`.
    [[nodiscard]] std::optional<FieldError> refuse_payload(const Endpoint& endpoint,
                                                           const char* pointer,
                                                           std::string_view payload) const;
    /// The kind whose delivery sends pings; null if there is none.
    [[nodiscard]] EndpointKind* of_pings() const;
    /// The defect of a URL for pings, at `pointer`.
    [[nodiscard]] std::optional<FieldError> refuse_ping(const char* pointer,
                                                        const std::string& url) const;
    /// All, in the order of their registration.
    [[nodiscard]] std::span<const std::unique_ptr<EndpointKind>> all() const { return kinds_; }
    /// The options of all types, each name once.
    [[nodiscard]] std::vector<std::string> options() const;
    /// "INBOX, PULL", for messages.
    [[nodiscard]] std::string names() const;

private:
    std::vector<std::unique_ptr<EndpointKind>> kinds_;
};

/// For a program that sends nothing.
inline const EndpointKinds no_endpoint_kinds{};

/// The options in `given` that `kind` does not have.
[[nodiscard]] std::vector<FieldError> refuse_foreign_options(const EndpointKind& kind,
                                                             const TypeSettings& given);

}  // namespace sundial
