#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/settings.hpp"

namespace sundial::server {

/// The values that a key accepts, for the error message. Empty: the text was accepted.
using SettingError = std::optional<std::string>;

/// One key: its help, and how its text is read into the settings and shown.
struct SettingRow {
    std::string_view name;
    std::string_view help;
    std::function<SettingError(Settings&, std::string_view)> take;
    std::function<std::string(const Settings&)> show;
    bool secret = false;
};

/// All keys with their types and bounds, in the order in which they are shown.
[[nodiscard]] const std::vector<SettingRow>& setting_table();

}  // namespace sundial::server
