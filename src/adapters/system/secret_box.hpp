#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "application/ports/secrets.hpp"

namespace sundial::system {

/// Signing secrets under one key of 32 bytes, whose id is kept with each so that another key is
/// noticed.
class SecretBox final : public Secrets {
public:
    /// Without a key nothing can be sealed: `seal` answers a ValidationFailed that says which
    /// setting is missing.
    explicit SecretBox(std::optional<std::string> key);

    Result<NewSecret> seal(const std::optional<std::string>& given) override;
    std::string open(const std::string& sealed) override;

private:
    std::optional<std::string> key_;
    std::string key_id_;
};

/// The 32 bytes that `text` (base64) holds. Throws CannotStart, naming `setting`, if it is anything
/// else.
[[nodiscard]] std::string parse_encryption_key(std::string_view text, std::string_view setting);
/// The key in `file`, made there (mode 0600) if the file is absent. Throws CannotStart.
[[nodiscard]] std::string key_from_file(const std::filesystem::path& file);

}  // namespace sundial::system
