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
/// `moved_to`: the origin (https://crm.example) to which the endpoint's URL moves, if it does.
/// Another party may own that origin, so the caller must give every value again that is to be sent
/// there. Adds to `defects` as above.
[[nodiscard]] std::vector<EndpointHeader> edited_headers(const std::vector<EndpointHeader>& before,
                                                         const TextsEdit& edit,
                                                         const std::optional<std::string>& moved_to,
                                                         Seal& seal,
                                                         std::vector<FieldError>& defects);

/// Seals values that are stored in plain text, if there is a key, and reseals those of an older
/// encryption key. Returns whether all sealed values could be opened.
[[nodiscard]] bool reseal_headers(std::vector<EndpointHeader>& headers, Secrets& secrets);

}  // namespace sundial
