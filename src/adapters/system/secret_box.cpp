#include "adapters/system/secret_box.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "adapters/system/crypto.hpp"
#include "application/ports/failures.hpp"
#include "base/base64.hpp"

namespace sundial::system {
namespace {

constexpr std::string_view prefix = "whsec_";
constexpr std::size_t key_id_size = 8;

}  // namespace

SecretBox::SecretBox(std::optional<std::string> key) : key_(std::move(key)) {
    if (key_) key_id_ = base::to_base64(sha256(*key_)).substr(0, key_id_size);
}

Result<NewSecret> SecretBox::seal(const std::optional<std::string>& given) {
    if (!key_) {
        return invalid(
            "/secret", "not_allowed",
            "secrets cannot be kept without an encryption key: set security.encryption_key to 32 "
            "random bytes in base64 (openssl rand -base64 32)");
    }
    std::string bytes;
    if (given) {
        const auto decoded = given->starts_with(prefix)
                                 ? base::from_base64(std::string_view(*given).substr(prefix.size()))
                                 : std::nullopt;
        if (!decoded || decoded->size() < 24 || decoded->size() > 64) {
            return invalid("/secret", "bad_format",
                           "a secret is 'whsec_' and the base64 of 24 to 64 bytes");
        }
        bytes = *decoded;
    } else {
        bytes = random_bytes(32);
    }
    const std::string shown = std::string(prefix) + base::to_base64(bytes);
    const auto last = shown.find_last_not_of('=');
    return NewSecret{.shown = shown,
                     .sealed = key_id_ + "." + base::to_base64(encrypt(*key_, bytes)),
                     .hint = std::string(prefix) + "…" + shown.substr(last - 2, 3)};
}

std::string SecretBox::open(const std::string& sealed) {
    const auto ciphertext =
        sealed.size() > key_id_size && sealed[key_id_size] == '.'
            ? base::from_base64(std::string_view(sealed).substr(key_id_size + 1))
            : std::nullopt;
    if (!ciphertext)
        throw Corrupt("a stored secret is not in the form in which secrets are stored");
    if (!key_ || !sealed.starts_with(key_id_)) {
        throw Corrupt(
            "a secret was sealed under another encryption key; set security.encryption_key to that "
            "key");
    }
    try {
        return decrypt(*key_, *ciphertext);
    } catch (const std::invalid_argument& error) {
        throw Corrupt(std::string("a stored secret cannot be opened: ") + error.what());
    }
}

std::string parse_encryption_key(std::string_view text, std::string_view setting) {
    const auto end = text.find_last_not_of(" \t\r\n");
    auto key = base::from_base64(text.substr(0, end == std::string_view::npos ? 0 : end + 1));
    if (!key || key->size() != 32) {
        throw CannotStart(
            std::string(setting) +
            " is not a key: it takes 32 bytes in base64, as 'openssl rand -base64 32' prints them");
    }
    return *std::move(key);
}

std::string key_from_file(const std::filesystem::path& file) {
    const std::string text = base::to_base64(random_bytes(32)) + "\n";
    const int made =
        ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (made >= 0) {
        const bool written =
            ::write(made, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
            ::fsync(made) == 0;
        ::close(made);
        if (!written)
            throw CannotStart("cannot write the key file " + file.string() + ": " +
                              std::strerror(errno));
        return parse_encryption_key(text, file.string());
    }
    if (errno != EEXIST)
        throw CannotStart("cannot make the key file " + file.string() + ": " +
                          std::strerror(errno));
    std::ostringstream content;
    content << std::ifstream(file).rdbuf();
    return parse_encryption_key(content.str(), "the key file " + file.string());
}

}  // namespace sundial::system
