#include "domain/api_key.hpp"

#include <algorithm>

#include "domain/enum_names.hpp"

namespace sundial {
namespace {

constexpr EnumNames<3> role_names{"READ", "WRITE", "ADMIN"};

constexpr std::string_view prefix = "sundial_sk_";
constexpr std::size_t handle_size = 10;
constexpr std::size_t secret_size = 43;
constexpr std::size_t checksum_size = 6;

constexpr std::string_view base32 = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::string_view base62 =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view base64url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// CRC-32 as in Ethernet and gzip (ISO-HDLC: reflected, 0xEDB88320).
std::uint32_t crc32(std::string_view text) {
    std::uint32_t crc = 0xFFFFFFFF;
    for (const char c : text) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

std::string checksum_of(std::string_view text) {
    std::string digits(checksum_size, '0');  // 62^6 > 2^32
    std::uint32_t rest = crc32(text);
    for (std::size_t i = checksum_size; i-- > 0; rest /= 62) digits[i] = base62[rest % 62];
    return digits;
}

bool all_of_alphabet(std::string_view text, std::string_view alphabet) {
    return text.find_first_not_of(alphabet) == std::string_view::npos;
}

}  // namespace

std::string_view to_string(Role role) { return name_in(role_names, role); }
std::optional<Role> parse_role(std::string_view text) { return find_in<Role>(role_names, text); }

bool expired(const ApiKey& key, Instant now) { return key.expires_at && *key.expires_at <= now; }

std::string handle_of(const ApiKeyId& id) {
    std::uint64_t bits = 0;
    for (const std::uint8_t byte : id.value.bytes) bits = bits << 8 | byte;  // keeps the last 64
    std::string handle(handle_size, '0');
    for (std::size_t i = handle_size; i-- > 0; bits >>= 5) handle[i] = base32[bits & 31];
    return handle;
}

std::string to_string(const KeyText& key) {
    std::string text = std::string(prefix) + key.handle + '_' + key.secret;
    text += checksum_of(text);
    return text;
}

std::optional<KeyText> parse_key_text(std::string_view text) {
    const std::size_t checked = prefix.size() + handle_size + 1 + secret_size;
    if (text.size() != checked + checksum_size || !text.starts_with(prefix)) return std::nullopt;
    const std::string_view handle = text.substr(prefix.size(), handle_size);
    const std::string_view secret = text.substr(checked - secret_size, secret_size);
    const bool well_formed = all_of_alphabet(handle, base32) &&
                             text[prefix.size() + handle_size] == '_' &&
                             all_of_alphabet(secret, base64url);
    if (!well_formed || checksum_of(text.substr(0, checked)) != text.substr(checked)) {
        return std::nullopt;
    }
    return KeyText{std::string(handle), std::string(secret)};
}

namespace {

bool is_admin(const ApiKey& key) { return key.role == Role::admin; }

/// Whether an ADMIN key other than `except` satisfies `condition`. An ADMIN key in the operator's
/// file always does.
template <class Condition>
bool has_admin(const KnownKeys& known, const ApiKey& except, Condition condition) {
    if (std::ranges::find(known.fixed, Role::admin) != known.fixed.end()) return true;
    return std::ranges::any_of(known.kept, [&](const ApiKey& key) {
        return key.id != except.id && is_admin(key) && condition(key);
    });
}

bool has_lasting_admin(const KnownKeys& known, const ApiKey& except) {
    return has_admin(known, except, [](const ApiKey& key) { return !key.expires_at; });
}

bool has_valid_admin(const KnownKeys& known, const ApiKey& except, Instant now) {
    return has_admin(known, except, [now](const ApiKey& key) { return !expired(key, now); });
}

}  // namespace

Result<void, FirstKeyNotAdmin, LastAdminKey> may_add(const ApiKey& requested,
                                                     const KnownKeys& known, Instant now) {
    if (!is_admin(requested)) {
        if (has_valid_admin(known, requested, now)) return {};
        return FirstKeyNotAdmin{};
    }
    if (!requested.expires_at || has_lasting_admin(known, requested)) return {};
    return LastAdminKey{LastAdminKey::Refused::expiry};
}

Result<void, LastAdminKey> may_remove(const ApiKey& key, const KnownKeys& known, Instant now) {
    const bool only_key = known.kept.size() == 1 && known.fixed.empty();
    if (!is_admin(key) || expired(key, now) || only_key) return {};
    // In databases of earlier releases all ADMIN keys may have an expiry.
    const bool another_stays =
        key.expires_at ? has_valid_admin(known, key, now) : has_lasting_admin(known, key);
    if (another_stays) return {};
    return LastAdminKey{LastAdminKey::Refused::revocation};
}

}  // namespace sundial
