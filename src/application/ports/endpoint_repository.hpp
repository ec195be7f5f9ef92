#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/circuit.hpp"
#include "domain/endpoint.hpp"
#include "domain/ids.hpp"
#include "domain/limits.hpp"
#include "domain/time/types.hpp"

namespace sundial {

struct EndpointQuery {
    std::optional<EndpointType> type;
    std::optional<bool> enabled;
    std::optional<std::string> prefix;  // of id, external id, name
    PageRequest page;                   // by createdAt
};

/// Endpoints, inside one transaction.
class EndpointRepository {
public:
    virtual ~EndpointRepository() = default;
    /// Errors: DuplicateExternalId.
    virtual Result<void, DuplicateExternalId> add(const Endpoint& endpoint) = 0;
    virtual std::optional<Endpoint> find(EndpointId id) = 0;
    virtual std::vector<Endpoint> find_all(std::span<const EndpointId> ids) = 0;
    virtual std::optional<EndpointId> id_of(std::string_view external_id) = 0;
    /// By external id. Unknown external ids are left out.
    virtual std::map<std::string, EndpointId> ids_of(std::span<const std::string> external_ids) = 0;
    /// The endpoints that exist, in no order. No other transaction removes them until this one
    /// ends.
    virtual std::vector<Endpoint> share(std::span<const EndpointId> ids) = 0;
    /// The same, without endpoints that another transaction may be removing. Never waits.
    virtual std::vector<Endpoint> try_share(std::span<const EndpointId> ids) = 0;
    /// The endpoint. No other transaction changes it until this one ends. Does not wait for
    /// transactions that share it, because one of them may be long.
    virtual std::optional<Endpoint> lock(EndpointId id) = 0;
    /// The same, but waits for the transactions that share it. Those that share it later wait.
    virtual std::optional<Endpoint> lock_to_remove(EndpointId id) = 0;
    /// Replaces a locked endpoint. Errors: DuplicateExternalId.
    virtual Result<void, DuplicateExternalId> update(const Endpoint& endpoint) = 0;
    /// Removes an endpoint that is locked for it, with its circuit, its limits and the requests in
    /// its inbox.
    virtual void remove(EndpointId id) = 0;
    virtual Page<Endpoint> list(const EndpointQuery& query) = 0;
};

/// The circuits of endpoints, inside one transaction. An endpoint without reported results has no
/// circuit, which means the same as a closed one.
class CircuitRepository {
public:
    virtual ~CircuitRepository() = default;
    /// The circuits that exist, by endpoint.
    virtual std::vector<Circuit> find_all(std::span<const EndpointId> endpoints) = 0;
    /// Creates the circuit if there is none. No other transaction changes it until this one ends. A
    /// caller that locks several circuits locks them in the order of their endpoints.
    virtual Circuit lock(EndpointId endpoint) = 0;
    /// Replaces a locked circuit.
    virtual void put(const Circuit& circuit) = 0;
    /// At most `limit`, by endpoint; circuits that are not closed come first.
    virtual std::vector<Circuit> list(std::size_t limit) = 0;
};

/// The state of endpoint limits that instances share, inside one transaction.
class LimitRepository {
public:
    virtual ~LimitRepository() = default;
    /// Creates the limits if there are none. No other transaction changes them until this one ends.
    /// A caller that locks the limits of several endpoints locks them in the order of endpoints.
    virtual Limits lock(EndpointId endpoint) = 0;
    /// Replaces locked limits, including their leases.
    virtual void put(const Limits& limits) = 0;
};

/// A request that an INBOX endpoint received, as a webhook receiver would have seen it.
struct InboxRequest {
    Uuid id;  // version 7: in order of arrival
    EndpointId endpoint;
    Instant received_at;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    friend bool operator==(const InboxRequest&, const InboxRequest&) = default;
};

/// The result of checking the signature of a request, as a receiver does.
enum class SignatureState : std::uint8_t { missing, invalid, valid };

struct SignatureCheck {
    SignatureState state = SignatureState::missing;
    bool by_newest = false;  // valid: made by the newest key of its scheme, not by a replaced one
    std::optional<std::chrono::milliseconds> age{};  // of its timestamp when the request arrived
    friend bool operator==(const SignatureCheck&, const SignatureCheck&) = default;
};
/// "VALID", "INVALID" or "MISSING".
[[nodiscard]] std::string_view to_string(SignatureState state);
/// Which secret made a valid signature: "CURRENT" or "PREVIOUS". Empty for others.
[[nodiscard]] std::optional<std::string_view> secret_of(const SignatureCheck& check);

struct CheckedRequest {
    InboxRequest received;
    SignatureCheck signature{};
};

/// Requests received by INBOX endpoints, inside one transaction. Keeps the newest 10,000 of each
/// endpoint.
class InboxRepository {
public:
    virtual ~InboxRepository() = default;
    virtual void add(const InboxRequest& request) = 0;
    /// Newest first; `page.descending` and `after->value` are not used.
    virtual Page<InboxRequest> list(EndpointId endpoint, const PageRequest& page) = 0;
    virtual void clear(EndpointId endpoint) = 0;
};

}  // namespace sundial
