#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/client/json_view.hpp"
#include "adapters/client/wire.hpp"
#include "base/json.hpp"
#include "sundial/remote.hpp"

namespace sundial {
namespace {

using client::JsonView;

User user_from(const JsonView& json) {
    User user{.id = json.text_of("id"),
              .first_name = json.text_of("firstName"),
              .last_name = json.text_of("lastName"),
              .date_of_birth = json.text_of("dateOfBirth"),
              .timezone = json.text_of("timezone"),
              .external_id = json.text_of("externalId"),
              .version = json.number_of("version")};
    user.dates = client::texts_of(json, "dates");
    user.metadata = client::texts_of(json, "metadata");
    return user;
}

Result<User> user_of(const Result<ClientAnswer>& answer, const client::Asked& asked) {
    const auto json = client::object_of(answer);
    if (!json) return client::completed(json.error(), asked);
    if (json->text_of("id").empty()) {
        return Error{"HTTP_ERROR", "the server's answer is not a user", {}};
    }
    return user_from(*json);
}

std::string path_of_user(const std::string& id) { return "/v1/users/" + client::encoded(id); }

void add_texts(base::JsonWriter& json, std::string_view name,
               const std::map<std::string, std::string>& texts) {
    if (texts.empty()) return;
    json.key(name).begin_object();
    for (const auto& [key, text] : texts) json.member(key, std::string_view{text});
    json.end_object();
}

/// null removes a text.
void add_edits(base::JsonWriter& json, std::string_view name,
               const std::map<std::string, std::optional<std::string>>& edits) {
    if (edits.empty()) return;
    json.key(name).begin_object();
    for (const auto& [key, text] : edits) client::add_or_null(json, key, text);
    json.end_object();
}

}  // namespace

Result<User> RemoteUsers::create(const NewUser& user, const std::string& request_key) const {
    base::JsonWriter json;
    json.begin_object();
    json.member("firstName", std::string_view{user.first_name});
    json.member("lastName", std::string_view{user.last_name});
    json.member("dateOfBirth", std::string_view{user.date_of_birth});
    json.member("timezone", std::string_view{user.timezone});
    client::add_text(json, "externalId", user.external_id);
    add_texts(json, "dates", user.dates);
    add_texts(json, "metadata", user.metadata);
    json.end_object();
    return user_of(client_.call({.method = "POST",
                                 .path = "/v1/users",
                                 .body = json.text(),
                                 .idempotency_key = request_key}),
                   {.id = user.external_id});
}

Result<User> RemoteUsers::get(const std::string& id) const {
    return user_of(client_.call({.path = path_of_user(id)}), {.id = id, .user = id});
}

Result<UserPage> RemoteUsers::list(const UserFilter& filter, const PageOptions& page) const {
    client::QueryText query;
    query.add_list("timezone", filter.timezones).add("q", filter.prefix);
    query.add_page(page, "createdAt");
    const auto answer = client_.call({.path = "/v1/users" + query.text()});
    const auto list = client::page_of(answer, {});
    if (!list) return list.error();
    UserPage found{.users = {}, .next = list->next};
    list->items.for_each([&](const JsonView& one) { found.users.push_back(user_from(one)); });
    return found;
}

Result<User> RemoteUsers::update(const std::string& id, const UserChange& change,
                                 std::uint64_t version) const {
    base::JsonWriter json;
    json.begin_object();
    const auto add = [&json](std::string_view name, const std::optional<std::string>& text) {
        if (text) json.member(name, std::string_view{*text});
    };
    add("firstName", change.first_name);
    add("lastName", change.last_name);
    add("dateOfBirth", change.date_of_birth);
    add("timezone", change.timezone);
    if (change.external_id && change.external_id->empty()) {
        json.key("externalId").null();
    } else {
        add("externalId", change.external_id);
    }
    add_edits(json, "dates", change.dates);
    add_edits(json, "metadata", change.metadata);
    json.end_object();
    return user_of(client_.call({.method = "PATCH",
                                 .path = path_of_user(id),
                                 .body = json.text(),
                                 .if_match = client::if_match_of(version)}),
                   {.id = id, .user = id});
}

Result<Done> RemoteUsers::remove(const std::string& id, std::uint64_t version) const {
    const auto answer = client_.call(
        {.method = "DELETE", .path = path_of_user(id), .if_match = client::if_match_of(version)});
    if (!answer) return client::completed(answer.error(), {.id = id, .user = id});
    return Done{};
}

}  // namespace sundial
