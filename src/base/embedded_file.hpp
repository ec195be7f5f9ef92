#pragma once

#include <string_view>

namespace sundial::base {

/// A file that the build embeds in the program: see cmake/SundialEmbed.cmake.
struct EmbeddedFile {
    std::string_view name;  // without folders
    std::string_view content;
};

}  // namespace sundial::base
