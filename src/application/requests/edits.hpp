#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sundial {

/// A wish to change a value that may be absent: no wish (outer empty), remove it (inner empty), or
/// the new one. JSON merge patch in C++.
template <class T>
using Edit = std::optional<std::optional<T>>;

/// A change of named texts, as a merge patch says it: members are set, or removed where the value
/// is empty; all others stay, unless `clear` took them away first.
struct TextsEdit {
    bool clear = false;
    std::vector<std::pair<std::string, std::optional<std::string>>> members;
};

/// `texts` after the edit.
[[nodiscard]] std::map<std::string, std::string> edited(std::map<std::string, std::string> texts,
                                                        const TextsEdit& edit);

}  // namespace sundial
