#pragma once

#include <map>
#include <string>
#include <string_view>

namespace sundial::sqs {

/// The settings of one profile, by name.
using Profile = std::map<std::string, std::string>;
/// The profiles of ~/.aws/credentials or ~/.aws/config, by name. In the latter their sections are
/// [default] and [profile NAME]; other sections are left out. Settings that are nested below
/// another one are left out, too. A file that cannot be read has none.
[[nodiscard]] std::map<std::string, Profile> read_profiles(std::string_view text);

}  // namespace sundial::sqs
