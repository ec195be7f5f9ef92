#pragma once

#include <string>
#include <vector>

#include "domain/error.hpp"

namespace sundial {

/// "/firstName required": what a test compares of field errors. Their texts are for people.
[[nodiscard]] inline std::vector<std::string> brief(const std::vector<FieldError>& defects) {
    std::vector<std::string> texts;
    for (const auto& defect : defects) texts.push_back(defect.pointer + " " + defect.code);
    return texts;
}

}  // namespace sundial
