#pragma once

#include <optional>
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

/// Adds the field errors of `error`, which is a ValidationFailed.
void append_defects(std::vector<FieldError>& defects, const Error& error);

}  // namespace sundial
