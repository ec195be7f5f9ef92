#pragma once

#include <functional>
#include <memory>

/// Registration functions of the command line, one file per group of nouns.

namespace sundial::server {

class CommandTree;

void add_serving_commands(CommandTree& tree);    // serve, dev, tick
void add_database_commands(CommandTree& tree);   // db, config
void add_key_commands(CommandTree& tree);        // key
void add_clock_commands(CommandTree& tree);      // clock
void add_endpoint_commands(CommandTree& tree);   // endpoint
void add_event_commands(CommandTree& tree);      // event, dlq
void add_operation_commands(CommandTree& tree);  // op
void add_lock_commands(CommandTree& tree);       // lock
void add_stream_commands(CommandTree& tree);     // stream
void add_info_commands(CommandTree& tree);       // info, version
void add_rule_commands(CommandTree& tree);       // next, schedule explain
void add_zone_commands(CommandTree& tree);       // zone
void add_bench_commands(CommandTree& tree);      // bench

}  // namespace sundial::server

namespace CLI {

class App;
class ParseError;

}  // namespace CLI

namespace sundial::server {

/// Exit codes of the whole program (api 4) that this layer returns; `cli/` returns the others.
enum ExitCode : int { ok = 0, failure = 1, usage = 2, unreachable = 6 };

/// Nouns and verbs of the command line, and the action of the chosen verb.
class CommandTree {
public:
    CommandTree();
    ~CommandTree();
    CommandTree(const CommandTree&) = delete;
    CommandTree& operator=(const CommandTree&) = delete;

    /// Adds a noun; the caller adds verbs to it.
    CLI::App& noun(const char* name, const char* help);
    /// Adds a command. `run` returns the exit code and owns the variables that its flags are read
    /// into.
    CLI::App& verb(CLI::App& noun, const char* name, const char* help, std::function<int()> run);
    /// The same for a command without a noun.
    CLI::App& verb(const char* name, const char* help, std::function<int()> run);

    /// Throws whatever the command throws.
    int run(int argc, char** argv);

private:
    /// Prints the error, or the requested help.
    int explain(const CLI::ParseError& error, int argc, char** argv) const;

    std::unique_ptr<CLI::App> root_;
    std::function<int()> chosen_;
};

}  // namespace sundial::server
