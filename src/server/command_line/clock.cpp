#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "server/command_line/command_tree.hpp"
#include "server/command_line/flags.hpp"

namespace sundial::server {
namespace {

struct ClockFlags {
    ClientFlags client{};
    std::string by{}, to{};
};

std::optional<std::string> if_given(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

void add_clock_commands(CommandTree& tree) {
    const auto flags = std::make_shared<ClockFlags>();
    CLI::App& clock = tree.noun("clock", "the clock that decides which events are due");
    add_client_flags(
        tree.verb(
            clock, "show", "show mode and time",
            [flags] { return cli::show_clock(client(flags->client), output(flags->client.json)); }),
        flags->client);
    CLI::App& advance = tree.verb(
        clock, "advance", "advance a test clock and deliver the events that become due", [flags] {
            return cli::advance_clock(client(flags->client), if_given(flags->by),
                                      if_given(flags->to), output(flags->client.json));
        });
    add_client_flags(advance, flags->client);
    CLI::App& how_far = *advance.add_option_group("how far");
    how_far.add_option("--by", flags->by, "a duration, such as PT24H, 1h30m or P1Y");
    how_far.add_option("--to", flags->to, "an instant, such as 2027-01-01T00:00:00Z");
    how_far.require_option(1);
}

}  // namespace sundial::server
