#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"

namespace sundial::server {
namespace {

struct StreamFlags {
    ClientFlags client{};
    cli::StreamName stream{};
    std::string prefix{};
    std::uint64_t from = 1;
    cli::EventToAppend event{};
    cli::FeedToFollow feed{};
    bool once = false;
};

void add_stream(CLI::App& command, StreamFlags& flags) {
    command.add_option("type", flags.stream.type, "type of the aggregate: Order")->required();
    command.add_option("id", flags.stream.id, "which one")->required();
}

}  // namespace

void add_stream_commands(CommandTree& tree) {
    const auto flags = std::make_shared<StreamFlags>();
    CLI::App& stream =
        tree.noun("stream", "streams of recorded events, and the feed of all streams");

    CLI::App& list = tree.verb(stream, "list", "list streams", [flags] {
        return cli::list_streams(client(flags->client), flags->stream.type, flags->prefix,
                                 output(flags->client.json));
    });
    list.add_option("type", flags->stream.type, "only streams of this type");
    list.add_option("prefix", flags->prefix, "only streams whose ids begin with this");

    CLI::App& read = tree.verb(stream, "read", "show the events of a stream", [flags] {
        return cli::read_stream(client(flags->client), flags->stream, flags->from,
                                output(flags->client.json));
    });
    add_stream(read, *flags);
    read.add_option("--from", flags->from, "first version to show")->capture_default_str();

    CLI::App& append = tree.verb(stream, "append", "add one event", [flags] {
        return cli::append_event(client(flags->client), flags->stream, flags->event,
                                 output(flags->client.json));
    });
    add_stream(append, *flags);
    append.add_option("event-type", flags->event.type, "type of the event: OrderPlaced")
        ->required();
    append.add_option("data", flags->event.data, "JSON")->capture_default_str();
    append.add_option("--expect", flags->event.expected,
                      "expected version: a number, NO_STREAM or STREAM_EXISTS");

    CLI::App& follow = tree.verb(stream, "follow", "follow the feed of all streams", [flags] {
        flags->feed.wait = !flags->once;
        return cli::follow_feed(
            client(flags->client), flags->feed, [] { return true; }, output(flags->client.json));
    });
    follow.add_option("type", flags->feed.type, "only streams of this type");
    follow.add_option("--after", flags->feed.after, "start after this position")
        ->capture_default_str();
    follow.add_flag("--once", flags->once, "stop at the end of the feed instead of waiting");

    for (CLI::App* const each : {&list, &read, &append, &follow}) {
        add_client_flags(*each, flags->client);
    }
}

}  // namespace sundial::server
