#pragma once

#include <string_view>

#include "application/ports/endpoint_kind.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"

namespace sundial {

/// Lists the requests that an endpoint received, if its type keeps them, each with what a check of
/// its signature finds.
class ReadInbox {
public:
    ReadInbox(Store& store, const EndpointKinds& kinds) : store_(store), kinds_(kinds) {}
    /// Newest first. Errors: NotFound; ValidationFailed for a type that keeps no requests.
    [[nodiscard]] EndpointResult<Page<CheckedRequest>> run(std::string_view reference,
                                                           const PageRequest& page);

private:
    Store& store_;
    const EndpointKinds& kinds_;
};

/// Deletes them.
class ClearInbox {
public:
    ClearInbox(Store& store, const EndpointKinds& kinds) : store_(store), kinds_(kinds) {}
    /// Errors: as above.
    [[nodiscard]] EndpointResult<void> run(std::string_view reference);

private:
    Store& store_;
    const EndpointKinds& kinds_;
};

}  // namespace sundial
