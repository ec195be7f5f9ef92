#include "adapters/postgres/hash.hpp"

#include <openssl/evp.h>

#include <array>

#include "base/check.hpp"

namespace sundial::postgres {

std::uint8_t last_byte_of_sha256(std::string_view bytes) {
    constexpr std::size_t size = 32;
    std::array<unsigned char, size> digest{};
    unsigned int written = 0;
    base::check(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &written, EVP_sha256(),
                           nullptr) == 1);
    base::check(written == size);
    return digest.back();
}

}  // namespace sundial::postgres
