#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "cli/commands.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"

namespace sundial::server {
namespace {

struct EndpointFlags {
    ClientFlags client{};
    std::string id{};
    cli::EndpointChanges changes{};
    bool enable = false, disable = false;
    std::string file = "-";
    cli::EndpointRemoval removal{};
};

void add_endpoint_id(CLI::App& command, EndpointFlags& flags) {
    command.add_option("id", flags.id, "the endpoint; id or ext:…")->required();
}

void add_retry_waiting(CLI::App& command, EndpointFlags& flags) {
    command.add_flag("--retry-waiting", flags.changes.retry_waiting,
                     "also attempt now its events that wait for a retry");
}

int set_endpoint(EndpointFlags& flags) {
    if (flags.enable || flags.disable) flags.changes.enabled = flags.enable;
    const cli::EndpointChanges& changes = flags.changes;
    if (!changes.name && !changes.url && !changes.enabled && !changes.retry_waiting) {
        std::cerr << "sundial: say what to change: --name, --url, --enable, --disable or "
                     "--retry-waiting\n";
        return usage;
    }
    return cli::change_endpoint(client(flags.client), flags.id, changes, output(flags.client.json));
}

int put_endpoint(const EndpointFlags& flags) {
    std::ostringstream text;
    if (flags.file == "-") {
        text << std::cin.rdbuf();
    } else if (std::ifstream file(flags.file); file) {
        text << file.rdbuf();
    } else {
        std::cerr << "sundial: cannot read " << flags.file << '\n';
        return usage;
    }
    return cli::put_endpoint(client(flags.client), flags.id, text.str(), output(flags.client.json));
}

int delete_endpoint(const EndpointFlags& flags) {
    return cli::delete_endpoint(client(flags.client), flags.id, flags.removal,
                                {std::cin, ::isatty(STDIN_FILENO) == 1}, output(flags.client.json));
}

}  // namespace

void add_endpoint_commands(CommandTree& tree) {
    const auto flags = std::make_shared<EndpointFlags>();
    CLI::App& endpoint = tree.noun("endpoint", "where events go");

    CLI::App& list = tree.verb(endpoint, "list", "endpoints, with their circuits", [flags] {
        return cli::list_endpoints(client(flags->client), output(flags->client.json));
    });

    CLI::App& get = tree.verb(endpoint, "get", "one endpoint", [flags] {
        return cli::show_endpoint(client(flags->client), flags->id, output(flags->client.json));
    });
    add_endpoint_id(get, *flags);

    CLI::App& set =
        tree.verb(endpoint, "set", "change an endpoint", [flags] { return set_endpoint(*flags); });
    add_endpoint_id(set, *flags);
    set.add_option("--name", flags->changes.name, "its name");
    set.add_option("--url", flags->changes.url, "where its requests go");
    CLI::Option* const enable =
        set.add_flag("--enable", flags->enable, "send to it; its waiting events go there");
    set.add_flag("--disable", flags->disable, "send nothing; its events wait")->excludes(enable);
    add_retry_waiting(set, *flags);

    CLI::App& put = tree.verb(endpoint, "put", "create or replace an endpoint",
                              [flags] { return put_endpoint(*flags); });
    put.add_option("id", flags->id, "the endpoint; ext:…")->required();
    put.add_option("file", flags->file, "all its settings, a JSON object; -: standard input")
        ->capture_default_str();

    CLI::App& removed = tree.verb(endpoint, "delete", "delete an endpoint that is not used",
                                  [flags] { return delete_endpoint(*flags); });
    add_endpoint_id(removed, *flags);
    removed.add_flag("--cancel-events", flags->removal.cancel_events,
                     "also cancel its events; those that are claimed prevent the deletion");
    removed.add_flag("-y,--yes", flags->removal.yes, "do not ask for confirmation");

    CLI::App& reset = tree.verb(endpoint, "reset", "close its circuit", [flags] {
        flags->changes.close_circuit = true;
        return cli::change_endpoint(client(flags->client), flags->id, flags->changes,
                                    output(flags->client.json));
    });
    add_endpoint_id(reset, *flags);
    add_retry_waiting(reset, *flags);

    for (CLI::App* const each : {&list, &get, &set, &put, &removed, &reset})
        add_client_flags(*each, flags->client);
}

}  // namespace sundial::server
