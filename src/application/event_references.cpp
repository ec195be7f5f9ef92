#include "application/event_references.hpp"

#include <utility>
#include <variant>

#include "application/reference.hpp"

namespace sundial {

std::optional<User> shared_user(Transaction& tx, const std::optional<std::string>& reference,
                                std::vector<FieldError>& defects) {
    if (!reference) return std::nullopt;
    if (const auto id = user_id(tx, *reference)) {
        auto users = tx.users().share(std::vector{*id});
        if (!users.empty()) return std::move(users.front());
    }
    defects.push_back(
        {"/userId", "not_allowed",
         "there is no user '" + *reference + "'; give the id of one, or ext: and its external id"});
    return std::nullopt;
}

std::optional<EndpointId> existing_endpoint(Transaction& tx,
                                            const std::optional<std::string>& reference,
                                            std::vector<FieldError>& defects) {
    if (!reference) return std::nullopt;
    if (const auto id = endpoint_id(tx, *reference)) {
        if (tx.endpoints().find(*id)) return *id;
    }
    defects.push_back({"/endpointId", "not_allowed",
                       "there is no endpoint '" + *reference +
                           "'; give the id of one, or ext: and its external id"});
    return std::nullopt;
}

void append_defects(std::vector<FieldError>& defects, const Error& error) {
    const auto& failed = std::get<ValidationFailed>(error);
    defects.insert(defects.end(), failed.errors.begin(), failed.errors.end());
}

}  // namespace sundial
