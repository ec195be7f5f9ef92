#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "application/audit/caller.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/unpark_events.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/requests/edits.hpp"
#include "base/log.hpp"
#include "domain/endpoint.hpp"

namespace sundial {

/// What to change of a rate. Where there was none `per_second` is needed, and is the burst too
/// unless that is given.
struct RateLimitEdit {
    std::optional<std::uint32_t> per_second{};
    std::optional<std::uint32_t> burst{};
};

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
    Edit<RateLimitEdit> rate_limit{};
    Edit<std::uint32_t> max_in_flight{};
    bool close_circuit = false;  // no change of the endpoint: it makes no new version
    std::optional<bool> enabled{};
    std::optional<bool> ed25519{};  // begin or cease to sign by such a key too
};

/// Changes a destination. Enabling it lets go what waited for it, even where it was enabled before,
/// and closes its circuit; closing that, or other limits, lets go what waited for them. Where that
/// fails the edit stands, and what waited is let go later. An edit that changes nothing makes no
/// new version.
class EditEndpoint {
public:
    EditEndpoint(Store& store, Secrets& secrets, const DestinationRules& destinations, Ids& ids,
                 UnparkEvents& unpark, base::Log& log, EndpointSettings settings)
        : store_(store),
          secrets_(secrets),
          destinations_(destinations),
          ids_(ids),
          unpark_(unpark),
          log_(log),
          settings_(settings) {}
    /// Errors: NotFound, OptimisticLock, ValidationFailed, DuplicateExternalId.
    [[nodiscard]] Result<Endpoint> run(std::string_view reference, const EndpointEdit& edit,
                                       std::optional<Version> expected, const Caller& caller);

private:
    void let_go(EndpointId endpoint, const std::function<void()>& release);

    Store& store_;
    Secrets& secrets_;
    const DestinationRules& destinations_;
    Ids& ids_;
    UnparkEvents& unpark_;
    base::Log& log_;
    EndpointSettings settings_;
};

}  // namespace sundial
