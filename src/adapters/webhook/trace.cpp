#include "adapters/webhook/trace.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>
#include <string_view>

namespace sundial::webhook {
namespace {

/// The first `count` bytes of the SHA-256 of `text`, in hex. An id cannot serve as trace id:
/// samplers expect random bits, and those of a version 7 UUID are not.
std::string hashed(std::string_view text, std::size_t count) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
        throw std::runtime_error("OpenSSL: SHA-256 failed");
    }
    std::string hex;
    for (std::size_t i = 0; i < count; ++i) {
        hex += digits[digest.at(i) >> 4U];
        hex += digits[digest.at(i) & 0xfU];
    }
    return hex;
}

}  // namespace

std::string traceparent(const EventId& event, Attempt attempt) {
    const std::string trace = "trace " + to_string(event);
    const std::string parent = trace + ' ' + std::to_string(attempt.value);
    // Sampled: a receiver that follows its caller's decision should record its processing of the
    // event.
    return "00-" + hashed(trace, 16) + '-' + hashed(parent, 8) + "-01";
}

}  // namespace sundial::webhook
