#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/message.hpp"

/// The cookie of a browser that has logged in. `__Host-` makes browsers keep it to this host, for
/// requests over TLS (or to this machine) and for the whole host; SameSite=Strict lets no other
/// site send it, HttpOnly lets no script read it.
namespace sundial::http {

inline constexpr std::string_view session_cookie = "__Host-sundial";
/// The header in which a page sends the token that the login returned, with each change.
inline constexpr std::string_view csrf_header = "Sundial-CSRF";

/// The token in the cookie; empty if there is none, or more than one.
[[nodiscard]] std::optional<std::string_view> session_token(const Headers& headers);
/// Set-Cookie for a token; an empty one makes the browser forget it.
[[nodiscard]] std::string set_session_cookie(std::string_view token, std::chrono::seconds lifetime);

}  // namespace sundial::http
