#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
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
    std::string holder{};
    std::string ttl = "PT30S";
    std::string wait = "PT0S";
    std::vector<std::string> command{};
};

std::chrono::seconds seconds_in(const char* flag, const std::string& text) {
    const auto duration = parse_duration(text);
    if (!duration) throw CLI::ValidationError(flag, duration.error().message);
    return *duration;
}

struct OperationFlags {
    ClientFlags client{};
    std::string id{};
    std::int64_t timeout = 0;  // seconds; 0: unlimited
};

struct FeedFlags {
    ClientFlags client{};
    cli::FeedToFollow feed{};
    bool once = false;
};

void add_op_wait(CommandTree& tree) {
    const auto flags = std::make_shared<OperationFlags>();
    CLI::App& wait = tree.verb(
        tree.noun("op"), "wait", "wait for the end of an operation and show its progress", [flags] {
            return cli::wait_for_operation(client(flags->client), flags->id,
                                           wait_options(flags->timeout), output(flags->client));
        });
    wait.add_option("id", flags->id, "the operation")->required();
    add_timeout_flag(wait, flags->timeout, "seconds to wait; then exit code 8");
    add_client_flags(wait, flags->client);
    tree.performs(wait, {"getOperation"});
}

void add_lock_run(CommandTree& tree) {
    const auto flags = std::make_shared<LockFlags>();
    flags->holder = default_lock_holder();
    CLI::App& run =
        tree.verb(tree.noun("lock"), "run", "run a command while holding a lock", [flags] {
            const system::BootClock monotonic;
            return cli::run_under_lock(client(flags->client),
                                       {.name = flags->name,
                                        .holder = flags->holder,
                                        .ttl = seconds_in("--ttl", flags->ttl),
                                        .wait = seconds_in("--wait", flags->wait),
                                        .command = flags->command},
                                       monotonic, output(flags->client));
        });
    run.add_option("name", flags->name, "the lock")->required();
    run.add_option("command", flags->command, "after --: the command and its arguments")
        ->required();
    run.add_option("--holder", flags->holder,
                   "name of the holder, for people; else host and process");
    run.add_option("--wait", flags->wait,
                   "wait at most this long while another holder has the lock")
        ->capture_default_str();
    run.add_option("--ttl", flags->ttl, "lease: the lock expires after this time without renewal")
        ->capture_default_str();
    add_client_flags(run, flags->client);
    tree.performs(run, {"acquireLock", "renewLock", "releaseLock"});
}

/// `feed follow`, and `stream follow`, its older name.
void add_follow(CommandTree& tree, const char* noun) {
    const auto flags = std::make_shared<FeedFlags>();
    CLI::App& follow =
        tree.verb(tree.noun(noun), "follow", "follow the feed of all streams", [flags] {
            flags->feed.wait = !flags->once;
            return cli::follow_feed(
                client(flags->client), flags->feed, [] { return true; }, output(flags->client));
        });
    follow.add_option("type", flags->feed.type, "only streams of this type");
    follow.add_option("--after", flags->feed.after, "start after this position")
        ->capture_default_str();
    follow.add_flag("--once", flags->once, "stop at the end of the feed instead of waiting");
    add_client_flags(follow, flags->client);
    tree.performs(follow, {"readFeed"});
}

}  // namespace

void add_waiting_commands(CommandTree& tree) {
    add_op_wait(tree);
    add_lock_run(tree);
    add_follow(tree, "stream");
    add_follow(tree, "feed");
}

}  // namespace sundial::server
