#include "application/requests/edits.hpp"

#include <algorithm>

namespace sundial {

std::map<std::string, std::string> edited(std::map<std::string, std::string> texts,
                                          const TextsEdit& edit) {
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

std::vector<std::pair<std::string, std::string>> edited(
    std::vector<std::pair<std::string, std::string>> texts, const TextsEdit& edit) {
    if (edit.clear) texts.clear();
    for (const auto& [name, value] : edit.members) {
        const auto of_name = [&](const auto& text) { return text.first == name; };
        const auto old = std::ranges::find_if(texts, of_name);
        if (!value) {
            std::erase_if(texts, of_name);
        } else if (old != texts.end()) {
            old->second = *value;
        } else {
            texts.emplace_back(name, *value);
        }
    }
    return texts;
}

}  // namespace sundial
