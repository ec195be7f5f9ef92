#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/manual.hpp"

/// Registration functions of the command line, one file per group of nouns.

namespace sundial::server {

class CommandTree;

void add_serving_commands(CommandTree& tree);   // serve, dev, tick
void add_database_commands(CommandTree& tree);  // db, config
void add_backup_commands(CommandTree& tree);    // db backup, restore, check; doctor
void add_cluster_commands(CommandTree& tree);   // db distribute, reshard
void add_key_commands(CommandTree& tree);       // key
void add_api_commands(CommandTree& tree);       // the command table of cli/
void add_event_commands(CommandTree& tree);     // event, dlq: on many events, import, watch
void add_schedule_commands(CommandTree& tree);  // schedule: on many schedules
void add_waiting_commands(CommandTree& tree);   // op wait, lock run, stream and feed follow
void add_manual_commands(CommandTree& tree);    // help, man, completion, version
void add_rule_commands(CommandTree& tree);      // next, schedule explain
void add_zone_commands(CommandTree& tree);      // zone
void add_import_commands(CommandTree& tree);    // import, apply
void add_shadow_commands(CommandTree& tree);    // shadow
void add_bench_commands(CommandTree& tree);     // bench

}  // namespace sundial::server

namespace CLI {

class App;
class Option;
class ParseError;

}  // namespace CLI

namespace sundial::server {

/// Exit codes of the whole program (api 4) that this layer returns; `cli/` returns the others.
enum ExitCode : int { ok = 0, failure = 1, usage = 2, unreachable = 6 };

/// The names with commas between them.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

/// Nouns and verbs of the command line, and the action of the chosen verb.
class CommandTree {
public:
    /// For all commands; or only for the command or the noun `first`, because the flags of all
    /// commands together take longer to make than a short command takes to run.
    explicit CommandTree(std::string_view first = {});
    ~CommandTree();
    CommandTree(const CommandTree&) = delete;
    CommandTree& operator=(const CommandTree&) = delete;

    /// Whether to add the command or the noun with this name.
    [[nodiscard]] bool wants(std::string_view first_word) const;
    /// The noun, to add verbs to. The table of cli/ has the help of most nouns.
    CLI::App& noun(const std::string& name, const char* help = "");
    /// Adds a command. `run` returns the exit code and owns the variables that its flags are read
    /// into.
    CLI::App& verb(CLI::App& noun, const char* name, const char* help, std::function<int()> run);
    /// The same for a command without a noun.
    CLI::App& verb(const char* name, const char* help, std::function<int()> run);

    /// Says which operations of the API a command performs.
    void performs(const CLI::App& command, std::vector<std::string> operations);
    /// Says what an option takes, where CLI11 does not check it.
    void has_choices(const CLI::Option& option, std::vector<std::string> choices);
    /// All nouns and commands, for the texts that are generated from them.
    [[nodiscard]] cli::Manual manual() const;

    /// Throws whatever the command throws.
    int run(int argc, char** argv);
    /// The same, but nothing happens if the command line has an error, whose message may name any
    /// command.
    std::optional<int> run_correct(int argc, char** argv);
    /// Whether it has the command with this path.
    [[nodiscard]] bool knows(const std::vector<std::string>& path) const;
    /// The help of the command with this path, or the error in the path.
    int help(const std::vector<std::string>& path);

private:
    /// Prints the error, or the requested help.
    int explain(const CLI::ParseError& error, int argc, char** argv) const;
    int act(int argc, char** argv) const;

    std::string first_;
    std::unique_ptr<CLI::App> root_;
    std::function<int()> chosen_;
    std::map<const CLI::App*, std::vector<std::string>> operations_;
    std::map<const CLI::Option*, std::vector<std::string>> choices_;
};

/// The tree of the whole program, for texts about all commands.
[[nodiscard]] std::unique_ptr<CommandTree> all_commands();
/// Prints the help of the command with this path, or the error in the path.
int print_help(const std::vector<std::string>& path);
/// Runs the command of a command line. Throws whatever the command throws.
int run_command_line(int argc, char** argv);

}  // namespace sundial::server
