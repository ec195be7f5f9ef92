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
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"
#include "application/requests/edits.hpp"
#include "application/requests/results.hpp"
#include "base/log.hpp"
#include "domain/endpoint.hpp"

namespace sundial {

/// The changes of a rate limit. If there was none, `per_second` is required and is also the default
/// burst.
struct RateLimitEdit {
    std::optional<std::uint32_t> per_second{};
    std::optional<std::uint32_t> burst{};
};

/// The changes of an endpoint; empty fields stay.
struct EndpointEdit {
    Edit<std::string> external_id{};
    std::optional<std::string> name{};
    std::optional<EndpointType> type{};  // never changes: another type is refused
    std::optional<BodyFormat> format{};  // never changes: another one is refused
    std::optional<std::string> url{};
    TextsEdit options{};
    TextsEdit headers{};
    std::optional<std::chrono::seconds> timeout{};
    std::optional<RetryPolicy> retry_policy{};
    std::optional<std::uint32_t> retry_client_errors{};
    Edit<RateLimitEdit> rate_limit{};
    Edit<std::uint32_t> max_in_flight{};
    bool close_circuit = false;  // changes the circuit, not the endpoint: makes no new version
    std::optional<bool> enabled{};
    std::optional<std::string> secret{};  // another one is refused: RotateSecret replaces it
    std::optional<bool> ed25519{};        // starts or stops signing with such a key too
    bool retry_waiting = false;  // attempts at once what waits for a retry; makes no new version
};

/// Changes an endpoint. Enabling it releases the events that wait for it, even if it was enabled
/// before, and closes its circuit. Closing the circuit or changing limits releases the events that
/// wait for these. `retry_waiting` ends the waits for a retry too: the endpoint is repaired. If the
/// release fails, the edit stays and the events are released later. An edit
/// that changes nothing makes no new version.
class EditEndpoint {
public:
    /// A time-out longer than `lease` − 10 s is refused.
    EditEndpoint(Store& store, Secrets& secrets, const EndpointKinds& kinds, Ids& ids,
                 UnparkEvents& unpark, base::Log& log,
                 std::chrono::seconds lease = std::chrono::seconds{30})
        : store_(store),
          secrets_(secrets),
          kinds_(kinds),
          ids_(ids),
          unpark_(unpark),
          log_(log),
          lease_(lease) {}
    /// Errors: NotFound, OptimisticLock, ValidationFailed, DuplicateExternalId.
    [[nodiscard]] EndpointResult<Endpoint> run(std::string_view reference, const EndpointEdit& edit,
                                               std::optional<Version> expected,
                                               const Caller& caller);
    /// Replaces every setting of the endpoint with that of `requested`, except external id, type,
    /// format and secret. `retry_waiting` as in EndpointEdit. Errors: as above.
    [[nodiscard]] EndpointResult<Endpoint> replace(std::string_view reference,
                                                   const NewEndpoint& requested,
                                                   std::optional<Version> expected,
                                                   const Caller& caller,
                                                   bool retry_waiting = false);

private:
    /// Computes the edit from the current endpoint.
    using MakeEdit = std::function<EndpointEdit(const Endpoint&)>;
    /// `whole`: the complete new settings; null if the edit has only some.
    EndpointResult<Endpoint> change(std::string_view reference, const MakeEdit& make_edit,
                                    const NewEndpoint* whole, std::optional<Version> expected,
                                    const Caller& caller);
    void release_waiting(EndpointId endpoint, const std::function<void()>& release);

    Store& store_;
    Secrets& secrets_;
    const EndpointKinds& kinds_;
    Ids& ids_;
    UnparkEvents& unpark_;
    base::Log& log_;
    std::chrono::seconds lease_;
};

}  // namespace sundial
