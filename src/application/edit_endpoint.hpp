#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "application/caller.hpp"
#include "application/create_endpoint.hpp"
#include "application/edits.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/unpark_events.hpp"
#include "domain/endpoint.hpp"

namespace sundial {

/// What to change of an endpoint; what is empty stays.
struct EndpointEdit {
    Edit<std::string> external_id{};
    std::optional<std::string> name{};
    std::optional<EndpointType> type{};  // never changes: another one is refused
    std::optional<std::string> url{};
    TextsEdit headers{};
    std::optional<std::chrono::seconds> timeout{};
    std::optional<RetryPolicy> retry_policy{};
    std::optional<std::uint32_t> retry_client_errors{};
    std::optional<bool> enabled{};
    std::optional<bool> ed25519{};  // begin or cease to sign by such a key too
};

/// Changes a destination. Enabling it lets go what waited for it. An edit that changes nothing
/// makes no new version.
class EditEndpoint {
public:
    EditEndpoint(Store& store, Secrets& secrets, const DestinationRules& destinations, Ids& ids,
                 UnparkEvents& unpark, EndpointSettings settings)
        : store_(store),
          secrets_(secrets),
          destinations_(destinations),
          ids_(ids),
          unpark_(unpark),
          settings_(settings) {}
    /// Errors: NotFound, OptimisticLock, ValidationFailed, DuplicateExternalId.
    [[nodiscard]] Result<Endpoint> run(std::string_view reference, const EndpointEdit& edit,
                                       std::optional<Version> expected, const Caller& caller);

private:
    Store& store_;
    Secrets& secrets_;
    const DestinationRules& destinations_;
    Ids& ids_;
    UnparkEvents& unpark_;
    EndpointSettings settings_;
};

}  // namespace sundial
