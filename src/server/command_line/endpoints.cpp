#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "cli/endpoints/endpoint_commands.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"

namespace sundial::server {
namespace {

struct EndpointFlags {
    ClientFlags client{};
    std::string id{};
    cli::EndpointChanges changes{};
    bool enable = false, disable = false;
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

    CLI::App& reset = tree.verb(endpoint, "reset", "close its circuit", [flags] {
        flags->changes.close_circuit = true;
        return cli::change_endpoint(client(flags->client), flags->id, flags->changes,
                                    output(flags->client.json));
    });
    add_endpoint_id(reset, *flags);
    add_retry_waiting(reset, *flags);

    for (CLI::App* const each : {&list, &get, &set, &reset}) add_client_flags(*each, flags->client);
}

}  // namespace sundial::server
