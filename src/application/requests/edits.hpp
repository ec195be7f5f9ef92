#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sundial {

/// A change of a value that may be absent: no change (outer empty), remove it (inner empty), or the
/// new value. JSON merge patch in C++.
template <class T>
using Edit = std::optional<std::optional<T>>;

/// A merge patch of named texts. Members are set, or removed if the value is empty. All others
/// stay, unless `clear` removed them first.
struct TextsEdit {
    bool clear = false;
    std::vector<std::pair<std::string, std::optional<std::string>>> members;
};

/// `texts` after the edit.
[[nodiscard]] std::map<std::string, std::string> edited(std::map<std::string, std::string> texts,
                                                        const TextsEdit& edit);

}  // namespace sundial
