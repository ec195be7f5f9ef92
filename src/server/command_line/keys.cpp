#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/http/api/api_key_codec.hpp"
#include "adapters/system/api_key_secrets.hpp"
#include "adapters/system/ids.hpp"
#include "adapters/system/json_log.hpp"
#include "application/create_api_key.hpp"
#include "application/refusal.hpp"
#include "application/revoke_api_key.hpp"
#include "base/json_writer.hpp"
#include "domain/time/text.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/nouns.hpp"
#include "server/command_line/settings_flags.hpp"
#include "server/database.hpp"
#include "server/end_at_once.hpp"
#include "server/version.hpp"

namespace sundial::server {
namespace {

constexpr int not_found = 3;

struct KeyFlags {
    SettingsFlags settings{};
    std::string name{};
    std::string role = "READ";
    std::string expires_at{};
    std::string id{};
    bool json = false;
};

Caller command_line() { return {"", "command line"}; }
std::vector<Role> no_other_keys() { return {}; }

/// Works on the database itself: so the first key can be made before anything is served.
template <class Work>
int with_store(const KeyFlags& flags, Work work) {
    const Settings settings = load(flags.settings).settings;
    system::LogSettings quiet;
    quiet.level = base::LogLevel::warn;
    quiet.version = product_version();
    system::JsonLog log(quiet);
    const auto database = open_database(settings, false, log, end_at_once(log), {});
    return work(database->store());
}

/// Says what is wrong, as usage errors are said.
int refuse(const Error& error) {
    if (const auto* invalid = std::get_if<ValidationFailed>(&error)) {
        for (const FieldError& field : invalid->errors) {
            std::cerr << "sundial: " << field.message << '\n';
        }
        return usage;
    }
    if (const auto* missing = std::get_if<NotFound>(&error)) {
        std::cerr << "sundial: there is no API key '" << missing->id << "'\n";
        return not_found;
    }
    std::cerr << "sundial: " << refusal_of(error).detail << '\n';
    return failure;
}

std::string optional_time(const std::optional<Instant>& instant) {
    return instant ? format_instant(*instant) : "never";
}

int create(const KeyFlags& flags) {
    NewApiKey wanted{.name = flags.name, .role = parse_role(flags.role).value_or(Role::read)};
    if (!flags.expires_at.empty()) {
        const auto instant = parse_instant(flags.expires_at);
        if (!instant) {
            return refuse(
                invalid("/expiresAt", "bad_format", "--expires-at: " + instant.error().message));
        }
        wanted.expires_at = instant->instant;
    }
    return with_store(flags, [&](Store& store) -> int {
        system::SystemApiKeySecrets secrets;
        system::SystemIds ids;
        const auto made = CreateApiKey(store, secrets, ids, no_other_keys).run(wanted, command_line());
        if (!made) return refuse(made.error());
        if (flags.json) {
            std::cout << http::api_key_json(made->key, made->text) << '\n';
            return ok;
        }
        std::cout << made->text << '\n';
        std::cerr << "That is the key, shown this once: send it as Authorization: Bearer …\n";
        return ok;
    });
}

int list(const KeyFlags& flags) {
    return with_store(flags, [&](Store& store) -> int {
        const auto keys = in_read(store, [](Transaction& tx) { return tx.api_keys().all(); });
        base::JsonWriter json;
        json.begin_object().key("data").begin_array();
        for (const ApiKey& key : keys) {
            if (flags.json) {
                json.raw(http::api_key_json(key));
                continue;
            }
            std::cout << handle_of(key.id) << "  " << to_string(key.role) << "  " << key.name
                      << "  expires " << optional_time(key.expires_at) << ", last used "
                      << optional_time(key.last_used_at) << '\n';
        }
        json.end_array().member("hasMore", false).key("nextCursor").null().end_object();
        if (flags.json) std::cout << json.text() << '\n';
        return ok;
    });
}

int revoke(const KeyFlags& flags) {
    return with_store(flags, [&](Store& store) -> int {
        system::SystemIds ids;
        const auto done = RevokeApiKey(store, ids, no_other_keys).run(flags.id, command_line());
        if (!done) return refuse(done.error());
        std::cerr << "revoked; running servers refuse it within five seconds\n";
        return ok;
    });
}

}  // namespace

void add_key_commands(CommandTree& tree) {
    const auto flags = std::make_shared<KeyFlags>();
    CLI::App& key = tree.noun("key", "who may use the API; works on the database itself");
    CLI::App& create_command = tree.verb(key, "create", "make a key and print it, this once",
                                         [flags] { return create(*flags); });
    add_settings_flags(create_command, flags->settings);
    create_command.add_option("--name", flags->name, "by which people know it")->required();
    create_command.add_option("--role", flags->role, "READ, WRITE or ADMIN")
        ->check(CLI::IsMember({"READ", "WRITE", "ADMIN"}))
        ->capture_default_str();
    create_command.add_option("--expires-at", flags->expires_at,
                              "an instant, such as 2027-01-01T00:00:00Z");
    create_command.add_flag("--json", flags->json, "one JSON object");

    CLI::App& list_command = tree.verb(key, "list", "every key, by its ten characters",
                                       [flags] { return list(*flags); });
    add_settings_flags(list_command, flags->settings);
    list_command.add_flag("--json", flags->json, "one JSON object");

    CLI::App& revoke_command =
        tree.verb(key, "revoke", "take a key away", [flags] { return revoke(*flags); });
    add_settings_flags(revoke_command, flags->settings);
    revoke_command.add_option("id", flags->id, "its ten characters after sundial_sk_, or its id")
        ->required();
}

}  // namespace sundial::server
