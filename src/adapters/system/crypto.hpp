#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// The OpenSSL functions that this adapter uses. All throw std::runtime_error if OpenSSL fails.
namespace sundial::system {

/// For secrets: keeps no copy.
[[nodiscard]] std::string random_bytes(std::size_t count);
/// From a per-thread buffer: for ids, which are created in large numbers.
[[nodiscard]] std::uint64_t random_number();
/// 32 bytes each.
struct KeyPair {
    std::string private_key;
    std::string public_key;
};
[[nodiscard]] KeyPair new_ed25519_pair();
/// 32 bytes.
[[nodiscard]] std::string sha256(std::string_view bytes);
/// Compares texts of equal size in a time that is independent of where they differ.
[[nodiscard]] bool equal_in_constant_time(std::string_view a, std::string_view b);
/// AES-256-GCM: a fresh 12-byte nonce, the ciphertext, the 16-byte tag. `key` has 32 bytes.
[[nodiscard]] std::string encrypt(std::string_view key, std::string_view plain);
/// The plain text that `encrypt` received. Throws std::invalid_argument if `sealed` was modified or
/// made with another key.
[[nodiscard]] std::string decrypt(std::string_view key, std::string_view sealed);

}  // namespace sundial::system
