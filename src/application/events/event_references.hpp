#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "application/ports/store.hpp"
#include "domain/error.hpp"

/// What an event's request refers to. What is not there is a defect of that field, not a 404: the
/// caller named it in passing.
namespace sundial {

/// The user, kept from being changed or deleted until the transaction ends. Empty if none was
/// named, or it is a defect.
[[nodiscard]] std::optional<User> shared_user(Transaction& tx,
                                              const std::optional<std::string>& reference,
                                              std::vector<FieldError>& defects);

/// The same for the endpoint; disabled will do: the event waits for it.
[[nodiscard]] std::optional<EndpointId> existing_endpoint(
    Transaction& tx, const std::optional<std::string>& reference, std::vector<FieldError>& defects);

/// What many events refer to, found with a statement or two for all of them.
class EventReferences {
public:
    /// Whether to wait for who is changing a user, or to do without that user.
    enum class Sharing : std::uint8_t { waits, tries };

    void name_user(const std::optional<std::string>& reference);
    void name_endpoint(const std::optional<std::string>& reference);
    /// Finds what was named; users are shared as above.
    void find(Transaction& tx, Sharing sharing);

    [[nodiscard]] bool has_user(const std::string& reference) const {
        return users_.contains(reference);
    }
    /// Null as above; lives as long as this object.
    [[nodiscard]] const User* user(const std::optional<std::string>& reference,
                                   std::vector<FieldError>& defects) const;
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
