#include "domain/calendar.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace sundial {
namespace {

constexpr std::string_view token_prefix = "sundial_cal_";
constexpr std::size_t token_secret_size = 43;

bool is_base64url(char c) {
    return base::is_digit(c) || base::is_lower(c) || base::is_upper(c) || c == '-' || c == '_';
}

}  // namespace

std::string calendar_token(std::string_view secret) {
    return std::string(token_prefix) + std::string(secret);
}

std::optional<std::string> secret_of_calendar_token(std::string_view text) {
    if (!text.starts_with(token_prefix)) return std::nullopt;
    text.remove_prefix(token_prefix.size());
    if (text.size() != token_secret_size || !std::ranges::all_of(text, is_base64url))
        return std::nullopt;
    return std::string(text);
}

}  // namespace sundial
