#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"

namespace sundial::server {
namespace {

struct OperationFlags {
    ClientFlags client{};
    std::string id{};
    bool running = false;
    std::int64_t timeout = 0;  // seconds; 0: unlimited
};

void add_id(CLI::App& command, OperationFlags& flags) {
    command.add_option("id", flags.id, "the operation")->required();
}

}  // namespace

void add_operation_commands(CommandTree& tree) {
    const auto flags = std::make_shared<OperationFlags>();
    CLI::App& op = tree.noun("op", "long-running operations, such as edits of schedules");

    CLI::App& list = tree.verb(op, "list", "newest first", [flags] {
        return cli::list_operations(client(flags->client), flags->running,
                                    output(flags->client.json));
    });
    list.add_flag("--running", flags->running, "only running operations");

    CLI::App& wait =
        tree.verb(op, "wait", "wait for the end of an operation and show its progress", [flags] {
            return cli::wait_for_operation(client(flags->client), flags->id,
                                           wait_options(flags->timeout),
                                           output(flags->client.json));
        });
    add_id(wait, *flags);
    add_timeout_flag(wait, flags->timeout, "seconds to wait; then exit code 8");

    CLI::App& stop = tree.verb(op, "stop", "stop an operation; its finished part stays", [flags] {
        return cli::stop_operation(client(flags->client), flags->id, output(flags->client.json));
    });
    add_id(stop, *flags);

    for (CLI::App* const each : {&list, &wait, &stop}) add_client_flags(*each, flags->client);
}

}  // namespace sundial::server
