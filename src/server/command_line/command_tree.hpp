#pragma once

#include <functional>
#include <memory>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace sundial::server {

/// Exit codes of the whole program (api 4) that are given here; `cli/` gives the rest.
enum ExitCode : int { ok = 0, failure = 1, usage = 2, unreachable = 6 };

/// Nouns and verbs of the command line, and what the chosen one does.
class CommandTree {
public:
    CommandTree();
    ~CommandTree();
    CommandTree(const CommandTree&) = delete;
    CommandTree& operator=(const CommandTree&) = delete;

    /// Adds a noun, whose verbs are added to it.
    CLI::App& noun(const char* name, const char* help);
    /// Adds what can be run: `run` gives the exit code, and keeps alive what its flags are read to.
    CLI::App& verb(CLI::App& noun, const char* name, const char* help, std::function<int()> run);
    /// The same for a command of one word.
    CLI::App& verb(const char* name, const char* help, std::function<int()> run);

    /// Throws what the command throws.
    int run(int argc, char** argv);

private:
    /// Says what is wrong, or the help that was asked for.
    int explain(const CLI::ParseError& error, int argc, char** argv) const;

    std::unique_ptr<CLI::App> root_;
    std::function<int()> chosen_;
};

}  // namespace sundial::server
