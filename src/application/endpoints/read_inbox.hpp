#pragma once

#include <string_view>

#include "application/ports/store.hpp"

namespace sundial {

/// Lists the requests that an INBOX endpoint received.
class ReadInbox {
public:
    explicit ReadInbox(Store& store) : store_(store) {}
    /// Newest first. Errors: NotFound; ValidationFailed if the endpoint is not an inbox.
    [[nodiscard]] Result<Page<InboxRequest>> run(std::string_view reference,
                                                 const PageRequest& page);

private:
    Store& store_;
};

/// Deletes the requests that an INBOX endpoint received.
class ClearInbox {
public:
    explicit ClearInbox(Store& store) : store_(store) {}
    /// Errors: as above.
    [[nodiscard]] Result<void> run(std::string_view reference);

private:
    Store& store_;
};

}  // namespace sundial
