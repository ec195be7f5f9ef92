#pragma once

#include <string>
#include <string_view>
#include <vector>

/// English of the descriptions of time rules.
namespace sundial {

using Words = std::vector<std::string>;

/// "1", "1 and 2", "1, 2 and 3", with `last` before the last item.
[[nodiscard]] std::string joined(const Words& items, std::string_view last = "and");

/// "1st", "22nd", "113th", for 1 and more.
[[nodiscard]] std::string ordinal(unsigned number);

}  // namespace sundial
