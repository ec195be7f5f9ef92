#pragma once

#include <functional>
#include <memory>

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
