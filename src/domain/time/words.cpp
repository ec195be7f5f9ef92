#include "domain/time/words.hpp"

#include <array>

namespace sundial {

std::string joined(const Words& items, std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) text += i + 1 == items.size() ? " " + std::string(last) + " " : ", ";
        text += items[i];
    }
    return text;
}

std::string ordinal(unsigned number) {
    constexpr std::array<std::string_view, 4> endings{"th", "st", "nd", "rd"};
    const bool teen = number / 10 % 10 == 1;
    const unsigned last = teen ? 0 : number % 10;
    return std::to_string(number) + std::string(endings.at(last <= 3 ? last : 0));
}

}  // namespace sundial
