#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/sqs/signature.hpp"
#include "domain/time/types.hpp"

namespace sundial::sqs {

/// Keys and the end of their validity, if they have one.
struct Credentials {
    AwsKeys keys{};
    std::optional<Instant> expires{};
    friend bool operator==(const Credentials&, const Credentials&) = default;
};

/// Why there are none, for the operator. Never has a secret.
struct NoCredentials {
    std::string reason{};
};
using CredentialResult = std::variant<Credentials, NoCredentials>;

/// A request to a credential service.
struct CredentialRequest {
    std::string method = "GET";
    std::string url{};
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
    std::chrono::milliseconds timeout{2'000};
};
/// Status 0: there was no response, and `body` says why.
struct CredentialResponse {
    int status = 0;
    std::string body{};
};

/// The surroundings that the chain reads. Functions are called on the thread that calls the chain,
/// and block.
struct CredentialWorld {
    std::function<std::optional<std::string>(const std::string& variable)> environment{};
    std::function<std::optional<std::string>(const std::string& path)> read_file{};
    std::function<CredentialResponse(const CredentialRequest&)> send{};
};

/// The keys of this process as AWS's own SDKs find them: environment, web identity, shared files
/// with profiles, container, instance metadata version 2. The first source that is configured
/// decides: if it fails, the chain does not try the next one, which may have other rights.
[[nodiscard]] CredentialResult find_credentials(const CredentialWorld& world);

// For tests.

/// The JSON that container and instance metadata services answer with.
[[nodiscard]] std::optional<Credentials> read_service_credentials(std::string_view json);
/// The XML of AssumeRoleWithWebIdentity.
[[nodiscard]] std::optional<Credentials> read_assumed_role(std::string_view xml);
/// Whether a container's full URI may be asked: https, or a loopback or link-local address that AWS
/// names.
[[nodiscard]] bool may_ask(std::string_view container_uri);

}  // namespace sundial::sqs
