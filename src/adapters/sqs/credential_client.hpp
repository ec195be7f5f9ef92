#pragma once

#include <atomic>

#include "adapters/sqs/credential_chain.hpp"

namespace sundial::sqs {

/// Sends a request to a credential service and waits for the response: at most 64 KiB, no redirect,
/// no proxy. Not bound by the rules for endpoints' URLs, because its URLs come from the process's
/// environment and from AWS alone. Ends early once `stopping`.
[[nodiscard]] CredentialResponse ask_credential_service(const CredentialRequest& request,
                                                        const std::atomic<bool>& stopping);

/// The text of a file of at most 1 MiB. Empty if it cannot be read.
[[nodiscard]] std::optional<std::string> read_small_file(const std::string& path);

}  // namespace sundial::sqs
