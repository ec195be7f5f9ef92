#include "adapters/sqs/signature.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "base/text.hpp"

namespace sundial::sqs {
namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";

std::string keyed_hash(std::string_view key, std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(),
             &size) == nullptr) {
        throw std::runtime_error("OpenSSL: HMAC failed");
    }
    return {reinterpret_cast<const char*>(digest.data()), size};
}

/// Without blanks at both ends, and with one blank for each run of them.
std::string canonical_value(std::string_view value) {
    std::string canonical;
    for (const char c : base::trimmed(value)) {
        if (c == ' ' && canonical.ends_with(' ')) continue;
        canonical += c;
    }
    return canonical;
}

/// By name in lower case; values of one name are joined in their order.
std::map<std::string, std::string> canonical_headers(const RequestToSign& request) {
    std::map<std::string, std::string> headers;
    for (const auto& [name, value] : request.headers) {
        const auto [at, is_new] = headers.try_emplace(base::lowered(name), canonical_value(value));
        if (!is_new) at->second += ',' + canonical_value(value);
    }
    return headers;
}

}  // namespace

std::string sha256_hex(std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
        throw std::runtime_error("OpenSSL: SHA-256 failed");
    }
    return base::to_hex({reinterpret_cast<const char*>(digest.data()), size});
}

std::string amz_date(std::chrono::sys_seconds at) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{at - day};
    const auto padded = [](long number, std::size_t digits) {
        const std::string text = std::to_string(number);
        return std::string(digits - std::min(digits, text.size()), '0') + text;
    };
    return padded(static_cast<int>(date.year()), 4) +
           padded(static_cast<unsigned>(date.month()), 2) +
           padded(static_cast<unsigned>(date.day()), 2) + 'T' + padded(time.hours().count(), 2) +
           padded(time.minutes().count(), 2) + padded(time.seconds().count(), 2) + 'Z';
}

std::string authorization(const RequestToSign& request, const SigningScope& scope,
                          const AwsKeys& keys) {
    std::string names;
    std::string canonical = request.method + '\n' + request.path + '\n' + request.query + '\n';
    for (const auto& [name, value] : canonical_headers(request)) {
        if (!names.empty()) names += ';';
        names += name;
        canonical += name + ':' + value + '\n';
    }
    canonical += '\n' + names + '\n' + sha256_hex(request.body);

    const std::string time = amz_date(scope.at);
    const std::string date = time.substr(0, time.find('T'));
    const std::string extent = date + '/' + scope.region + '/' + scope.service + "/aws4_request";
    const std::string text =
        std::string{algorithm} + '\n' + time + '\n' + extent + '\n' + sha256_hex(canonical);
    std::string key = keyed_hash("AWS4" + keys.secret_key, date);
    for (const std::string_view part :
         {std::string_view{scope.region}, std::string_view{scope.service},
          std::string_view{"aws4_request"}}) {
        key = keyed_hash(key, part);
    }
    return std::string{algorithm} + " Credential=" + keys.access_key + '/' + extent +
           ", SignedHeaders=" + names + ", Signature=" + base::to_hex(keyed_hash(key, text));
}

}  // namespace sundial::sqs
