#pragma once

#include <string_view>

#include "application/audit/caller.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
#include "domain/outcome.hpp"

namespace sundial {

struct TestDelivery {
    Event event;  // the sent event; it is not stored
    Outcome outcome;
};

/// Sends one delivery of type `sundial.test` now and waits for its outcome. Blocks at most for the
/// endpoint's time-out.
class TestEndpoint {
public:
    TestEndpoint(Store& store, const EndpointKinds& kinds, Ids& ids)
        : store_(store), kinds_(kinds), ids_(ids) {}
    /// Errors: NotFound, EndpointDisabled; ValidationFailed for a type that nothing is sent to.
    /// The entry of the audit is stored before the delivery is sent. Throws Unavailable.
    [[nodiscard]] EndpointResult<TestDelivery> run(std::string_view reference,
                                                   const Caller& caller);

private:
    Store& store_;
    const EndpointKinds& kinds_;
    Ids& ids_;
};

}  // namespace sundial
