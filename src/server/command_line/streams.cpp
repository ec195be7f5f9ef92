#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/streams/stream_commands.hpp"
#include "server/command_line/client_flags.hpp"
#include "server/command_line/command_tree.hpp"
#include "server/command_line/nouns.hpp"

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
    command.add_option("type", flags.stream.type, "what kind of thing: Order")->required();
    command.add_option("id", flags.stream.id, "which one")->required();
}

}  // namespace

void add_stream_commands(CommandTree& tree) {
    const auto flags = std::make_shared<StreamFlags>();
    CLI::App& stream = tree.noun("stream", "histories of things, and the feed of all");

    CLI::App& list = tree.verb(stream, "list", "which there are", [flags] {
        return cli::list_streams(client(flags->client), flags->stream.type, flags->prefix,
                                 output(flags->client.json));
    });
    list.add_option("type", flags->stream.type, "only those of that kind");
    list.add_option("prefix", flags->prefix, "only those whose ids begin so");

    CLI::App& read = tree.verb(stream, "read", "what one holds", [flags] {
        return cli::read_stream(client(flags->client), flags->stream, flags->from,
                                output(flags->client.json));
    });
    add_stream(read, *flags);
    read.add_option("--from", flags->from, "the first version shown")->capture_default_str();

    CLI::App& append = tree.verb(stream, "append", "add one event", [flags] {
        return cli::append_event(client(flags->client), flags->stream, flags->event,
                                 output(flags->client.json));
    });
    add_stream(append, *flags);
    append.add_option("event-type", flags->event.type, "what happened: OrderPlaced")->required();
    append.add_option("data", flags->event.data, "JSON")->capture_default_str();
    append.add_option("--expect", flags->event.expected,
                      "only if the stream is there: a version, NO_STREAM, STREAM_EXISTS");

    CLI::App& follow = tree.verb(stream, "follow", "the feed of all, as it grows", [flags] {
        flags->feed.wait = !flags->once;
        return cli::follow_feed(
            client(flags->client), flags->feed, [] { return true; }, output(flags->client.json));
    });
    follow.add_option("type", flags->feed.type, "only streams of that kind");
    follow.add_option("--after", flags->feed.after, "from that position on")->capture_default_str();
    follow.add_flag("--once", flags->once, "end with what is there");

    for (CLI::App* const each : {&list, &read, &append, &follow}) {
        add_client_flags(*each, flags->client);
    }
}

}  // namespace sundial::server
