#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "application/ports/secrets.hpp"
#include "application/requests/edits.hpp"
#include "domain/endpoint.hpp"

namespace sundial {

/// The headers of a new endpoint, their values sealed. Adds their errors to `defects`, below
/// /headers, also a missing encryption key. If there are any, the result is empty.
[[nodiscard]] std::vector<EndpointHeader> sealed_headers(std::span<const HeaderText> given,
                                                         Seal& seal,
                                                         std::vector<FieldError>& defects);

/// `before` after the edit. A header that is given the value that it has stays as it is.
/// `moved_to`: the origin (https://crm.example) to which the endpoint's URL moves, if it does. A
/// stranger may answer there, so every value that is to be sent there must be given again. Adds to
/// `defects` as above.
[[nodiscard]] std::vector<EndpointHeader> edited_headers(const std::vector<EndpointHeader>& before,
                                                         const TextsEdit& edit,
                                                         const std::optional<std::string>& moved_to,
                                                         Seal& seal,
                                                         std::vector<FieldError>& defects);

/// Seals the values that are stored readable, if there is a key, and again those that an older
/// encryption key sealed. Returns whether those that were sealed could be opened.
[[nodiscard]] bool reseal_headers(std::vector<EndpointHeader>& headers, Secrets& secrets);

}  // namespace sundial
