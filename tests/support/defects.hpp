#pragma once

#include <string>
#include <vector>

#include "domain/error.hpp"

namespace sundial {

/// "/firstName required": the part of field errors that tests compare. The texts are for people.
[[nodiscard]] inline std::vector<std::string> brief(const std::vector<FieldError>& defects) {
    std::vector<std::string> texts;
    for (const auto& defect : defects) texts.push_back(defect.pointer + " " + defect.code);
    return texts;
}

}  // namespace sundial
