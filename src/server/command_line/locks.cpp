#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/system/clocks.hpp"
#include "cli/commands.hpp"
#include "domain/time/text.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"

namespace sundial::server {
namespace {

struct LockFlags {
    ClientFlags client{};
    std::string name{};
    std::string lock_token{};
    std::string holder{};
    std::string ttl = "PT30S";
    std::string wait = "PT0S";
    std::string prefix{};
    std::vector<std::string> command{};
};

std::string this_process() {
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    return std::string{host.data()} + ':' + std::to_string(getpid());
}

std::chrono::seconds seconds_in(const char* flag, const std::string& text) {
    const auto duration = parse_duration(text);
    if (!duration) throw CLI::ValidationError(flag, duration.error().message);
    return *duration;
}

void add_name(CLI::App& command, LockFlags& flags) {
    command.add_option("name", flags.name, "the lock")->required();
}
void add_token(CLI::App& command, LockFlags& flags) {
    command.add_option("lock-token", flags.lock_token, "token that acquire printed")->required();
}
void add_holder(CLI::App& command, LockFlags& flags) {
    flags.holder = this_process();
    command.add_option("--holder", flags.holder, "name of the holder, for people")
        ->capture_default_str();
}
void add_ttl(CLI::App& command, LockFlags& flags) {
    command
        .add_option("--ttl", flags.ttl, "lease: the lock expires after this time without renewal")
        ->capture_default_str();
}
void add_wait(CLI::App& command, LockFlags& flags) {
    command
        .add_option("--wait", flags.wait,
                    "wait at most this long while another holder has the lock")
        ->capture_default_str();
}

}  // namespace

void add_lock_commands(CommandTree& tree) {
    const auto flags = std::make_shared<LockFlags>();
    CLI::App& lock = tree.noun("lock", "locks: names that only one holder has at a time");

    CLI::App& run = tree.verb(lock, "run", "run a command while holding a lock", [flags] {
        const system::BootClock monotonic;
        return cli::run_under_lock(client(flags->client),
                                   {.name = flags->name,
                                    .holder = flags->holder,
                                    .ttl = seconds_in("--ttl", flags->ttl),
                                    .wait = seconds_in("--wait", flags->wait),
                                    .command = flags->command},
                                   monotonic, output(flags->client.json));
    });
    add_name(run, *flags);
    run.add_option("command", flags->command, "after --: the command and its arguments")
        ->required();

    CLI::App& acquire = tree.verb(lock, "acquire", "acquire a lock and print its token", [flags] {
        return cli::acquire_lock(
            client(flags->client),
            {.name = flags->name, .holder = flags->holder, .ttl = flags->ttl, .wait = flags->wait},
            output(flags->client.json));
    });
    add_name(acquire, *flags);

    CLI::App& renew = tree.verb(lock, "renew", "renew a lock", [flags] {
        return cli::renew_lock(client(flags->client), flags->name, flags->lock_token, flags->ttl,
                               output(flags->client.json));
    });
    add_name(renew, *flags);
    add_token(renew, *flags);

    CLI::App& release = tree.verb(lock, "release", "release a lock", [flags] {
        return cli::release_lock(client(flags->client), flags->name, flags->lock_token,
                                 output(flags->client.json));
    });
    add_name(release, *flags);
    add_token(release, *flags);

    CLI::App& list = tree.verb(lock, "list", "list held locks", [flags] {
        return cli::list_locks(client(flags->client),
                               flags->prefix.empty() ? std::nullopt : std::optional{flags->prefix},
                               output(flags->client.json));
    });
    list.add_option("prefix", flags->prefix, "only locks whose names begin with this");

    for (CLI::App* const each : {&run, &acquire}) {
        add_holder(*each, *flags);
        add_wait(*each, *flags);
    }
    for (CLI::App* const each : {&run, &acquire, &renew}) add_ttl(*each, *flags);
    for (CLI::App* const each : {&run, &acquire, &renew, &release, &list}) {
        add_client_flags(*each, flags->client);
    }
}

}  // namespace sundial::server
