#include "application/requests/edits.hpp"

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

}  // namespace sundial
