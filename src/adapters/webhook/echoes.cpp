#include "adapters/webhook/echoes.hpp"

#include <algorithm>
#include <string_view>

namespace sundial::webhook {
namespace {

constexpr std::size_t least = 8;

/// Overwrites: a replacement could make the text longer than its bound.
void hide(std::string& body, std::string_view secret) {
    if (secret.size() < least) return;
    for (auto at = body.find(secret); at != std::string::npos; at = body.find(secret, at)) {
        std::fill_n(body.begin() + static_cast<std::ptrdiff_t>(at), secret.size(), '*');
    }
    for (std::size_t size = std::min(secret.size() - 1, body.size()); size >= least; --size) {
        if (!body.ends_with(secret.substr(0, size))) continue;
        std::fill_n(body.end() - static_cast<std::ptrdiff_t>(size), size, '*');
        return;
    }
}

}  // namespace

std::string without_echoes(std::string body, const HeaderList& sent) {
    for (const auto& [name, value] : sent) {
        const std::string_view text = value;
        const auto blank = text.find(' ');
        hide(body, text);
        if (blank != std::string_view::npos) hide(body, text.substr(blank + 1));
    }
    return body;
}

}  // namespace sundial::webhook
