#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/system/ids.hpp"
#include "adapters/system/json_log.hpp"
#include "adapters/system/secrets.hpp"
#include "application/access/api_keys.hpp"
#include "base/json.hpp"
#include "cli/commands.hpp"
#include "domain/time/text.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"
#include "server/database.hpp"
#include "server/secret_files.hpp"
#include "server/shutdown.hpp"

namespace sundial::server {
namespace {

/// The flags of one command.
struct KeyFlags {
    SettingsFlags settings{};
    ClientFlags client{};
    cli::KeyToCreate key{.name = {}, .role = "READ", .expires_at = {}};
    std::string id{};
    bool csv = false;
    bool dry_run = false;
    bool yes = false;  // does not ask for confirmation
    const CLI::App* command = nullptr;
};

Caller command_line() { return {"", "command line"}; }

/// Whether to open the database instead of asking a server. Throws a usage error for flags of both,
/// and for flags that would have no effect.
bool means_database(const KeyFlags& flags) {
    const auto given = [&](const char* flag) { return on_command_line(*flags.command, flag); };
    const bool database = given("--db") || given("--storage.url");
    for (const char* const flag : {"--server", "--api-key"}) {
        if (database && given(flag)) {
            throw CLI::ValidationError(
                flag, "is for a server, and --db opens the database; give only one of them");
        }
    }
    const bool of_database = given("--config") || !flags.settings.settings.empty();
    if (!database && of_database) {
        throw CLI::ValidationError("--config and settings",
                                   "need --db FILE|URL: without it the command asks a server");
    }
    return database;
}

cli::Answer answer_of(const http::Response& response) { return {response.status, response.body}; }

/// The problem that the API would answer.
cli::Answer refusal(const Error& error) {
    return answer_of(http::to_response(http::problem_of(error), http::Request{}));
}

/// Opens the database, so that the first key can exist before a server starts.
template <class Work>
cli::Answer in_database(const KeyFlags& flags, Work work) {
    const Settings settings = load(flags.settings).settings;
    system::JsonLog log(problems_only());
    const auto database = open_database(settings, false, log, end_at_once(log), {});
    std::vector<Role> fixed_roles;
    if (!settings.security.api_keys_file.empty()) {
        for (const FixedKey& key :
             read_api_keys_file(settings.security.api_keys_file, system::SystemApiKeySecrets{})) {
            fixed_roles.push_back(key.role);
        }
    }
    return work(database->store(), [fixed_roles] { return fixed_roles; });
}

/// Throws a usage error if it is not an instant.
std::optional<Instant> expiry(const KeyFlags& flags) {
    if (flags.key.expires_at.empty()) return std::nullopt;
    const auto instant = parse_instant(flags.key.expires_at);
    if (!instant) throw CLI::ValidationError("--expires-at", instant.error().message);
    return instant->instant;
}

cli::Answer create_in_database(const KeyFlags& flags) {
    const NewApiKey requested{.name = flags.key.name,
                              .role = parse_role(flags.key.role).value_or(Role::read),
                              .expires_at = expiry(flags)};
    return in_database(flags, [&](Store& store, auto fixed_roles) {
        system::SystemApiKeySecrets secrets;
        system::SystemIds ids;
        const auto made =
            CreateApiKey(store, secrets, ids, fixed_roles).run(requested, command_line());
        if (!made) return refusal(made.error());
        return answer_of(http::json(201, http::api_key_json(made->key, made->text)));
    });
}

cli::Answer list_in_database(const KeyFlags& flags) {
    return in_database(flags, [](Store& store, const auto& /*fixed_roles*/) {
        const auto keys = in_read(store, [](Transaction& tx) { return tx.api_keys().all(); });
        base::JsonWriter json;
        json.begin_object().key("data").begin_array();
        for (const ApiKey& key : keys) json.raw(http::api_key_json(key));
        json.end_array().member("hasMore", false).key("nextCursor").null().end_object();
        return answer_of(http::json(200, std::move(json).text()));
    });
}

cli::Answer revoke_in_database(const KeyFlags& flags) {
    return in_database(flags, [&](Store& store, auto fixed_roles) {
        system::SystemIds ids;
        const auto done = RevokeApiKey(store, ids, fixed_roles).run(flags.id, command_line());
        return done ? answer_of(http::no_content()) : refusal(done.error());
    });
}

int create(const KeyFlags& flags) {
    (void)expiry(flags);  // report a typing error without asking a server
    if (flags.dry_run) {
        const std::string expires =
            flags.key.expires_at.empty() ? "never expires" : "expires " + flags.key.expires_at;
        std::cout << "would create the key '" << flags.key.name << "' with the role "
                  << flags.key.role << ", which " << expires << '\n';
        return ok;
    }
    const auto answer = means_database(flags) ? create_in_database(flags)
                                              : cli::create_key(client(flags.client), flags.key);
    return cli::show_created_key(answer, output(flags.client));
}

int list(const KeyFlags& flags) {
    const auto answer =
        means_database(flags) ? list_in_database(flags) : cli::list_keys(client(flags.client));
    return cli::show_keys(answer, flags.csv, output(flags.client));
}

/// The key's line in the list of keys; or the answer that has none.
int show_key_to_revoke(const KeyFlags& flags) {
    const auto answer =
        means_database(flags) ? list_in_database(flags) : cli::list_keys(client(flags.client));
    return cli::show_key(answer, flags.id, {std::cerr, std::cerr, false});
}

int revoke(const KeyFlags& flags) {
    if (flags.dry_run || (!flags.yes && person().there)) {
        if (const int code = show_key_to_revoke(flags); code != 0) return code;
    }
    if (flags.dry_run) {
        std::cout << "would revoke this key\n";
        return ok;
    }
    if (!flags.yes) {
        const auto refused = cli::refuse_unconfirmed("revoke the key " + flags.id, person(),
                                                     "give -y", output(flags.client));
        if (refused) return *refused;
    }
    const auto answer = means_database(flags) ? revoke_in_database(flags)
                                              : cli::revoke_key(client(flags.client), flags.id);
    return cli::show_revoked_key(answer, output(flags.client));
}

/// A verb with flags of its own.
std::pair<CLI::App&, KeyFlags&> add_verb(CommandTree& tree, CLI::App& key, const char* name,
                                         const char* help, const char* operation,
                                         int (*run)(const KeyFlags&)) {
    const auto flags = std::make_shared<KeyFlags>();
    CLI::App& command = tree.verb(key, name, help, [flags, run] { return run(*flags); });
    flags->command = &command;
    add_client_flags(command, flags->client);
    add_settings_flags(command, flags->settings);
    tree.performs(command, {operation});
    return {command, *flags};
}

}  // namespace

void add_key_commands(CommandTree& tree) {
    CLI::App& key = tree.noun("key");

    const auto [create_command, to_create] =
        add_verb(tree, key, "create", "create a key and print it once", "createApiKey", &create);
    create_command.add_option("--name", to_create.key.name, "name of the key, for people")
        ->required();
    create_command
        .add_option("--role", to_create.key.role,
                    "READ, WRITE or ADMIN; the first key must be ADMIN")
        ->check(CLI::IsMember({"READ", "WRITE", "ADMIN"}))
        ->capture_default_str();
    create_command.add_option("--expires-at", to_create.key.expires_at,
                              "an instant, such as 2027-01-01T00:00:00Z");

    create_command.add_flag("--dry-run", to_create.dry_run, "only show what would be created");

    const auto [list_command, to_list] = add_verb(
        tree, key, "list", "list all keys by their first ten characters", "listApiKeys", &list);
    list_command.add_flag("--csv", to_list.csv, "print CSV")->excludes("--json");

    const auto [revoke_command, to_revoke] =
        add_verb(tree, key, "revoke", "revoke a key", "revokeApiKey", &revoke);
    revoke_command
        .add_option("id", to_revoke.id, "the ten characters after sundial_sk_, or the id")
        ->required();
    revoke_command.add_flag("--dry-run", to_revoke.dry_run, "only show the key");
    revoke_command.add_flag("-y,--yes", to_revoke.yes, "do not ask for confirmation");
}

}  // namespace sundial::server
