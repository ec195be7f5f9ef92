#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sundial::sqs {

/// The identity of a caller of AWS. Temporary keys come with a token.
struct AwsKeys {
    std::string access_key{};
    std::string secret_key{};
    std::string session_token{};
    friend bool operator==(const AwsKeys&, const AwsKeys&) = default;
};

/// The parts of a request that its signature covers.
struct RequestToSign {
    std::string method = "POST";
    std::string path = "/";  // percent-encoded
    std::string query{};     // percent-encoded and sorted by name
    std::vector<std::pair<std::string, std::string>> headers{};  // `host` among them
    std::string_view body{};
};

struct SigningScope {
    std::string region{};
    std::string service = "sqs";
    std::chrono::sys_seconds at{};
};

/// "20150830T123600Z", the value of X-Amz-Date.
[[nodiscard]] std::string amz_date(std::chrono::sys_seconds at);

/// The value of Authorization by Signature Version 4, with all of the request's headers signed.
[[nodiscard]] std::string authorization(const RequestToSign& request, const SigningScope& scope,
                                        const AwsKeys& keys);

/// SHA-256 in hex.
[[nodiscard]] std::string sha256_hex(std::string_view text);

}  // namespace sundial::sqs
