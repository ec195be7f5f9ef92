#include "server/command_line/command_tree.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "server/version.hpp"

namespace sundial::server {
namespace {

std::vector<const CLI::App*> below(const CLI::App& app) {
    std::vector<const CLI::App*> named;
    for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (!each->get_name().empty()) named.push_back(each);
    }
    return named;
}

std::vector<std::string> names_below(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* each : below(app)) names.push_back(each->get_name());
    return names;
}

struct Flags {
    std::vector<std::string> all, with_value;

    [[nodiscard]] bool has(const std::string& flag) const {
        return std::ranges::find(all, flag) != all.end();
    }
    [[nodiscard]] bool take_value(const std::string& flag) const {
        return std::ranges::find(with_value, flag) != with_value.end();
    }
};

/// Collects the command's own flags, including those of its groups.
void add_flags_of(const CLI::App& command, Flags& flags) {
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            flags.all.push_back("--" + name);
            if (option->get_items_expected_max() > 0) flags.with_value.push_back("--" + name);
        }
    }
    for (const CLI::App* group : command.get_subcommands([](const CLI::App*) { return true; })) {
        if (group->get_name().empty()) add_flags_of(*group, flags);
    }
}

void add_flags_of_all(const CLI::App& app, Flags& flags) {
    add_flags_of(app, flags);
    for (const CLI::App* each : below(app)) add_flags_of_all(*each, flags);
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string question(const std::optional<std::string>& meant) {
    return meant ? "; did you mean '" + *meant + "'?" : "";
}

/// "sundial event".
std::string path_of(const CLI::App& command) {
    const CLI::App* above = command.get_parent();
    return (above == nullptr ? "" : path_of(*above) + ' ') + command.get_name();
}

/// The known nouns, verbs and flags of a command line.
struct Walk {
    const CLI::App* command;                  // the last known one
    std::optional<std::string> no_command{};  // the unknown word in place of a noun or verb
    std::optional<std::string> no_flag{};     // the first flag that the command lacks
};

Walk walk(const CLI::App& root, int argc, char** argv) {
    Flags anywhere;
    add_flags_of_all(root, anywhere);
    Walk found{.command = &root};
    for (int i = 1; i < argc; ++i) {
        const std::string text = argv[i];
        const std::string word = text.substr(0, text.find('='));
        if (word == "--") break;
        if (word.starts_with("--")) {
            Flags own;
            add_flags_of(*found.command, own);
            const bool known = own.has(word);
            if (!known && !found.no_flag) found.no_flag = word;
            // The value of a flag is not a command, even if the flag is misspelt or precedes its
            // command.
            const std::string meant = known || anywhere.has(word)
                                          ? word
                                          : base::nearest(word, anywhere.all).value_or(word);
            if (word == text && (known ? own : anywhere).take_value(meant)) ++i;
            continue;
        }
        const auto commands = below(*found.command);
        if (word.starts_with('-') || commands.empty()) continue;
        const auto named = std::ranges::find(commands, text, &CLI::App::get_name);
        if (named == commands.end()) {
            found.no_command = text;
            break;
        }
        found.command = *named;
    }
    return found;
}

}  // namespace

CommandTree::CommandTree()
    : root_(std::make_unique<CLI::App>("Sundial delivers each event once, at its local time.",
                                       "sundial")) {
    root_->set_help_all_flag("--help-all", "print the help of every command");
    root_->set_version_flag("--version", product_line(), "print the version of this program");
    root_->require_subcommand(1);
    root_->get_formatter()->column_width(34);
}

CommandTree::~CommandTree() = default;

CLI::App& CommandTree::noun(const char* name, const char* help) {
    CLI::App& added = *root_->add_subcommand(name, help);
    added.require_subcommand(1);
    return added;
}

CLI::App& CommandTree::verb(CLI::App& noun, const char* name, const char* help,
                            std::function<int()> run) {
    CLI::App& added = *noun.add_subcommand(name, help);
    added.callback([this, run = std::move(run)] { chosen_ = run; });
    return added;
}

CLI::App& CommandTree::verb(const char* name, const char* help, std::function<int()> run) {
    return verb(*root_, name, help, std::move(run));
}

int CommandTree::run(int argc, char** argv) {
    try {
        root_->parse(argc, argv);
        return chosen_();
    } catch (const CLI::ParseError& error) {
        return explain(error, argc, argv);
    }
}

int CommandTree::explain(const CLI::ParseError& error, int argc, char** argv) const {
    const bool asked_for_help = error.get_exit_code() == 0;
    const Walk found = walk(*root_, argc, argv);
    const std::vector<std::string> commands = names_below(*found.command);
    if (!asked_for_help && !commands.empty()) {
        const std::string path = path_of(*found.command);
        const std::string wrong = found.no_command
                                      ? "'" + *found.no_command + "' is not a command of " + path +
                                            question(base::nearest(*found.no_command, commands))
                                      : path + " needs a command";
        std::cerr << "sundial: " << wrong << "\nThere are " << listed(commands)
                  << ".\nRun with --help or --help-all for more information.\n";
        return usage;
    }
    if (root_->exit(error) == 0) return ok;
    if (found.no_flag) {
        Flags own;
        add_flags_of(*found.command, own);
        if (const auto meant = base::nearest(*found.no_flag, own.all)) {
            std::cerr << "did you mean '" << *meant << "'?\n";
        }
    }
    return usage;
}

}  // namespace sundial::server
