#include "adapters/webhook/signature.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <stdexcept>

#include "base/base64.hpp"

namespace sundial::webhook {

std::string sign(std::string_view key, std::string_view id, std::chrono::sys_seconds timestamp,
                 std::string_view body) {
    std::string signed_text{id};
    signed_text += '.' + std::to_string(timestamp.time_since_epoch().count()) + '.';
    signed_text += body;
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(signed_text.data()), signed_text.size(),
             digest.data(), &size) == nullptr) {
        throw std::runtime_error("OpenSSL: HMAC failed");
    }
    return "v1," + base::to_base64({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace sundial::webhook
