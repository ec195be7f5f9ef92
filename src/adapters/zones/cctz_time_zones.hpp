#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "application/ports/time_zones.hpp"

namespace sundial::zones {

/// Where the package tzdata installs the compiled database.
inline constexpr std::string_view system_directory = "/usr/share/zoneinfo";

/// The tz database of one directory as it was at construction, evaluated by cctz. Thread-safe.
class CctzTimeZones final : public TimeZones {
public:
    /// Throws CannotStart when `directory` holds no database.
    explicit CctzTimeZones(const std::filesystem::path& directory = system_directory);
    ~CctzTimeZones() override;

    /// Throws Corrupt when the zone's file is damaged.
    [[nodiscard]] TimeResult<std::shared_ptr<const Zone>> find(std::string_view id) const override;
    [[nodiscard]] std::span<const std::string> names() const override;
    [[nodiscard]] std::string release() const override;

private:
    struct Loaded;
    std::unique_ptr<const Loaded> loaded_;
};

}  // namespace sundial::zones
