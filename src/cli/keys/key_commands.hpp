#pragma once

#include <string>

#include "cli/commands.hpp"
#include "cli/http_client.hpp"

/// `sundial key …`. The show functions print an answer of the API, whether a server gave it or the
/// command produced it from the database.
namespace sundial::cli {

struct KeyToCreate {
    std::string name;
    std::string role;        // READ, WRITE or ADMIN
    std::string expires_at;  // RFC 3339; empty: never
};
[[nodiscard]] Answer create_key(const HttpClient& client, const KeyToCreate& requested);
/// All keys, collected from all pages.
[[nodiscard]] Answer list_keys(const HttpClient& client);
/// By its id or its ten characters.
[[nodiscard]] Answer revoke_key(const HttpClient& client, const std::string& id);

/// Prints the key, which is shown only now.
[[nodiscard]] int show_created_key(const Answer& answer, const Output& output);
/// A line each.
[[nodiscard]] int show_keys(const Answer& answer, const Output& output);
[[nodiscard]] int show_revoked_key(const Answer& answer, const Output& output);

}  // namespace sundial::cli
