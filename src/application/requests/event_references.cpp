#include "application/requests/event_references.hpp"

#include <unordered_map>
#include <utility>
#include <variant>

#include "application/requests/queries.hpp"

namespace sundial {
namespace {

/// `found`, by the references of the ids.
template <class Id, class Row>
std::map<std::string, Row> by_reference(const std::map<std::string, Id>& ids,
                                        const std::vector<Row>& found) {
    std::unordered_map<Id, const Row*> rows;
    for (const Row& row : found) rows.emplace(row.id, &row);
    std::map<std::string, Row> named;
    for (const auto& [reference, id] : ids) {
        if (const auto row = rows.find(id); row != rows.end()) {
            named.emplace(reference, *row->second);
        }
    }
    return named;
}

template <class Id>
std::vector<Id> values_of(const std::map<std::string, Id>& ids) {
    std::vector<Id> values;
    for (const auto& [reference, id] : ids) values.push_back(id);
    return values;
}

FieldError no_endpoint(const std::string& reference) {
    return {"/endpointId", "not_allowed",
            "there is no endpoint '" + reference +
                "'; give the id of one, or ext: and its external id"};
}

}  // namespace

std::optional<User> shared_user(Transaction& tx, const std::optional<std::string>& reference,
                                std::vector<FieldError>& defects) {
    EventReferences references;
    references.name_user(reference);
    references.find(tx, EventReferences::Sharing::waits);
    const User* const user = references.user(reference, defects);
    return user != nullptr ? std::optional{*user} : std::nullopt;
}

std::optional<EndpointId> shared_endpoint(Transaction& tx,
                                          const std::optional<std::string>& reference,
                                          std::vector<FieldError>& defects) {
    EventReferences references;
    references.name_endpoint(reference);
    references.find(tx, EventReferences::Sharing::waits);
    return references.endpoint(reference, defects);
}

std::optional<EndpointId> existing_endpoint(Transaction& tx,
                                            const std::optional<std::string>& reference,
                                            std::vector<FieldError>& defects) {
    if (!reference) return std::nullopt;
    const auto id = endpoint_id(tx, *reference);
    if (id && tx.endpoints().find(*id)) return *id;
    defects.push_back(no_endpoint(*reference));
    return std::nullopt;
}

void EventReferences::name_user(const std::optional<std::string>& reference) {
    if (reference) named_users_.insert(*reference);
}

void EventReferences::name_endpoint(const std::optional<std::string>& reference) {
    if (reference) named_endpoints_.insert(*reference);
}

void EventReferences::find(Transaction& tx, Sharing sharing) {
    const bool waits = sharing == Sharing::waits;
    if (const auto ids = endpoint_ids(tx, named_endpoints_); !ids.empty()) {
        const auto requested = values_of(ids);
        endpoints_ = by_reference(
            ids, waits ? tx.endpoints().share(requested) : tx.endpoints().try_share(requested));
    }
    if (const auto ids = user_ids(tx, named_users_); !ids.empty()) {
        const auto requested = values_of(ids);
        users_ = by_reference(
            ids, waits ? tx.users().share(requested) : tx.users().try_share(requested));
    }
}

const User* EventReferences::user(const std::optional<std::string>& reference,
                                  std::vector<FieldError>& defects) const {
    if (!reference) return nullptr;
    if (const auto found = users_.find(*reference); found != users_.end()) return &found->second;
    defects.push_back(
        {"/userId", "not_allowed",
         "there is no user '" + *reference + "'; give the id of one, or ext: and its external id"});
    return nullptr;
}

const Endpoint* EventReferences::endpoint_row(const std::optional<std::string>& reference) const {
    if (!reference) return nullptr;
    const auto found = endpoints_.find(*reference);
    return found == endpoints_.end() ? nullptr : &found->second;
}

std::optional<EndpointId> EventReferences::endpoint(const std::optional<std::string>& reference,
                                                    std::vector<FieldError>& defects) const {
    if (!reference) return std::nullopt;
    if (const auto found = endpoints_.find(*reference); found != endpoints_.end()) {
        return found->second.id;
    }
    defects.push_back(no_endpoint(*reference));
    return std::nullopt;
}

void append_defects(std::vector<FieldError>& defects, const Error& error) {
    const auto& failed = std::get<ValidationFailed>(error);
    defects.insert(defects.end(), failed.errors.begin(), failed.errors.end());
}

}  // namespace sundial
