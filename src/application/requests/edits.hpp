#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/error.hpp"

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
[[nodiscard]] inline std::map<std::string, std::string> edited(
    std::map<std::string, std::string> texts, const TextsEdit& edit) {
    if (edit.clear) texts.clear();
    for (const auto& [name, value] : edit.members) {
        if (value) {
            texts.insert_or_assign(name, *value);
        } else {
            texts.erase(name);
        }
    }
    return texts;
}

/// The error for a caller that requires version `expected` of a row at version `actual`. Empty if
/// they are equal or no version is required.
[[nodiscard]] inline std::optional<OptimisticLock> refuse_version(Noun noun,
                                                                  std::string_view reference,
                                                                  std::optional<Version> expected,
                                                                  Version actual) {
    if (!expected || *expected == actual) return std::nullopt;
    return OptimisticLock{noun, std::string{reference}, *expected, actual};
}

}  // namespace sundial
