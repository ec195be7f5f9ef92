#pragma once

#include <string>
#include <vector>

/// The command line as data, and the texts that are generated from it: man pages, completion
/// scripts, JSON for programs, tables for docs/reference/cli.md.
namespace sundial::cli {

struct FlagHelp {
    std::vector<std::string> names;  // `--yes`, `-y`; of a positional argument one name
    std::string value{};             // `URL`; empty for a flag without a value
    std::string help{};
    std::string otherwise{};  // the default
    std::string variable{};   // the environment variable
    std::vector<std::string> choices{};
    std::string group{};
    bool positional = false;
    bool required = false;
    bool many = false;
};

struct CommandHelp {
    std::vector<std::string> path;  // {"event", "list"}
    std::string help;
    std::string examples{};
    std::vector<std::string> operations{};  // of openapi.json
    std::vector<FlagHelp> flags{};
    bool has_commands = false;  // a noun: its commands follow
};

using Manual = std::vector<CommandHelp>;

/// `sundial help --json`: an array of commands, nouns left out.
[[nodiscard]] std::string manual_json(const Manual& manual);
/// The man page of a noun or a command without noun (section 1, roff); of the program for "".
/// Empty if there is no such command.
[[nodiscard]] std::string man_page(const Manual& manual, const std::string& name,
                                   const std::string& version);
/// The names that man_page knows: "" first.
[[nodiscard]] std::vector<std::string> man_pages(const Manual& manual);

[[nodiscard]] std::string bash_completion(const Manual& manual);
[[nodiscard]] std::string zsh_completion(const Manual& manual);
[[nodiscard]] std::string fish_completion(const Manual& manual);

/// A page about one command (Markdown, below docs/commands/).
[[nodiscard]] std::string command_page(const CommandHelp& command);
/// The table of commands in docs/reference/cli.md (Markdown).
[[nodiscard]] std::string command_reference(const Manual& manual);

}  // namespace sundial::cli
