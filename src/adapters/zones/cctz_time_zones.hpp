#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>

#include "application/ports/time_zones.hpp"

namespace sundial::zones {

struct TzDatabase;

/// Where the package tzdata installs the compiled database.
inline constexpr std::string_view system_directory = "/usr/share/zoneinfo";

/// The tz database of a directory, evaluated by cctz. Thread-safe.
class CctzTimeZones final : public TimeZones {
public:
    /// Throws CannotStart if `directory` contains no database.
    explicit CctzTimeZones(std::filesystem::path directory = system_directory);
    ~CctzTimeZones() override;

    /// Its `find` throws Corrupt if the zone's file was damaged when it was loaded.
    [[nodiscard]] std::shared_ptr<const TzData> current() const override;
    /// Never a database that is damaged, half copied, or lacks zones of the current one.
    [[nodiscard]] std::shared_ptr<const TzData> at_source() const override;
    /// Makes `data`, a result of `at_source`, the current database.
    void replace(std::shared_ptr<const TzData> data);

private:
    class Loaded;
    [[nodiscard]] std::shared_ptr<const Loaded> loaded() const;
    [[nodiscard]] std::shared_ptr<const Loaded> seen(TzDatabase found) const;

    const std::filesystem::path directory_;
    mutable std::mutex mutex_;
    std::shared_ptr<const Loaded> current_;
    mutable std::shared_ptr<const Loaded> seen_;  // the last database read from the directory
};

}  // namespace sundial::zones
