#include "adapters/http/session_cookie.hpp"

namespace sundial::http {

std::optional<std::string_view> session_token(const Headers& headers) {
    std::optional<std::string_view> token;
    for (const Parameter& field : headers.all()) {
        if (!same_ignoring_case(field.name, "Cookie")) continue;
        std::string_view rest = field.value;
        while (!rest.empty()) {
            const auto end = rest.find(';');
            std::string_view pair = rest.substr(0, end);
            rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
            while (pair.starts_with(' ')) pair.remove_prefix(1);
            if (!pair.starts_with(session_cookie)) continue;
            pair.remove_prefix(session_cookie.size());
            if (!pair.starts_with('=')) continue;
            if (token) return std::nullopt;
            token = pair.substr(1);
        }
    }
    return token;
}

std::string set_session_cookie(std::string_view token, std::chrono::seconds lifetime) {
    std::string field{session_cookie};
    field.append("=").append(token).append("; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=");
    return field + std::to_string(token.empty() ? 0 : lifetime.count());
}

}  // namespace sundial::http
