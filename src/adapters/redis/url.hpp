#pragma once

#include <string>
#include <string_view>

namespace sundial::redis {

struct Address {
    std::string host;
    int port = 6379;
    std::string user{};      // empty: the default user
    std::string password{};  // empty: no authentication
    int database = 0;
};

/// `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`; user and password percent-encoded, an IPv6
/// host in brackets. Throws CannotStart, without showing the password.
[[nodiscard]] Address parse_url(std::string_view url);

}  // namespace sundial::redis
