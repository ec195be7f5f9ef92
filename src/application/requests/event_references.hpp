#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "application/ports/store.hpp"
#include "domain/error.hpp"

/// The objects that a request for an event refers to. A missing object is a defect of that field,
/// not a 404, because it is not the subject of the request.
namespace sundial {

/// The user, shared: no other transaction changes or deletes it until this one ends. Empty if none
/// was named or the reference is a defect.
[[nodiscard]] std::optional<User> shared_user(Transaction& tx,
                                              const std::optional<std::string>& reference,
                                              std::vector<FieldError>& defects);

/// The same for the endpoint: no other transaction deletes it until this one ends. A disabled
/// endpoint is accepted: the event waits for it.
[[nodiscard]] std::optional<EndpointId> shared_endpoint(Transaction& tx,
                                                        const std::optional<std::string>& reference,
                                                        std::vector<FieldError>& defects);

/// The same without a lock.
[[nodiscard]] std::optional<EndpointId> existing_endpoint(
    Transaction& tx, const std::optional<std::string>& reference, std::vector<FieldError>& defects);

/// The objects that many events refer to, found with one or two statements for all of them.
class EventReferences {
public:
    /// Whether to wait for a transaction that is changing a user or deleting an endpoint, or to go
    /// on without that user or endpoint.
    enum class Sharing : std::uint8_t { waits, tries };

    void name_user(const std::optional<std::string>& reference);
    void name_endpoint(const std::optional<std::string>& reference);
    /// Finds the named objects and shares them as above: endpoints, then users, in the order in
    /// which the deletion of an endpoint locks them.
    void find(Transaction& tx, Sharing sharing);

    [[nodiscard]] bool has_user(const std::string& reference) const {
        return users_.contains(reference);
    }
    [[nodiscard]] bool has_endpoint(const std::string& reference) const {
        return endpoints_.contains(reference);
    }
    /// Null if none was named or the reference is a defect. Lives as long as this object.
    [[nodiscard]] const User* user(const std::optional<std::string>& reference,
                                   std::vector<FieldError>& defects) const;
    [[nodiscard]] const Endpoint* endpoint_row(const std::optional<std::string>& reference) const;
    [[nodiscard]] std::optional<EndpointId> endpoint(const std::optional<std::string>& reference,
                                                     std::vector<FieldError>& defects) const;

private:
    std::set<std::string> named_users_, named_endpoints_;
    std::map<std::string, User> users_;
    std::map<std::string, Endpoint> endpoints_;
};

/// Adds the field errors of `error`, which is a ValidationFailed.
void append_defects(std::vector<FieldError>& defects, const Error& error);

}  // namespace sundial
