#include "adapters/http/api/api_key_codec.hpp"

#include "adapters/http/api/json_members.hpp"
#include "base/json_writer.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

std::optional<std::string> millis(const std::optional<Instant>& instant) {
    return instant ? std::optional(format_instant_millis(*instant)) : std::nullopt;
}

}  // namespace

Result<NewApiKey> new_api_key(const JsonBody& body) {
    const Members members(body);
    NewApiKey wanted{.name = members.text("name").value_or(""),
                     .role = parse_role(members.text("role").value_or("")).value_or(Role::read)};
    if (const auto text = members.edit("expiresAt").value_or(std::nullopt)) {
        const auto instant = parse_instant(*text);
        if (!instant) return invalid("/expiresAt", "bad_format", instant.error().message);
        wanted.expires_at = instant->instant;
    }
    return wanted;
}

std::string api_key_json(const ApiKey& key, const std::string& text) {
    base::JsonWriter json;
    json.begin_object()
        .member("id", to_string(key.id))
        .member("name", key.name)
        .member("role", to_string(key.role));
    json.member("purpose", "API").member("prefix", "sundial_sk_" + handle_of(key.id));
    if (!text.empty()) json.member("key", text);
    json.member("expiresAt", millis(key.expires_at));
    json.member("lastUsedAt", millis(key.last_used_at));
    json.member("version", key.version.value);
    json.member("createdAt", format_instant_millis(key.created_at));
    return std::move(json.end_object()).text();
}

}  // namespace sundial::http
